"""Decide who sees a tournament, who enters it and who organises it, and record what organisers decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.bots.teams import check_is_public, list_authors_of_bot
from arena.contests.tournaments.models import ORGANISERS_ACTS, OrganiserAct, OrganiserActKind, Tournament
from arena.contests.tournaments.queries import fetch_permitted_authors, visible_to
from arena.contests.tournaments.services.matches import lock_tournament
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.core.wake import Work, wake
from arena.matches.models import Match, Participant
from arena.matches.services import release_matches
from arena.people.accounts.limits import count_join_code, forgive_attempt
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership, new_code, read_code
from arena.people.groups.services import is_group_organiser, list_organised_groups
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user, renew_notice
from engine.message import Message, gettext_noop, message

# Decide who sees a tournament and whose bots may enter it: the one place that forms, the API and commands ask.

Visibility = Tournament.Visibility
EntryRule = Tournament.EntryRule
MAX_PERMITTED_AUTHORS = 500
MAX_UNKNOWN_NAMES_SHOWN = 10


class BadAccess(ArenaError):
    """A plan in which these who may see and who may enter don't fit."""


class NotPermitted(ArenaError):
    """The author may not enter bots here. The message says why."""

    status = 403


@dataclass(frozen=True, slots=True)
class Access:
    """Who sees a tournament, and whose bots may enter it."""

    group: Group | None = None
    visibility: str = Visibility.PUBLIC
    entry_rule: str = EntryRule.ANYONE
    permitted_authors: tuple[str, ...] = ()
    """Usernames of those on the list; not used by other rules."""
    are_entries_moderated: bool = False

    def check(self, organiser: User, kept: Group | None = None) -> None:
        """Raise BadAccess for choices that contradict each other, NotYours for a group of others that wasn't kept."""
        if self.group is not None and self.group != kept and not is_group_organiser(self.group, organiser):
            raise NotYours(message(gettext_noop("Only the group's owners and co-organisers can do that.")))
        needs_group = Visibility.GROUP == self.visibility or EntryRule.GROUP == self.entry_rule
        if needs_group and self.group is None:
            raise BadAccess(message(gettext_noop("Choose the group whose members can see or enter the tournament.")))
        if self.entry_rule == EntryRule.LIST and not self.permitted_authors:
            raise BadAccess(message(gettext_noop("The list of authors who can enter is empty.")))


def build_access(tournament: Tournament) -> Access:
    """Return the access of a tournament as it is now."""
    has_list = tournament.entry_rule == EntryRule.LIST
    return Access(
        group=tournament.group,
        visibility=tournament.visibility,
        entry_rule=tournament.entry_rule,
        permitted_authors=tuple(fetch_permitted_authors(tournament)) if has_list else (),
        are_entries_moderated=tournament.are_entries_moderated,
    )


def set_access(tournament: Tournament, access: Access) -> None:
    """Set the columns of an access that was checked; the tournament is saved by the caller. Raise Conflict.

    Who once could see an opened tournament can't be made to forget it: from then on it can only be published.
    """
    was_opened = tournament.pk is not None and tournament.state != Tournament.State.DRAFT
    group_key = access.group.pk if access.group else None
    is_narrower = access.visibility not in (tournament.visibility, Visibility.PUBLIC)
    if was_opened and (is_narrower or group_key != tournament.group_id):
        problem = gettext_noop(
            "Entries have been opened, so you can't change the group or show the tournament to fewer people. "
            "You can publish it."
        )
        raise Conflict(message(problem))
    tournament.group, tournament.visibility = access.group, access.visibility
    tournament.entry_rule, tournament.are_entries_moderated = access.entry_rule, access.are_entries_moderated
    if access.entry_rule != EntryRule.CODE:
        tournament.entry_code = None
    elif not tournament.entry_code:
        tournament.entry_code = new_code()


def set_permitted_authors(tournament: Tournament, access: Access) -> None:
    """Store the authors of the list; whoever has typed a code stays while the rule is a code. Raise BadAccess."""
    if access.entry_rule == EntryRule.LIST:
        tournament.permitted_authors.set(_find_authors(access.permitted_authors))
    elif access.entry_rule != EntryRule.CODE:
        tournament.permitted_authors.clear()


