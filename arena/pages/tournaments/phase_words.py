"""Names and sentences about the phases of a tournament, in the reader's language."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from arena.tournaments.formats.base import Format
from arena.tournaments.formats.bracket import THIRD_PLACE_BOUT, is_bout_name
from arena.tournaments.models import Tournament
from arena.tournaments.phases import KNOCKOUT, Phase, count_expected_entrants, find_round_reached
from arena.tournaments.queries.overview import Board, Overview
from arena.tournaments.settings import Settings
from arena.tournaments.standings import Standing

PHASE_NAMES = {
    "swiss": gettext_lazy("Swiss"),
    "groups": gettext_lazy("Groups"),
    KNOCKOUT: gettext_lazy("Knockout"),
}
"""The names of the phases of tournaments that have two, by their keys."""


def name_phase(phase: Phase) -> str:
    """Return the name of a phase of a tournament that has two."""
    return str(PHASE_NAMES[phase.key])


def name_knockout_round(bouts: int) -> str:
    """Return the title of the round of a knockout with so many bouts, the match for third place not counted."""
    names = {1: _("Final"), 2: _("Semi-finals"), 4: _("Quarter-finals")}
    return names.get(bouts) or _("Last %(count)d") % {"count": 2 * bouts}


def name_round(format: Format, boards: Sequence[Board]) -> str:
    """Return the phase to which a round with these pairings belongs, in a knockout its round; empty for one phase."""
    if format.first_phase is None or not boards:
        return ""
    names = [board.name for board in boards]
    if not any(map(is_bout_name, names)):
        return str(PHASE_NAMES[format.first_phase.key])
    bouts = sum(name != THIRD_PLACE_BOUT for name in names)
    return f"{PHASE_NAMES[KNOCKOUT]}: {name_knockout_round(bouts)}"


def name_current_phase(overview: Overview) -> str:
    """Return the phase that is played, in a knockout its round; empty for one phase, and before and after it all."""
    if overview.current_round is None or overview.tournament.is_over:
        return ""
    return name_round(overview.tournament.format, overview.boards.get(overview.current_round.pk, []))


def name_reached(overview: Overview, standing: Standing) -> str:
    """Return the round of the knockout that an entrant reached, or the name of the phase in which it stayed."""
    size = find_round_reached(standing, overview.phases, overview.settings)
    if size is None:
        return name_phase(overview.phases[0])
    special = {1: pgettext("a place", "Winner"), 3: _("Third place")}
    return special.get(size) or name_knockout_round(size // 2)


def describe_phases(settings: Settings, format: Format) -> list[str]:
    """Return sentences on who goes on to the knockout, how it is seeded, and what is played for third place."""
    sentences = []
    if format.key == "groups":
        sentences.append(
            _("There are %(groups)d groups, and the best %(advance)d of each advance to the knockout.")
            % {"groups": settings.groups, "advance": settings.advance_per_group}
        )
    elif format.first_phase is not None:
        template = _("The best %(size)d of the Swiss advance to the knockout.")
        sentences.append(template % {"size": settings.knockout_size})
    if format.first_phase is not None:
        sentences.append(
            _(
                "The knockout is seeded by the places before it: the first meets the last. No points are carried over: "
                "in the knockout its own pairings count alone, and who doesn't advance keeps its order."
            )
        )
    if "third_place_match" in format.uses:
        sentences.append(
            _("The losers of the semi-finals meet for third place.")
            if settings.third_place_match
            else _("Third place is shared.")
        )
    return sentences


def describe_planned_rounds(tournament: Tournament, there: int) -> tuple[str, str] | None:
    """Return the number of rounds before the start, phase by phase, and for how many bots that is; None afterwards."""
    if tournament.has_started or tournament.is_over:
        return None
    settings = tournament.full_settings
    count = count_expected_entrants(there, settings, tournament.max_entrants)
    rounds = " + ".join(map(str, tournament.format.count_phase_rounds(count, settings)))
    if count == there:
        return rounds, ngettext("with %(count)d bot", "with %(count)d bots", count) % {"count": count}
    return rounds, ngettext("with %(count)d bot at most", "with %(count)d bots at most", count) % {"count": count}
