"""Stop, rename, forget and expire across all apps, each app's part in order."""

import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.bots import lifecycle as bots
from arena.bots.models import Bot, BotVersion
from arena.bots.services import check_bot_name, find_slug_for_bot
from arena.bots.teams import leave_all_teams
from arena.contests import lifecycle as contests
from arena.contests.ladders.services.entering import STOPPED_WITH_AUTHOR_REASON
from arena.core.database import Expired, Removal, remove_expired
from arena.core.errors import Conflict
from arena.matches import lifecycle as matches
from arena.matches.models import Match, MatchQuerySet
from arena.matches.services import cancel_matches, list_open_matches_of_author, list_open_matches_of_versions
from arena.people import lifecycle as people
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import leave_all_groups
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.message import Message, gettext_noop, message

# Stop a bot, all bots of an author or some versions everywhere at once, and let them play again.

SUSPENDED_TEXT = message(
    gettext_noop("The arena's staff suspended your account. Your bots don't play, and you can't upload.")
)
REINSTATED_TEXT = message(
    gettext_noop("The arena's staff reinstated your account. Your bots play again, and you can upload.")
)


@dataclass(frozen=True, slots=True)
class Stopped:
    """The numbers of what stopped everywhere with a bot, an author's bots or some versions."""

    withdrawals: contests.Withdrawals
    entries: int
    """On ladders."""
    matches: int
    """Cancelled ones."""
    live_games: int
    comparisons: int = 0


@transaction.atomic
def stop_bot(*, bot: Bot, by_staff: bool) -> Stopped:
    """Stop a bot on ladders, in tournaments, comparisons, challenges and live games. Raises Conflict.

    Tournaments and ladders are locked first, so that nothing is paired meanwhile. Matches that staff stops are
    cancelled; those of a bot that its owner retires are played to their end. Nobody waits for a remote bot that is
    retired: only those of its matches that have begun are played.
    """
    bot = bots.mark_stopped(bot=bot, by_staff=by_staff)
    reason = bots.STOPPED_BY_STAFF_REASON if by_staff else bots.RETIRED_REASON
    versions = list(BotVersion.objects.filter(bot=bot).values_list("pk", flat=True))
    entrants = contests.list_playing_entrants().filter(bot=bot)
    withdrawals = contests.withdraw_entrants(entrants=entrants, reason=reason, may_return=True)
    comparisons = contests.stop_comparisons_of_versions(versions=versions, reason=reason)
    entries = contests.stop_entries(entries=contests.list_playing_entries().filter(version__bot=bot), reason=reason)
    found = list_open_matches_of_versions(versions)
    if not by_staff:
        found = found.filter(state=Match.State.QUEUED, table=None) if bot.is_remote else found.none()
    return Stopped(withdrawals, entries, _cancel(found, reason), matches.end_games_of_stopped_bots(), comparisons)


@transaction.atomic
def release_bot(*, bot: Bot, by_staff: bool) -> tuple[int, int]:
    """Let a bot play again; return the number of its entries on ladders and in tournaments. Raises Conflict.

    Tournaments that have started meanwhile go on without it.
    """
    bot = bots.mark_playing(bot=bot, by_staff=by_staff)
    if bot.owner.suspended_at is not None:
        return 0, 0
    entries = contests.restart_entries(entries=contests.list_stopped_entries(bot.owner).filter(version__bot=bot))
    return entries, contests.readmit_entrants(entrants=contests.list_readmittable(bot.owner).filter(bot=bot))


@transaction.atomic
def suspend_author(*, user: User, ban: bool) -> tuple[Stopped, int]:
    """Suspend an author and stop all bots as `stop_bot` does; return what stopped, and how many sessions ended.

    Comparisons pair nothing meanwhile. Raises Conflict.
    """
    was_suspended = user.suspended_at is not None
    sessions = people.suspend_account(user=user, ban=ban)
    reason = STOPPED_WITH_AUTHOR_REASON
    entrants = contests.list_playing_entrants().filter(bot__owner=user)
    withdrawals = contests.withdraw_entrants(entrants=entrants, reason=reason, may_return=True)
    playing = contests.list_playing_entries().filter(version__bot__owner=user)
    entries = contests.stop_entries(entries=playing, reason=reason)
    cancelled = _cancel(list_open_matches_of_author(user.pk), reason)
    games = matches.end_games_of_stopped_bots()
    if not was_suspended:
        notify_user(user=user, event=Event.ACCOUNT_SUSPENDED, text=SUSPENDED_TEXT)
    return Stopped(withdrawals, entries, cancelled, games), sessions


@transaction.atomic
def reinstate_author(*, user: User) -> tuple[int, int]:
    """Take a suspension back; return how many entries play again on ladders and in tournaments. Raises Conflict."""
    people.reinstate_account(user=user)
    entrants = contests.readmit_entrants(entrants=contests.list_readmittable(user))
    entries = contests.restart_entries(entries=contests.list_stopped_entries(user))
    notify_user(user=user, event=Event.ACCOUNT_REINSTATED, text=REINSTATED_TEXT)
    return entries, entrants


@transaction.atomic
def remove_files_everywhere(
    *, versions: Collection[int], reason: Message = bots.FILES_REMOVED_REASON
) -> tuple[bots.RemovedFiles, Stopped]:
    """Remove the files of versions for good, which leave ladders, comparisons and tournaments at once."""
    removed = bots.remove_files(versions=versions, reason=reason)
    entrants = contests.list_playing_entrants().filter(version__in=versions)
    withdrawals = contests.withdraw_entrants(entrants=entrants, reason=reason, may_return=False)
    comparisons = contests.stop_comparisons_of_versions(versions=versions, reason=reason)
    entries = contests.retire_versions(versions=versions, reason=reason)
    cancelled = _cancel(list_open_matches_of_versions(versions), reason)
    return removed, Stopped(withdrawals, entries, cancelled, matches.end_games_of_stopped_bots(), comparisons)