def _find_authors(names: Sequence[str]) -> list[User]:
    """Return the users of these names. Raise BadAccess with those that nobody has."""
    if len(names) > MAX_PERMITTED_AUTHORS:
        problem = gettext_noop("A list can have at most %(most)s authors.")
        raise BadAccess(message(problem, most=MAX_PERMITTED_AUTHORS))
    found = {user.username: user for user in User.objects.filter(username__in=names, is_active=True)}
    unknown = sorted({name for name in names if name not in found})
    if unknown:
        problem = gettext_noop("No authors have these names: %(names)s.")
        raise BadAccess(message(problem, names=", ".join(unknown[:MAX_UNKNOWN_NAMES_SHOWN])))
    return list(found.values())


def permit_by_code(*, tournament: Tournament, user: User, typed: str, address: str) -> None:
    """Let an author who has typed the code enter bots. Each wrong code is counted. Call it outside a transaction.

    Raise NotPermitted or TooManyActions.
    """
    if tournament.entry_rule != EntryRule.CODE:
        return
    counted = count_join_code(user=user.pk, address=address)
    if not tournament.entry_code or read_code(typed) != tournament.entry_code:
        raise NotPermitted(message(gettext_noop("That isn't the tournament's code. Ask the organiser for it.")))
    forgive_attempt(counted)
    tournament.permitted_authors.add(user)


def is_permitted(tournament: Tournament, author: User) -> bool:
    """Return whether an author may enter bots by the tournament's rule, beside whether it takes entries now."""
    if tournament.audience_id is not None and not _is_member(tournament, author):
        return False
    if tournament.entry_rule == EntryRule.GROUP:
        return _is_member(tournament, author)
    if tournament.entry_rule in (EntryRule.CODE, EntryRule.LIST):
        return tournament.permitted_authors.filter(pk=author.pk).exists()
    return True


def may_practise(tournament: Tournament, user: User) -> bool:
    """Return whether a user may play practice matches by the tournament's rules until it is over.

    Those may who organise it, who have entered a bot, and the members of its group.
    """
    if tournament.is_over or tournament.is_rehearsal:
        return False
    if is_organiser(tournament, user) or tournament.group_id is not None and _is_member(tournament, user):
        return True
    return tournament.entrants.not_out().filter(bot__in=Bot.objects.of_authors([user])).exists()


def check_may_practise(tournament: Tournament, user: User) -> None:
    """Raise Conflict once the tournament is over, NotPermitted for those who may not practise."""
    if tournament.is_over:
        raise Conflict(message(gettext_noop("The tournament is finished, so you can't practise for it.")))
    if not may_practise(tournament, user):
        problem = gettext_noop("Only group members and people who have entered a bot can practise.")
        raise NotPermitted(message(problem))


def check_entry(tournament: Tournament, bot: Bot, *, as_organiser: bool) -> None:
    """Raise NotPermitted or ForGroupOnly where this bot may not enter.

    Organisers may enter all but what the audience can't see. Of several authors one who may enter bots is enough, but
    in a tournament that only a group sees all are its members.
    """
    if bot.group_id is not None and bot.group_id != tournament.audience_id:
        check_is_public(bot)
    if bot.owner.is_house and as_organiser:
        return
    authors = list_authors_of_bot(bot)
    if tournament.audience_id is not None and not all(_is_member(tournament, author) for author in authors):
        raise NotPermitted(message(gettext_noop("Only group members' bots can take part.")))
    if as_organiser or any(is_permitted(tournament, author) for author in authors):
        return
    refusals = {
        EntryRule.GROUP: gettext_noop("Only group members can enter bots."),
        EntryRule.CODE: gettext_noop("Type the tournament code first. The organiser has it."),
        EntryRule.LIST: gettext_noop("Only authors on the organiser's list can enter bots."),
    }
    raise NotPermitted(message(refusals[EntryRule(tournament.entry_rule)]))


def _is_member(tournament: Tournament, author: User) -> bool:
    return Membership.objects.filter(group=tournament.group_id, user=author).exists()


