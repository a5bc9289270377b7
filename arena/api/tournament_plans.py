"""What organisers send to plan a tournament, and how it changes the plan."""

from dataclasses import fields, replace
from typing import Any

from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    ListField,
    Serializer,
    SlugField,
)

from arena.accounts.models import User
from arena.api.examples import EXAMPLE_NEW_TOURNAMENT, request_example
from arena.api.fields import ChoiceField
from arena.api.rules import NewOptionsField
from arena.api.tournament_settings import SettingsSerializer
from arena.groups.queries.groups import find_organised_group
from arena.matches.variants import parse_series_length
from arena.tournaments.models import Tournament
from arena.tournaments.services.access import Access, BadAccess
from arena.tournaments.services.organising import Plan
from arena.tournaments.settings import MAX_ENTRANTS
from engine.message import gettext_noop, message
from engine.registry import GAMES


class PlanSerializer(Serializer):
    """Changes to a tournament. Omitted fields stay as they are, and have their defaults in a new one."""

    title = CharField(max_length=60, required=False, help_text="Title of the tournament.")
    description = CharField(
        max_length=2000, required=False, allow_blank=True, help_text="Description by the organiser."
    )
    game = ChoiceField(list(GAMES), required=False, help_text="Key of the game.")
    edition = SlugField(required=False, help_text="Key of the edition.")
    options = NewOptionsField()
    settings = SettingsSerializer(required=False, help_text="Settings that decide how it is played.")
    is_rated = BooleanField(
        required=False, help_text="Whether its matches count for the ladder, too. Only staff may set it."
    )
    is_low_priority = BooleanField(
        required=False, help_text="Low priority: play its matches only when the queue is empty."
    )
    entries_close_at = DateTimeField(
        required=False,
        allow_null=True,
        help_text="When entries close; null: when it is started.",
    )
    max_entrants = IntegerField(
        min_value=2,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Maximum number of bots.",
    )
    max_entrants_per_author = IntegerField(
        min_value=1,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Maximum number of bots of one author.",
    )
    group = SlugField(
        required=False,
        allow_null=True,
        help_text="Slug of a group that you organise, whose organisers then organise the tournament, too; or null.",
    )
    visibility = ChoiceField(
        Tournament.Visibility.choices,
        required=False,
        help_text="Who sees it: everybody, whoever has its address, or the group. Later it can only be published.",
    )
    entry_rule = ChoiceField(Tournament.EntryRule.choices, required=False, help_text="Whose bots may enter.")
    permitted_authors = ListField(
        child=CharField(max_length=150),
        required=False,
        help_text="User names of the authors who may enter bots; for the rule list only.",
    )
    are_entries_moderated = BooleanField(
        required=False, help_text="Whether each entry waits until an organiser approves it."
    )


class ChangesSerializer(PlanSerializer):
    """Changes to a tournament, with the reason for them."""

    reason = CharField(
        max_length=500,
        required=False,
        allow_blank=True,
        help_text="Reason, which is public. Changes are recorded once entries were opened.",
    )


@request_example("A cup", EXAMPLE_NEW_TOURNAMENT)
class NewTournamentSerializer(PlanSerializer):
    """A tournament to be created."""

    title = CharField(max_length=60, help_text="Title of the tournament. Its slug is made of it and stays.")
    game = ChoiceField(list(GAMES), help_text="Key of the game.")
    edition = SlugField(required=False, help_text="Key of the edition; the first one of the game if omitted.")


def apply_changes(organiser: User, plan: Plan, changes: dict[str, Any]) -> Plan:
    """Return the plan with these changes. Raise BadAccess for a group that isn't the organiser's."""
    changes = dict(changes)
    plan = replace(plan, access=change_access(organiser, plan.access, changes))
    if "options" in changes or changes.get("game", plan.game) != plan.game:
        changes["changed_options"] = changes.pop("options", {})
    changed = dict(changes.pop("settings", {}))
    if "series" in changed:
        game = changes.get("game", plan.game)
        changed["series"] = parse_series_length(game, changed.get("seats", plan.settings.seats), changed["series"])
    settings = replace(plan.settings, **changed)
    return replace(plan, settings=settings, **changes)


def change_access(organiser: User, access: Access, changes: dict[str, Any]) -> Access:
    """Return the access with those of the changes that are about it, which are taken out of them. Raise BadAccess."""
    changed = {field.name: changes.pop(field.name) for field in fields(Access) if field.name in changes}
    if changed.get("group"):
        slug = changed["group"]
        changed["group"] = find_organised_group(organiser, slug)
        if changed["group"] is None:
            raise BadAccess(message(gettext_noop("You organise no group at %(slug)s."), slug=slug))
    if "permitted_authors" in changed:
        changed["permitted_authors"] = tuple(dict.fromkeys(changed["permitted_authors"]))
    return replace(access, **changed)
