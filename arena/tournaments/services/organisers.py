"""Decide who organises a tournament: the one place that forms, the API and commands ask."""

from typing import Any

from django.db import transaction

from arena.accounts.models import User
from arena.errors import ArenaError, Conflict, NotYours
from arena.groups.models import Membership
from arena.groups.queries.groups import is_group_organiser, list_organised_groups
from arena.notices.models import Event
from arena.notices.services import notify_user
from arena.tournaments.acts import Act
from arena.tournaments.models import Tournament
from arena.tournaments.services.recording import record_act
from arena.tournaments.services.rows import lock_tournament
from engine.message import gettext_noop, message

ORGANISE_PERMISSION = "tournaments.add_tournament"
MAX_CO_ORGANISERS = 20
NOT_AN_ORGANISER = gettext_noop(
    "Your account may not organise tournaments. An administrator of this arena can permit it."
)


def check_organiser(tournament: Tournament, user: User) -> Tournament:
    """Lock a tournament and return it. Raise NotYours."""
    if not is_organiser(tournament, user):
        raise NotYours(message(gettext_noop("Only the organiser of the tournament may do that.")))
    return lock_tournament(tournament)


def check_chief_organiser(tournament: Tournament, user: User) -> Tournament:
    """Lock a tournament and return it, for what co-organisers may not do. Raise NotYours."""
    if not is_chief_organiser(tournament, user):
        problem = gettext_noop("Only the organiser who created the tournament, or one of its group, may do that.")
        raise NotYours(message(problem))
    return lock_tournament(tournament)


def is_organiser(tournament: Tournament, user: Any) -> bool:
    """Return whether a user, who may be anonymous, may organise a tournament, also as a co-organiser."""
    return is_chief_organiser(tournament, user) or _is_co_organiser(tournament, user)


def is_chief_organiser(tournament: Tournament, user: Any) -> bool:
    """Return whether a user, who may be anonymous, created a tournament or organises its group."""
    if not user.is_authenticated:
        return False
    is_own = tournament.organiser_id == user.pk or bool(user.is_superuser)
    return is_own or is_group_organiser(tournament.group_id, user)


def may_organise(user: Any) -> bool:
    """Return whether a user, who may be anonymous, may create tournaments: by permission, or for a group."""
    if not user.is_authenticated:
        return False
    return bool(user.has_perm(ORGANISE_PERMISSION)) or list_organised_groups(user).exists()


@transaction.atomic
def add_co_organiser(*, tournament: Tournament, organiser: User, username: str) -> User:
    """Let another user organise a tournament, too, and tell the user. Raise NotYours, Conflict or ArenaError."""
    tournament = check_chief_organiser(tournament, organiser)
    user = User.objects.filter(username=username.strip(), is_active=True, is_house=False).first()
    if user is None:
        raise ArenaError(message(gettext_noop("There is nobody called %(name)s."), name=username.strip()))
    if is_organiser(tournament, user):
        raise Conflict(message(gettext_noop("%(name)s organises the tournament already."), name=user.username))
    if tournament.audience_id is not None and not _is_member(tournament, user):
        problem = gettext_noop("Only members of the group see the tournament, and %(name)s isn't one.")
        raise Conflict(message(problem, name=user.username))
    if tournament.co_organisers.count() >= MAX_CO_ORGANISERS:
        problem = gettext_noop("A tournament has at most %(most)s co-organisers.")
        raise Conflict(message(problem, most=MAX_CO_ORGANISERS))
    tournament.co_organisers.add(user)
    text = message(gettext_noop("%(name)s organises it, too"), name=user.username)
    record_act(tournament, Act.ADD_ORGANISER, text, by=organiser)
    notify_user(
        user=user,
        event=Event.TOURNAMENT_REMINDER,
        text=message(gettext_noop("You organise %(tournament)s, too."), tournament=tournament.title),
        url=f"{tournament.get_absolute_url()}organise/",
    )
    return user


@transaction.atomic
def remove_co_organiser(*, tournament: Tournament, organiser: User, username: str) -> User:
    """End that a user organises a tournament; co-organisers may take themselves out. Raise NotYours or ArenaError."""
    check = check_organiser if organiser.username == username else check_chief_organiser
    tournament = check(tournament, organiser)
    user = tournament.co_organisers.filter(username=username).first()
    if user is None:
        problem = gettext_noop("%(name)s isn't a co-organiser of the tournament.")
        raise ArenaError(message(problem, name=username))
    tournament.co_organisers.remove(user)
    text = message(gettext_noop("%(name)s organises it no more"), name=user.username)
    record_act(tournament, Act.REMOVE_ORGANISER, text, by=organiser)
    return user


def _is_co_organiser(tournament: Tournament, user: Any) -> bool:
    """Return whether a user is a co-organiser, and of a tournament for a group still a member of it."""
    if not user.is_authenticated or not tournament.co_organisers.filter(pk=user.pk).exists():
        return False
    return tournament.audience_id is None or _is_member(tournament, user)


def _is_member(tournament: Tournament, user: User) -> bool:
    return Membership.objects.filter(group=tournament.group_id, user=user).exists()
