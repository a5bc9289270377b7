"""Stop, rename, forget and expire across all apps, each app's part in order."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion, Submission
from arena.bots.services import (
    RETIRED_REASON,
    STOPPED_BY_STAFF_REASON,
    check_bot_name,
    list_declined_invitations,
    list_orphan_files,
    mark_playing,
    mark_stopped,
    rename_bot,
)
from arena.bots.teams import delete_tokens, leave_all_teams
from arena.contests.analysis.services import forget_who_requested, list_expired_analyses
from arena.contests.comparisons.services import stop_comparisons_of_versions
from arena.contests.following.services import forget_author, forget_bot, forget_name_of_bot, list_expired_news
from arena.contests.ladders.services.entering import restart_entries_of_bot, stop_entries_of_bot
from arena.contests.ladders.services.seasons import take_off_strangers_of_group
from arena.contests.tournaments.lifecycle import (
    Withdrawals,
    forget_name_in_acts,
    readmit_bot,
    rename_in_acts,
    rename_in_forecasts,
    withdraw_bot,
)
from arena.core.database import Expired, Removal, remove_expired
from arena.core.errors import Conflict
from arena.matches.lifecycle import (
    end_games_of_stopped_bots,
    list_expired_live_games,
    list_expired_logs,
    list_expired_records,
    list_expired_workers,
    rename_bot_in_live_games,
    rename_in_records,
    rename_person_in_live_games,
)
from arena.matches.services import cancel_matches, list_open_matches_of_versions
from arena.people.accounts.models import User
from arena.people.accounts.services import anonymise_account
from arena.people.groups.models import Group
from arena.people.groups.services import leave_all_groups
from arena.people.lifecycle import (
    delete_notices_and_webhooks,
    forget_name_in_audit_log,
    forget_name_in_notices,
    list_expired_actions,
    list_expired_deliveries,
    list_expired_notices,
    list_expired_sessions,
)
from engine.message import gettext_noop, message

# Stop a bot everywhere at once, and let it play again.


@dataclass(frozen=True, slots=True)
class Stopped:
    """The numbers of entries, matches and games that stopped with a bot."""

    entries: int
    """On ladders."""
    withdrawals: Withdrawals
    comparisons: int
    matches: int
    """Cancelled ones."""
    live_games: int


@transaction.atomic
def stop_bot(*, bot: Bot, by_staff: bool) -> Stopped:
    """Stop a bot on ladders, in tournaments, comparisons, challenges and live games. Raises Conflict.

    Tournaments and ladders are locked first, so that nothing is paired meanwhile. Matches that staff stops are
    cancelled; those of a bot that its owner retires are played to their end.
    """
    bot = mark_stopped(bot=bot, by_staff=by_staff)
    reason = STOPPED_BY_STAFF_REASON if by_staff else RETIRED_REASON
    versions = list(BotVersion.objects.filter(bot=bot).values_list("pk", flat=True))
    withdrawals = withdraw_bot(bot=bot, reason=reason)
    comparisons = stop_comparisons_of_versions(versions=versions, reason=reason)
    entries = stop_entries_of_bot(bot=bot, reason=reason)
    waiting = list(list_open_matches_of_versions(versions).values_list("pk", flat=True)) if by_staff else []
    cancelled = cancel_matches(matches=waiting, reason=reason)
    return Stopped(entries, withdrawals, comparisons, len(cancelled), end_games_of_stopped_bots())


@transaction.atomic
def release_bot(*, bot: Bot, by_staff: bool) -> tuple[int, int]:
    """Let a bot play again; return the number of its entries on ladders and in tournaments. Raises Conflict.

    Tournaments that have started meanwhile go on without it.
    """
    bot = mark_playing(bot=bot, by_staff=by_staff)
    if bot.owner.suspended_at is not None:
        return 0, 0
    return restart_entries_of_bot(bot=bot), readmit_bot(bot=bot)


# Give a bot another name everywhere.


def check_free_name(bot: Bot, name: str) -> tuple[str, str]:
    """Return the name as it will be stored, and its slug. Raises BadName, or Conflict where another bot has it."""
    name, slug = check_bot_name(name, bot.owner)
    if bot.owner.is_house:
        problem = gettext_noop("%(name)s belongs to the arena, which would store it again.")
        raise Conflict(message(problem, name=bot.name))
    if name == bot.name:
        raise Conflict(message(gettext_noop("It is called %(name)s already."), name=name))
    if Bot.objects.filter(slug=slug).exclude(pk=bot.pk).exists():
        problem = gettext_noop("There is a bot called %(name)s already: choose another name.")
        raise Conflict(message(problem, name=name))
    return name, slug


@transaction.atomic
def rename_bot_everywhere(*, bot: Bot, name: str, in_records: bool) -> None:
    """Give a bot another name and address. Raises as `check_free_name`.

    With `in_records` the old name also goes from the records of all its matches, whose hashes leave names out.
    """
    bot = Bot.objects.select_for_update(of=("self",)).select_related("owner").get(pk=bot.pk)
    name, slug = check_free_name(bot, name)
    replace_bot_name(bot=bot, name=name, slug=slug, in_records=in_records)


def replace_bot_name(*, bot: Bot, name: str, slug: str, in_records: bool) -> None:
    """Put another name in the place of the old one, wherever it is stored."""
    old_name, old_slug = bot.name, bot.slug
    rename_bot(bot=bot, name=name, slug=slug)
    rename_bot_in_live_games(bot=bot, name=name)
    rename_in_forecasts(slug=old_slug, new_slug=slug)
    rename_in_acts(bot=bot, old_name=old_name)
    if in_records:
        rename_in_records(bot=bot, name=name)
        forget_name_of_bot(bot=bot)
        forget_name_in_notices(about=f"bot {bot.pk}", name=old_name, pseudonym=name)


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
    pseudonym = anonymise_account(user=user)
    rename_person_in_live_games(user=user, name=pseudonym)
    forget_who_requested(user=user)
    delete_tokens(owner=user)
    Submission.objects.filter(owner=user).delete()
    groups = list(Group.objects.filter(memberships__user=user))
    leave_all_groups(user=user)
    leave_all_teams(user=user)
    for group in groups:
        take_off_strangers_of_group(group=group)
    delete_notices_and_webhooks(user=user)
    forget_author(user=user)
    forget_name_in_audit_log(user=user, pseudonym=pseudonym)
    forget_name_in_notices(about=f"user {user.pk}", name=name, pseudonym=pseudonym)
    forget_name_in_acts(user=user, name=name, pseudonym=pseudonym)
    if rename_bots:
        for bot in Bot.objects.of(user):
            _rename_to_pseudonym(bot)
    return pseudonym


def _rename_to_pseudonym(bot: Bot) -> None:
    forget_bot(bot=bot)
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
    yield from list_expired_records(before=at - timedelta(days=settings.UNRATED_RECORD_RETENTION_DAYS))
    yield from list_expired_analyses()
    yield from list_expired_logs(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from list_expired_live_games(logs_before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from list_expired_deliveries(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from list_expired_notices(before=at - timedelta(days=settings.NOTICE_RETENTION_DAYS))
    yield from list_expired_news(notices_before=at - timedelta(days=settings.NOTICE_RETENTION_DAYS))
    yield from list_expired_sessions()
    yield from list_expired_actions()
    yield from list_expired_workers()
    yield from list_declined_invitations()
    yield from list_orphan_files()
