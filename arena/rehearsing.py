"""Rehearse a tournament with the sample bots: short, for its organisers alone, and gone a day after its end.

A rehearsal is a tournament of a group that has its organisers as members, so that everything that keeps a group's
things private keeps it private, too.
"""

from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.samples import STRONGEST_SAMPLE, list_samples
from arena.errors import ArenaError, Conflict
from arena.group_data.erasing import erase_group
from arena.groups.models import Group, Membership
from arena.groups.services.editing import make_private_group
from arena.matches.cancelling import OPEN_STATES, cancel_matches
from arena.matches.models import Match
from arena.tournaments.formats import find_format
from arena.tournaments.models import Tournament
from arena.tournaments.services.access import Access, EntryRule, Visibility
from arena.tournaments.services.entering import enter
from arena.tournaments.services.organisers import check_organiser
from arena.tournaments.services.organising import Plan, build_plan, cancel, close_entries, create, open_entries
from arena.tournaments.settings import Settings
from engine.message import gettext_noop, message

REHEARSAL_RETENTION = timedelta(days=1)
"""A rehearsal is deleted so long after its end."""
MAX_REHEARSAL_AGE = timedelta(days=3)
"""One that doesn't end is deleted so long after it was begun."""
MAX_SAMPLES = 4
MAX_TITLE_LENGTH = 60
REHEARSAL_ROUNDS = 2


@transaction.atomic
def rehearse(*, tournament: Tournament, organiser: User) -> Tournament:
    """Begin a rehearsal of a tournament, and return it. Raise NotYours, Conflict or ArenaError."""
    tournament = check_organiser(tournament, organiser)
    if tournament.is_rehearsal:
        raise Conflict(message(gettext_noop("This is a rehearsal already.")))
    if tournament.rehearsals.exists():
        raise Conflict(message(gettext_noop("There is a rehearsal of this tournament: end it before another begins.")))
    bots = _choose_bots(tournament)
    group = make_private_group(name=_name(tournament), owners=_list_organisers(tournament, organiser))
    made = create(organiser=organiser, plan=_build_plan(tournament, group, len(bots)))
    Tournament.objects.filter(pk=made.pk).update(is_rehearsal=True, rehearsed=tournament)
    open_entries(tournament=made, organiser=organiser)
    for bot in bots:
        enter(tournament=made, bot=bot, user=organiser)
    return close_entries(tournament=made, organiser=organiser)


@transaction.atomic
def end_rehearsal(*, tournament: Tournament, organiser: User) -> None:
    """Delete a rehearsal with its matches at once. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if not tournament.is_rehearsal or tournament.group is None:
        raise Conflict(message(gettext_noop("Only a rehearsal can be ended like this.")))
    _erase(tournament, tournament.group, organiser)


def end_old_rehearsals() -> int:
    """Delete the rehearsals that were over a day ago, and return how many."""
    over = Q(finished_at__lt=now() - REHEARSAL_RETENTION) | Q(created_at__lt=now() - MAX_REHEARSAL_AGE)
    old = Tournament.objects.filter(over, is_rehearsal=True, group__isnull=False)
    return sum(_end_old(tournament) for tournament in old.select_related("group", "organiser"))


@transaction.atomic
def _end_old(tournament: Tournament) -> bool:
    owners = Membership.objects.filter(group=tournament.group, role=Membership.Role.OWNER).select_related("user")
    owner = owners.first()
    if owner is None or tournament.group is None:
        return False
    _erase(tournament, tournament.group, owner.user)
    return True


def _erase(tournament: Tournament, group: Group, owner: User) -> None:
    if not tournament.is_over:
        cancel(tournament=tournament, organiser=owner)
    reason = message(gettext_noop("The rehearsal was ended."))
    open_matches = Match.objects.filter(group=group, state__in=OPEN_STATES).values_list("pk", flat=True)
    cancel_matches(matches=list(open_matches), reason=reason)
    erase_group(group=group, by=owner, confirmation=group.name)


def _choose_bots(tournament: Tournament) -> list[Bot]:
    """Return sample bots of the game. The strongest one is left out, because it takes its time."""
    names = [name for name in list_samples(tournament.game) if name != STRONGEST_SAMPLE]
    bots = Bot.objects.filter(owner__is_house=True, game=tournament.game, name__in=names, stopped_at=None, group=None)
    chosen = list(bots.filter(versions__state="accepted").distinct().order_by("pk")[:MAX_SAMPLES])
    if len(chosen) < 2:
        problem = gettext_noop("This arena has too few sample bots of the game for a rehearsal.")
        raise ArenaError(message(problem))
    return chosen


def _list_organisers(tournament: Tournament, organiser: User) -> list[User]:
    """Return all who organise a tournament, whoever begins the rehearsal first."""
    of_group = Membership.objects.filter(group=tournament.group_id, role__in=Membership.ORGANISING_ROLES)
    others = [tournament.organiser, *tournament.co_organisers.all(), *(one.user for one in of_group)]
    return list(dict.fromkeys([organiser, *others]))


def _build_plan(tournament: Tournament, group: Group, bots: int) -> Plan:
    return replace(
        build_plan(tournament),
        title=_name(tournament),
        description="",
        settings=_shorten(build_plan(tournament).settings, bots),
        is_rated=False,
        is_low_priority=False,
        entries_close_at=None,
        max_entrants=max(bots, 2),
        max_entrants_per_author=1,
        access=Access(group, Visibility.GROUP, EntryRule.GROUP),
    )


def _shorten(settings: Settings, bots: int) -> Settings:
    """Return the settings for a few bots, with one match a pairing and few rounds."""
    short = replace(settings, matches_per_pairing=1, max_tiebreak_matches=min(settings.max_tiebreak_matches, 1))
    short = replace(short, groups=2, advance_per_group=1, knockout_size=2, third_place_match=False)
    if "rounds" in find_format(settings.format).uses:
        short = replace(short, rounds=min(settings.rounds or REHEARSAL_ROUNDS, REHEARSAL_ROUNDS))
    return replace(short, seats=min(settings.seats, bots))


def _name(tournament: Tournament) -> str:
    return f"Rehearsal: {tournament.title}"[:MAX_TITLE_LENGTH]
