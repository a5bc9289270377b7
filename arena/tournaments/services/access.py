"""Decide who sees a tournament and whose bots may enter it: the one place that forms, the API and commands ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.accounts.limits import count_join_code, forgive_attempt
from arena.accounts.models import User
from arena.bots.group_only import check_is_public
from arena.bots.models import Bot
from arena.bots.queries.teams import list_authors_of_bot
from arena.errors import ArenaError, Conflict, NotYours
from arena.groups.codes import new_code, read_code
from arena.groups.models import Group, Membership
from arena.groups.queries.groups import is_group_organiser
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import fetch_permitted_authors
from engine.message import gettext_noop, message

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
    """User names of those on the list; not used by other rules."""
    are_entries_moderated: bool = False

    def check(self, organiser: User, kept: Group | None = None) -> None:
        """Raise BadAccess for choices that contradict each other, NotYours for a group of others that wasn't kept."""
        if self.group is not None and self.group != kept and not is_group_organiser(self.group, organiser):
            raise NotYours(message(gettext_noop("Only owners and co-organisers of the group may do that.")))
        needs_group = Visibility.GROUP == self.visibility or EntryRule.GROUP == self.entry_rule
        if needs_group and self.group is None:
            raise BadAccess(message(gettext_noop("Choose the group whose members see the tournament or may enter.")))
        if self.entry_rule == EntryRule.LIST and not self.permitted_authors:
            raise BadAccess(message(gettext_noop("The list of authors who may enter is empty.")))


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
            "The tournament has been opened, so who sees it can't be narrowed and its group stays. It can be published."
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
        problem = gettext_noop("A list has at most %(most)s authors.")
        raise BadAccess(message(problem, most=MAX_PERMITTED_AUTHORS))
    found = {user.username: user for user in User.objects.filter(username__in=names, is_active=True)}
    unknown = sorted({name for name in names if name not in found})
    if unknown:
        problem = gettext_noop("There are no authors called: %(names)s.")
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
        raise NotPermitted(message(gettext_noop("This is not the code of the tournament: ask its organiser for it.")))
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
        raise NotPermitted(message(gettext_noop("Only bots of members of its group can take part.")))
    if as_organiser or any(is_permitted(tournament, author) for author in authors):
        return
    refusals = {
        EntryRule.GROUP: gettext_noop("Only members of its group may enter bots."),
        EntryRule.CODE: gettext_noop("Type the code of the tournament first: its organiser has it."),
        EntryRule.LIST: gettext_noop("Only authors whom its organiser has put on a list may enter bots."),
    }
    raise NotPermitted(message(refusals[EntryRule(tournament.entry_rule)]))


def _is_member(tournament: Tournament, author: User) -> bool:
    return Membership.objects.filter(group=tournament.group_id, user=author).exists()