def _cancel(found: MatchQuerySet, reason: Message) -> int:
    return len(cancel_matches(matches=list(found.values_list("pk", flat=True)), reason=reason))


# Give a bot another name everywhere.


def check_free_name(bot: Bot, name: str) -> tuple[str, str]:
    """Return the name as it will be stored, and a slug for it. Raises BadName, or Conflict where another bot has it."""
    name = check_bot_name(name, bot.owner)
    if bot.owner.is_house:
        problem = gettext_noop("%(name)s belongs to the arena, which would restore it.")
        raise Conflict(message(problem, name=bot.name))
    if name == bot.name:
        raise Conflict(message(gettext_noop("It's already called %(name)s."), name=name))
    return name, find_slug_for_bot(name, bot)


@transaction.atomic
def rename_bot_everywhere(*, bot: Bot, name: str, in_records: bool, new_address: bool = False) -> None:
    """Give a bot another name. Raises as `check_free_name`.

    With `in_records` the old name also goes from the records of all its matches, whose hashes leave names out. The
    address stays unless a new one is asked for.
    """
    bot = Bot.objects.select_for_update(of=("self",)).select_related("owner").get(pk=bot.pk)
    name, slug = check_free_name(bot, name)
    replace_bot_name(bot=bot, name=name, slug=slug if new_address else bot.slug, in_records=in_records)


def replace_bot_name(*, bot: Bot, name: str, slug: str, in_records: bool) -> None:
    """Put another name in the place of the old one, wherever it is stored."""
    old_name, old_slug = bot.name, bot.slug
    bots.rename_bot(bot=bot, name=name, slug=slug)
    matches.rename_bot_in_live_games(bot=bot, name=name)
    contests.rename_in_forecasts(slug=old_slug, new_slug=slug)
    contests.rename_in_acts(bot=bot, old_name=old_name)
    if in_records:
        bots.forget_style(bot=bot)
        matches.rename_in_records(bot=bot, name=name)
        contests.forget_name_of_bot(bot=bot)
        people.forget_name_in_notices(about=f"bot {bot.pk}", name=old_name, pseudonym=name)


# Take from the arena what tells who an author was; bots and results stay, under a pseudonym.

BOT_PSEUDONYM_PREFIX = "bot-"


@transaction.atomic
def anonymise_user(*, user: User, rename_bots: bool = False) -> str:
    """Give a user a pseudonym, remove what only this person needs, and return the pseudonym.

    Bots that have other authors are led by who has worked on them longest. The others stay with their versions, results
    and records; with `rename_bots` they get pseudonyms, too, in the records
    as well. Raises Conflict for staff and the house.
    """
    name = user.username
    pseudonym = people.anonymise_account(user=user)
    matches.rename_person_in_live_games(user=user, name=pseudonym)
    bots.forget_tokens_and_uploads(user=user)
    groups = list(Group.objects.filter(memberships__user=user))
    leave_all_groups(user=user)
    leave_all_teams(user=user)
    for group in groups:
        contests.take_off_strangers_of_group(group=group)
    people.delete_notices_and_webhooks(user=user)
    contests.forget_author(user=user)
    people.forget_name_in_audit_log(user=user, pseudonym=pseudonym)
    people.forget_name_in_notices(about=f"user {user.pk}", name=name, pseudonym=pseudonym)
    contests.forget_name_in_acts(user=user, name=name, pseudonym=pseudonym)
    if rename_bots:
        for bot in Bot.objects.of(user):
            _rename_to_pseudonym(bot)
    return pseudonym


def _rename_to_pseudonym(bot: Bot) -> None:
    contests.forget_bot(bot=bot)
    pseudonym = _find_free_bot_name()
    replace_bot_name(bot=bot, name=pseudonym, slug=pseudonym, in_records=True)


def _find_free_bot_name() -> str:
    while True:
        name = BOT_PSEUDONYM_PREFIX + secrets.token_hex(3)
        if not Bot.objects.filter(slug=name).exists():
            return name


# Remove all that is not needed any more. Records of rated matches and of tournaments stay for good.


def clean_up(*, is_dry_run: bool = False) -> Iterator[Removal]:
    """Remove each kind in turn, or count it alone, and yield what that was."""
    for expired in _list_expired():
        yield remove_expired(expired, is_dry_run=is_dry_run)


def _list_expired() -> Iterator[Expired]:
    at = now()
    yield from matches.list_expired_records(before=at - timedelta(days=settings.UNRATED_RECORD_RETENTION_DAYS))
    yield from contests.list_expired_analyses()
    yield from matches.list_expired_logs(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from matches.list_expired_live_games(logs_before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from people.list_expired_deliveries(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from people.list_expired_notices(before=at - timedelta(days=settings.NOTICE_RETENTION_DAYS))
    yield from contests.list_expired_news(notices_before=at - timedelta(days=settings.NOTICE_RETENTION_DAYS))
    yield from contests.list_expired_answers(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from people.list_expired_sessions()
    yield from people.list_expired_actions()
    yield from matches.list_expired_workers()
    yield from bots.list_declined_invitations()
    yield from bots.list_orphan_files()
