"""The settings of a tournament, and the phases that follow from them."""

from typing import Any

from rest_framework.serializers import BooleanField, CharField, IntegerField, Serializer

from arena.api.fields import ChoiceField
from arena.api.rules import SeriesSerializer
from arena.tournaments.formats import FORMATS
from arena.tournaments.phases import count_expected_entrants
from arena.tournaments.settings import MAX_ENTRANTS, SCORINGS


class SettingsSerializer(Serializer):
    """Settings that decide how a tournament is played."""

    format = ChoiceField(list(FORMATS), required=False, help_text="Tournament format.")
    rounds = IntegerField(
        min_value=1,
        max_value=99,
        required=False,
        allow_null=True,
        help_text="Number of rounds; null for as many as the format recommends.",
    )
    matches_per_pairing = IntegerField(
        min_value=1,
        max_value=25,
        required=False,
        help_text="Matches per pairing; best of in a knockout.",
    )
    max_tiebreak_matches = IntegerField(
        min_value=0,
        max_value=25,
        required=False,
        help_text="Maximum number of further matches where a knockout pairing is even.",
    )
    scoring = ChoiceField(list(SCORINGS), required=False, help_text="Whether pairings won count, or game points.")
    groups = IntegerField(
        min_value=2, max_value=MAX_ENTRANTS, required=False, help_text="Number of groups before a knockout."
    )
    advance_per_group = IntegerField(
        min_value=1,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Number of entrants that advance from each group.",
    )
    knockout_size = IntegerField(
        min_value=2,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Number of entrants that advance from a Swiss phase to the knockout.",
    )
    third_place_match = BooleanField(
        required=False,
        help_text="Whether the losers of the semi-finals of a knockout meet; otherwise they share third place.",
    )
    seats = IntegerField(min_value=2, max_value=4, required=False, help_text="Number of seats at a table.")
    series = SeriesSerializer(
        required=False,
        allow_null=True,
        help_text="Length of the series that each match is; null, the default, for mirrored pairs, which are fairer.",
    )


class PhaseSerializer(Serializer):
    """A phase of a tournament."""

    number = IntegerField(help_text="Number of the phase, starting at 1.")
    key = CharField(help_text="Its format; `knockout` for that after another phase.")
    rounds_planned = IntegerField(help_text="Maximum number of its rounds.")


def count_planned_rounds(tournament: Any) -> tuple[int, ...]:
    """Return the maximum number of rounds of each phase; the tournament is one of `list_tournaments`."""
    settings = tournament.full_settings
    count = tournament.seeded_count or count_expected_entrants(
        tournament.entrants_count, settings, tournament.max_entrants
    )
    found: tuple[int, ...] = tournament.format.count_phase_rounds(count, settings)
    return found