# Leave notices for those who organise a tournament.


def notify_organisers(
    tournament: Tournament, event: Event, text: Message, *, about: str, besides: Sequence[User] = ()
) -> None:
    """Tell who created a tournament and its co-organisers, but for who did it; of a rehearsal nobody is told.

    On the same subject a notice that nobody has seen yet is replaced.
    """
    if tournament.is_rehearsal:
        return
    url = f"{tournament.get_absolute_url()}organise/"
    for user in {tournament.organiser, *tournament.co_organisers.all()}:
        if user not in besides:
            renew_notice(user=user, event=event, about=about, text=text, url=url)


# Record what organisers decide, in lines that are only ever added.

PAIRING_SEPARATOR = " – "
"""Between the names of the bots of a pairing."""


def record_act(
    tournament: Tournament,
    act: OrganiserActKind,
    text: Message,
    *,
    by: User | None,
    reason: str = "",
    round: int | None = None,
) -> OrganiserAct:
    """Add an act to the record of a tournament, within the transaction of the act.

    One about a hidden round, given by its number, becomes public with it.
    """
    return OrganiserAct.objects.create(
        tournament=tournament,
        actor=by,
        act=act,
        text=text,
        reason=reason.strip(),
        is_public=act not in ORGANISERS_ACTS and not is_round_hidden(tournament, round),
    )


# Hide the last rounds of a tournament from all but its organisers.


def note_reader(tournament: Tournament, reader: Any) -> Tournament:
    """Let who organises a tournament see its hidden rounds in this row; others, who may be anonymous, don't."""
    if tournament.is_concealed:
        tournament.shows_all = is_organiser(tournament, reader)
    return tournament


def is_round_hidden(tournament: Tournament, number: int | None) -> bool:
    """Return whether a round is hidden from all but organisers."""
    hidden = tournament.hidden_from_round if tournament.is_concealed else None
    return hidden is not None and number is not None and number >= hidden


def show_hidden_rounds(tournament: Tournament) -> None:
    """Let everybody who sees a tournament see its hidden rounds, their matches and what was decided about them."""
    played = Match.objects.filter(pairing_match__pairing__round__tournament=tournament, is_withheld=True)
    release_matches(list(played.values_list("pk", flat=True)))
    tournament.acts.filter(is_public=False).exclude(act__in=ORGANISERS_ACTS).update(is_public=True)
    tournament.revealed_at = now()
    tournament.save(update_fields=["revealed_at"])


# Decide who organises a tournament: the one place that forms, the API and commands ask.

ORGANISE_PERMISSION = "tournaments.add_tournament"
MAX_CO_ORGANISERS = 20
NOT_AN_ORGANISER = gettext_noop(
    "Your account can't organise tournaments. Ask an administrator of this arena for permission."
)


def check_organiser(tournament: Tournament, user: User) -> Tournament:
    """Lock a tournament for an act of an organiser, after which it goes on, and return it. Raise NotYours."""
    if not is_organiser(tournament, user):
        raise NotYours(message(gettext_noop("Only the tournament's organiser can do that.")))
    wake(Work.TOURNAMENT, tournament.pk)
    return lock_tournament(tournament)


def check_chief_organiser(tournament: Tournament, user: User) -> Tournament:
    """Lock a tournament and return it, for what co-organisers may not do. Raise NotYours."""
    if not is_chief_organiser(tournament, user):
        problem = gettext_noop("Only the tournament's creator or an organiser of its group can do that.")
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
        raise ArenaError(message(gettext_noop("No user called %(name)s."), name=username.strip()))
    if is_organiser(tournament, user):
        raise Conflict(message(gettext_noop("%(name)s is already an organiser."), name=user.username))
    if tournament.audience_id is not None and not _is_member(tournament, user):
        problem = gettext_noop("Only group members can see the tournament, and %(name)s isn't one.")
        raise Conflict(message(problem, name=user.username))
    if tournament.co_organisers.count() >= MAX_CO_ORGANISERS:
        problem = gettext_noop("A tournament can have at most %(most)s co-organisers.")
        raise Conflict(message(problem, most=MAX_CO_ORGANISERS))
    tournament.co_organisers.add(user)
    text = message(gettext_noop("%(name)s added as co-organiser"), name=user.username)
    record_act(tournament, OrganiserActKind.ADD_ORGANISER, text, by=organiser)
    notify_user(
        user=user,
        event=Event.TOURNAMENT_REMINDER,
        text=message(gettext_noop("You're now a co-organiser of %(tournament)s."), tournament=tournament.title),
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
        problem = gettext_noop("%(name)s isn't a co-organiser.")
        raise ArenaError(message(problem, name=username))
    tournament.co_organisers.remove(user)
    text = message(gettext_noop("%(name)s removed as co-organiser"), name=user.username)
    record_act(tournament, OrganiserActKind.REMOVE_ORGANISER, text, by=organiser)
    return user


def _is_co_organiser(tournament: Tournament, user: Any) -> bool:
    """Return whether a user is a co-organiser, and of a tournament for a group still a member of it."""
    if not user.is_authenticated or not tournament.co_organisers.filter(pk=user.pk).exists():
        return False
    return tournament.audience_id is None or _is_member(tournament, user)


# Links by which a program downloads an archive: they are signed for a reader, and end soon.

LINK_LIFETIME = timedelta(minutes=10)
ARCHIVE_LINK_SALT = "arena.tournaments.archive"


class NoArchive(ArenaError):
    """There is no archive of the tournament yet."""

    status = 404


def check_archivable(tournament: Tournament) -> None:
    """Raise NoArchive unless the tournament has been played and is over: what is held back then stays so."""
    if not tournament.is_over or not tournament.has_started:
        problem = gettext_noop("You can download the archive once the tournament is finished.")
        raise NoArchive(message(problem))
    if tournament.is_concealed:
        problem = gettext_noop("You can download the archive once the last rounds are revealed.")
        raise NoArchive(message(problem))


def sign_archive_link(*, tournament: Tournament, reader: User | AnonymousUser) -> tuple[str, datetime]:
    """Return the path of the archive with a key for this reader, and until when it works. Raise NoArchive."""
    check_archivable(tournament)
    key = signing.dumps([tournament.pk, reader.pk], salt=ARCHIVE_LINK_SALT)
    return f"{tournament.get_absolute_url()}archive.zip?key={key}", now() + LINK_LIFETIME


def find_tournament_by_key(slug: str, key: str) -> Tournament | None:
    """Return the tournament that a key opens, if its reader may see it still; None for a key that ended or is wrong."""
    try:
        tournament, reader = signing.loads(key, salt=ARCHIVE_LINK_SALT, max_age=LINK_LIFETIME)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=reader, is_active=True).first() if reader is not None else AnonymousUser()
    if user is None:
        return None
    found = visible_to(user).select_related("organiser", "group")
    return found.filter(pk=tournament, slug=slug).first()


# Show the matches of a tournament that was for a group to everybody.

MAX_NAMES_SHOWN = 5


def check_publishable(tournament: Tournament) -> None:
    """Raise Conflict while a bot for a group only is in it: its author decides whether it is shown to everybody."""
    names = list(tournament.entrants.filter(bot__group__isnull=False).values_list("bot__name", flat=True))
    if names:
        problem = gettext_noop("Some bots are for the group only. Their authors must publish them first: %(names)s.")
        shown = names[:MAX_NAMES_SHOWN]
        hidden = len(names) - len(shown)
        listed = ", ".join([*shown, f"+ {hidden}"] if hidden else shown)
        raise Conflict(message(problem, names=listed))


def publish_matches(tournament: Tournament) -> None:
    """Let everybody see the matches and checks of a tournament, in which all bots are public."""
    played = Q(pairing_match__pairing__round__tournament=tournament) | Q(
        tournament_check__entrant__tournament=tournament
    )
    keys = list(Match.objects.filter(played).values_list("pk", flat=True))
    Match.objects.filter(pk__in=keys).update(group=None)
    Participant.objects.filter(match__in=keys, match__is_withheld=False).update(is_hidden=False)
