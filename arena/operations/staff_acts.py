"""Acts of staff: each is declared once, for pages, the admin, its command and the audit log."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy

from arena.bots.lifecycle import check_stoppable, check_stopped
from arena.bots.models import Bot, BotVersion
from arena.bots.queries import fetch_names_of_others
from arena.bots.services import (
    check_closable,
    check_closed,
    close_uploads,
    open_uploads,
    release_held_back_versions,
)
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import (
    check_pausable,
    check_paused,
    pause_ladder,
    resume_ladder,
)
from arena.contests.ladders.services.ledger import MAX_MATCHES_PER_TRANSACTION, append_finished_matches, revoke_matches
from arena.contests.ladders.services.pairing import check_rematch, queue_rematch
from arena.contests.lifecycle import (
    Withdrawals,
    list_playing_entrants,
    list_playing_entries,
    list_readmittable,
    list_stopped_entries,
)
from arena.contests.tournaments.services.playing import (
    advance_tournament,
    check_replay,
    find_pairing_match,
    find_replacement,
    replay_match,
)
from arena.core.errors import ArenaError, Conflict
from arena.matches.lesson import check_end, check_running, end_lesson, parse_end, start_lesson
from arena.matches.models import Match, WorkerStatus
from arena.matches.services import (
    OPEN_STATES,
    cancel_matches,
    list_open_matches_of_author,
    list_open_matches_of_versions,
)
from arena.matches.slots import Purpose, find_purposes
from arena.matches.workers import check_drainable, check_drained, drain_worker, list_matches_of_worker, resume_worker
from arena.operations.lifecycle import (
    check_free_name,
    reinstate_author,
    release_bot,
    remove_files_everywhere,
    rename_bot_everywhere,
    stop_bot,
    suspend_author,
)
from arena.people.accounts.models import User
from arena.people.accounts.names import fetch_other_usernames, find_lookalikes
from arena.people.audit.models import Actor, AuditedAct, record_act
from arena.people.lifecycle import check_suspendable, check_suspended
from arena.people.notices.models import Event
from arena.people.notices.services import notify_staff
from engine.message import gettext_noop, message

# Define what all acts of staff have in common.

MAX_SUBJECT_LENGTH = 200


class Parameter:
    """A parameter of an act: its name and options on the command line, as argparse takes them."""

    def __init__(self, name: str, **options: Any) -> None:
        self.name, self.options = name, options
        self.key = name.lstrip("-").replace("-", "_")


class StaffAct(ABC):
    """An act of staff on one subject. Nothing has changed before `carry_out`."""

    kind: AuditedAct
    help: str
    """What its command does; of an act that is an option of another's command, what the option does."""
    action: str = ""
    """Its name in the admin; empty where it isn't offered there."""
    title: str | Promise = ""
    """Its name on the page of a bot; empty where it isn't offered there."""
    parameters: tuple[Parameter, ...] = ()
    """What it takes besides its subject."""
    left: str | Promise = ""
    """What it leaves as it is, with the command for each; empty where nothing is."""
    about: str
    """Kind and key of the subject, such as `user 12`; empty for the whole site."""
    subject: str
    """Name of the subject."""

    @classmethod
    def verb(cls) -> str:
        """Return the act's name in the admin and as an option: the verb of its kind."""
        return cls.kind.partition(".")[2]

    @abstractmethod
    def describe(self) -> str:
        """Return what the act will do. Raises ArenaError where it can't be done."""

    @abstractmethod
    def perform(self) -> str:
        """Do it within a transaction, and return what was done. Raises ArenaError."""


@transaction.atomic
def carry_out(act: StaffAct, *, by: Actor, why: str) -> str:
    """Do an act of staff together with its line in the audit log, and return what was done. Raises ArenaError."""
    if not why.strip():
        raise ArenaError(message(gettext_noop("Give a reason for the audit log.")))
    outcome = act.perform()
    subject = act.subject[:MAX_SUBJECT_LENGTH]
    record_act(by=by, act=act.kind, about=act.about, subject=subject, why=why.strip(), outcome=outcome)
    return outcome


def count(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 match", "2 matches"."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


# Suspend, ban and reinstate authors.


class AuthorAct(StaffAct):
    """An act on an author."""

    def __init__(self, user: User) -> None:
        """Keep the author."""
        self.user = user
        self.about, self.subject = f"user {user.pk}", user.username


class SuspendAuthor(AuthorAct):
    """Stop all bots of an author at once, and let the author only read."""

    kind = AuditedAct.SUSPEND_AUTHOR
    help = (
        "Suspend an author: all their bots stop immediately, and they can only read. With --ban, they can't sign "
        "in either."
    )
    action, title = "Suspend: stop all bots immediately", gettext_lazy("Suspend the author")
    left = gettext_lazy(
        "The bots keep their names and files, and the account keeps its name and personal data. To remove "
        "these, use rename_bot, remove_bot_files and anonymise_user."
    )
    is_ban = False
    access = "but can still sign in and read"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_suspendable(self.user, ban=self.is_ban)
        entries = list_playing_entries().filter(version__bot__owner=self.user).count()
        entrants = list_playing_entrants().filter(bot__owner=self.user).count()
        matches = list_open_matches_of_author(self.user.pk).count()
        return (
            f"All bots of {self.subject} stop immediately: {count(entries, 'entry', 'entries')} on ladders, "
            f"{count(entrants, 'entry', 'entries')} in tournaments, {count(matches, 'match', 'matches')} queued or "
            f"running. Their live games end without a result. {self.subject} can't upload or enter bots, "
            f"{self.access}. reinstate_author undoes this, except in tournaments that have started."
        )

    def perform(self) -> str:
        """Suspend the author. Raises Conflict."""
        stopped, sessions = suspend_author(user=self.user, ban=self.is_ban)
        parts = [
            f"{count(stopped.entries, 'entry', 'entries')} on ladders stopped",
            describe_withdrawals(stopped.withdrawals),
            f"{count(stopped.matches, 'other match', 'other matches')} cancelled",
            f"{count(stopped.live_games, 'live game')} ended",
            *([f"{count(sessions, 'session')} ended"] if self.is_ban else []),
        ]
        return "; ".join(parts) + "."


class BanAuthor(SuspendAuthor):
    """Suspend an author, refuse sign-in and end all sessions."""

    kind = AuditedAct.BAN_AUTHOR
    help = "Also refuse sign-in and tokens, and end all sessions."
    action, title = "Ban: suspend and refuse sign-in", gettext_lazy("Ban the author")
    is_ban = True
    access = "and can't sign in: all sessions end, and tokens stop working"


class ReinstateAuthor(AuthorAct):
    """Take a suspension or a ban back."""

    kind = AuditedAct.REINSTATE_AUTHOR
    help = "Lift an author's suspension or ban: their bots play again, and they can upload and sign in."
    action, title = "Reinstate: lift a suspension or ban", gettext_lazy("Reinstate the author")

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_suspended(self.user)
        entries, entrants = list_stopped_entries(self.user).count(), list_readmittable(self.user).count()
        return (
            f"Bots of {self.subject} play again: {count(entries, 'entry', 'entries')} on ladders, "
            f"{count(entrants, 'entry', 'entries')} in tournaments that haven't started. Cancelled matches and "
            f"withdrawals from started tournaments stay as they are. {self.subject} can upload"
            f"{' and sign in' if self.user.is_banned else ''} again."
        )

    def perform(self) -> str:
        """Reinstate the author. Raises Conflict."""
        entries, entrants = reinstate_author(user=self.user)
        return (
            f"Playing again: {count(entries, 'entry', 'entries')} on ladders, {count(entrants, 'entry', 'entries')} "
            "in tournaments."
        )


def describe_withdrawals(withdrawals: Withdrawals) -> str:
    """Return what became of tournaments."""
    paused = f", which paused {', '.join(withdrawals.paused)}" if withdrawals.paused else ""
    return f"{count(withdrawals.entrants, 'entry', 'entries')} withdrawn from tournaments{paused}"


# Stop, release and rename a bot.


class BotAct(StaffAct):
    """An act on a bot."""

    def __init__(self, bot: Bot) -> None:
        """Keep the bot."""
        self.bot = bot
        self.about, self.subject = f"bot {bot.pk}", bot.slug


class StopBot(BotAct):
    """Stop a bot everywhere at once."""

    kind = AuditedAct.STOP_BOT
    help = "Stop a bot immediately on ladders and in tournaments, challenges, comparisons and live games."
    title = gettext_lazy("Stop the bot")
    left = gettext_lazy("The bot keeps its name, page and files. To remove these, use rename_bot and remove_bot_files.")

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_stoppable(self.bot, by_staff=True)
        entries = list_playing_entries().filter(version__bot=self.bot).count()
        entrants = list_playing_entrants().filter(bot=self.bot).count()
        versions = list(BotVersion.objects.filter(bot=self.bot).values_list("pk", flat=True))
        matches = list_open_matches_of_versions(versions).count()
        return (
            f"{self.bot.name} stops immediately: {count(entries, 'entry', 'entries')} on ladders, "
            f"{count(entrants, 'entry', 'entries')} in tournaments, {count(matches, 'match', 'matches')} queued or "
            "running. Its comparisons and live games end, and no one can upload new versions. release_bot undoes this, "
            "except in tournaments that have started."
        )

    def perform(self) -> str:
        """Stop the bot. Raises Conflict."""
        stopped = stop_bot(bot=self.bot, by_staff=True)
        return (
            f"{count(stopped.entries, 'entry', 'entries')} on ladders stopped; "
            f"{describe_withdrawals(stopped.withdrawals)}; {count(stopped.comparisons, 'comparison')} ended; "
            f"{count(stopped.matches, 'match', 'matches')} cancelled; {count(stopped.live_games, 'live game')} ended."
        )


class ReleaseBot(BotAct):
    """Let a bot play again that was stopped, or of which the arena holds versions back."""

    kind = AuditedAct.RELEASE_BOT
    help = "Let a stopped bot play again, or release its versions that the arena holds back."
    title = gettext_lazy("Let the bot play again")

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        if held_back := BotVersion.objects.held_back().filter(bot=self.bot).count():
            return f"{self.bot.name}: {count(held_back, 'version')} that the arena failed to play will be tried again."
        check_stopped(self.bot, by_staff=True)
        stopped = Entry.objects.filter(state=Entry.State.SUSPENDED, stopped_with_author=True, version__bot=self.bot)
        entries = stopped.filter(ladder__closed_at=None).count()
        return (
            f"{self.bot.name} plays again: {count(entries, 'entry', 'entries')} on ladders, and its entries in "
            "tournaments that haven't started. Cancelled matches stay cancelled."
        )

    def perform(self) -> str:
        """Let it play. Raises Conflict."""
        if held_back := release_held_back_versions(bot=self.bot):
            return f"{count(held_back, 'version')} will be tried again."
        entries, entrants = release_bot(bot=self.bot, by_staff=True)
        return (
            f"Playing again: {count(entries, 'entry', 'entries')} on ladders, {count(entrants, 'entry', 'entries')} "
            "in tournaments."
        )


class RenameBot(BotAct):
    """Give a bot another name, also in the records of its matches, and take away what its authors say of it.

    Its address stays, unless a new one is asked for because the old name must not stay there either.
    """

    kind = AuditedAct.RENAME_BOT
    help = "Rename a bot, also in its match records, and clear its authors' description of how it plays."
    title = gettext_lazy("Rename the bot")
    left = gettext_lazy(
        "The files may contain the old name: remove_bot_files deletes them. Backups keep the old name, too."
    )
    parameters = (
        Parameter("name", help="New name."),
        Parameter(
            "--new-address", action="store_true", help="Change its address to match. Links to the old one stop working."
        ),
    )

    def __init__(self, bot: Bot, name: str, new_address: bool = False) -> None:
        """Keep the bot and its new name."""
        super().__init__(bot)
        self.name, self.new_address = name, new_address

    def describe(self) -> str:
        """Return what the act will do. Raises BadName or Conflict."""
        name, slug = check_free_name(self.bot, self.name)
        called = f"{self.bot.name} will be called {name}, also in its match records; their hashes don't cover names."
        if self.new_address and slug != self.bot.slug:
            return f"{called} Its address will be /bots/{slug}/. Links to the old one will stop working."
        return f"{called} Its address stays /bots/{self.bot.slug}/."

    def perform(self) -> str:
        """Rename the bot. Raises as `describe`."""
        rename_bot_everywhere(bot=self.bot, name=self.name, in_records=True, new_address=self.new_address)
        return f"It's now called {self.name}."


# Remove the files of a bot.


class RemoveFiles(BotAct):
    """Remove source and build of some or all versions of a bot for good."""

    kind = AuditedAct.REMOVE_FILES
    help = (
        "Delete the source and build of a bot's versions, all or some. They leave ladders, comparisons and "
        "tournaments immediately; results and records stay. This can't be undone."
    )
    action, title = "Delete all their files permanently", gettext_lazy("Remove its files")
    left = gettext_lazy(
        "Its name, page and results stay; rename_bot changes the name. Earlier backups still have the files."
    )
    parameters = (
        Parameter(
            "--number",
            type=int,
            action="append",
            default=[],
            help="Version number; repeatable. Default: all.",
        ),
    )

    @classmethod
    def verb(cls) -> str:
        """Return `remove_files`: on the page of a bot's author others are removed, too."""
        return "remove_files"

    def __init__(self, bot: Bot, numbers: Sequence[int] = ()) -> None:
        """Keep the bot, and the numbers of the versions; all without any."""
        super().__init__(bot)
        self.numbers = sorted(numbers)
        self.subject = f"{bot.slug} {', '.join(f'v{number}' for number in self.numbers)}".strip()

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict, or ArenaError for a version that isn't there."""
        versions = self._list_versions()
        matches = list_open_matches_of_versions(versions).count()
        return (
            f"The source and build of {count(len(versions), 'version')} of {self.bot.name} will be deleted. These "
            f"versions leave ladders, comparisons and tournaments, and {count(matches, 'match', 'matches')} queued "
            "or running will be cancelled. Their live games end without a result. Results and records stay. This "
            "can't be undone, except from a backup."
        )

    def perform(self) -> str:
        """Stop the versions and remove their files. Raises as `describe`."""
        removed, stopped = remove_files_everywhere(versions=self._list_versions())
        return (
            f"Files of {count(removed.versions, 'version')} removed, {count(removed.blobs, 'blob')} of "
            f"{removed.size:,} bytes deleted; {count(stopped.entries, 'entry', 'entries')} on ladders retired; "
            f"{describe_withdrawals(stopped.withdrawals)}; {count(stopped.comparisons, 'comparison')} ended; "
            f"{count(stopped.matches, 'match', 'matches')} cancelled; {count(stopped.live_games, 'live game')} ended."
        )

    def _list_versions(self) -> list[int]:
        """Return the keys of the versions that have files."""
        if self.bot.owner.is_house:
            problem = gettext_noop("%(name)s belongs to the arena, which would restore it.")
            raise Conflict(message(problem, name=self.bot.name))
        versions = BotVersion.objects.filter(bot=self.bot)
        if self.numbers:
            versions = versions.filter(number__in=self.numbers)
            if missing := set(self.numbers) - set(versions.values_list("number", flat=True)):
                problem = gettext_noop("%(name)s has no version %(number)s.")
                raise ArenaError(message(problem, name=self.bot.name, number=min(missing)))
        kept = list(versions.exclude(source=None).order_by("number").values_list("pk", flat=True))
        if not kept:
            raise Conflict(message(gettext_noop("%(name)s has no files left."), name=self.bot.name))
        return kept


# Pause a ladder and resume it.


class LadderAct(StaffAct):
    """An act on a ladder."""

    def __init__(self, ladder: Ladder) -> None:
        """Keep the ladder."""
        self.ladder = ladder
        self.about = f"ladder {ladder.pk}"
        of_group = f" of {ladder.group.slug}" if ladder.group else ""
        self.subject = f"{ladder.game} {ladder.edition}{of_group}, season {ladder.season}"

    def count_open_matches(self) -> str:
        """Return how many matches of the ladder wait or are played."""
        return count(LadderMatch.objects.in_flight().filter(ladder=self.ladder).count(), "match", "matches")


class PauseLadder(LadderAct):
    """Let no new matches be paired on a ladder."""

    kind = AuditedAct.PAUSE_LADDER
    help = "Stop scheduling matches on a ladder. Queued and running ones still count."
    action = "Pause: schedule no new matches"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_pausable(self.ladder)
        return (
            f"No new matches will be scheduled on {self.subject}, and its page will say so. Those already scheduled "
            f"({self.count_open_matches()}) still count. resume_ladder undoes this."
        )

    def perform(self) -> str:
        """Pause the ladder. Raises Conflict."""
        pause_ladder(ladder=self.ladder)
        return f"The ladder is paused; {self.count_open_matches()} still to be played or rated."


class ResumeLadder(LadderAct):
    """Let matches be paired again on a ladder."""

    kind = AuditedAct.RESUME_LADDER
    help = "Schedule matches on a paused ladder again."
    action = "Resume: schedule matches again"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_paused(self.ladder)
        return f"Matches will be scheduled on {self.subject} again."

    def perform(self) -> str:
        """Resume the ladder. Raises Conflict."""
        resume_ladder(ladder=self.ladder)
        return "The ladder is running again."


# Cancel a match, and let it be replayed.

STAFF_CANCELLATION_REASON = message(gettext_noop("Cancelled by the arena's staff."))
REPLAYED_ANYWAY = frozenset({Purpose.TRIAL, Purpose.PACKAGES, Purpose.CHECK, Purpose.COMPARISON})
"""Purposes for which the arena plays another match by itself, where one has no result."""


class CancelMatch(StaffAct):
    """Cancel a match: one that is rated counts no longer, and one that isn't over ends without a result."""

    kind = AuditedAct.CANCEL_MATCH
    help = (
        "Cancel a match: a rated match no longer counts, and a queued or running one ends without a result. With "
        "--replay, the same bots play another match. This can't be undone."
    )
    action = "Cancel: they no longer count"
    is_replayed = False

    def __init__(self, match: Match) -> None:
        """Keep the match."""
        self.match = match
        self.about = self.subject = f"match {match.pk}"
        self.purposes = frozenset(find_purposes(match))

    @property
    def is_open(self) -> bool:
        """Return whether the match waits or is played."""
        return self.match.state in OPEN_STATES

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        self._check()
        if self.is_open:
            ends = f"Match {self.match.pk} ({self.match.state}) will end without a result."
        else:
            ends = f"Match {self.match.pk} will no longer count. Its records stay, and ratings change immediately."
        return f"{ends} {self._describe_replay()}This can't be undone."

    def perform(self) -> str:
        """Cancel the match, and queue another one. Raises Conflict."""
        self.match.refresh_from_db()
        self._check()
        if Purpose.PAIRING in self.purposes:
            replay_match(match=self.match)
        done = self._cancel_open() if self.is_open else self._revoke()
        return f"{done} {self._queue_replay()}".strip()

    def _check(self) -> None:
        """Raise Conflict where the match can't be cancelled."""
        if self.match.state == Match.State.VOID:
            raise Conflict(message(gettext_noop("Match %(match)s has no result."), match=self.match.pk))
        if Purpose.PAIRING in self.purposes:
            self._check_pairing()
        elif Purpose.LADDER in self.purposes:
            self._check_rated()
        elif not self.is_open:
            problem = gettext_noop("Match %(match)s is finished and unrated, so there's nothing to undo.")
            raise Conflict(message(problem, match=self.match.pk))
        elif self.is_replayed and not self.purposes & REPLAYED_ANYWAY:
            problem = gettext_noop("Match %(match)s can't be replayed: its author can request another one.")
            raise Conflict(message(problem, match=self.match.pk))

    def _check_pairing(self) -> None:
        if not self.is_replayed:
            problem = gettext_noop("Match %(match)s belongs to a tournament that needs its result: replay it.")
            raise Conflict(message(problem, match=self.match.pk))
        check_replay(find_pairing_match(self.match))

    def _check_rated(self) -> None:
        row = self._read_ladder_match()
        if row.void_sequence is not None:
            raise Conflict(message(gettext_noop("Match %(match)s already doesn't count."), match=self.match.pk))
        if self.is_replayed:
            check_rematch(row.ladder, row)

    def _read_ladder_match(self) -> LadderMatch:
        return LadderMatch.objects.select_related("ladder", "match").get(match=self.match)

    def _describe_replay(self) -> str:
        if Purpose.PAIRING in self.purposes:
            return "It will be replayed with the same number and deal. "
        if self.purposes & REPLAYED_ANYWAY:
            return "The arena will play another one automatically. "
        return "The same bots will play another ladder match on a new deal. " if self.is_replayed else ""

    def _cancel_open(self) -> str:
        if not cancel_matches(matches=[self.match.pk], reason=STAFF_CANCELLATION_REASON):
            raise Conflict(message(gettext_noop("Match %(match)s has just finished."), match=self.match.pk))
        return "The match has no result."

    def _revoke(self) -> str:
        """Exclude the match from the ratings; one that has just ended is rated first, so that the ledger shows both."""
        if Purpose.LADDER not in self.purposes:
            return "The match doesn't count."
        row = self._read_ladder_match()
        while append_finished_matches(ladder=row.ladder) == MAX_MATCHES_PER_TRANSACTION:
            pass
        counted = revoke_matches(ladder_matches=[row], reason=STAFF_CANCELLATION_REASON)
        return "The match no longer counts." if counted else "The match didn't count."

    def _queue_replay(self) -> str:
        if Purpose.PAIRING in self.purposes:
            row = find_pairing_match(self.match)
            advance_tournament(tournament=row.pairing.round.tournament)
            replacement = find_replacement(row)
            when = f"as match {replacement}" if replacement else "once the tournament is resumed"
            return f"It will be replayed {when}."
        if self.is_replayed and Purpose.LADDER in self.purposes:
            return f"It will be replayed as match {queue_rematch(ladder_match=self._read_ladder_match()).pk}."
        return ""


class ReplayMatch(CancelMatch):
    """Cancel a match, and let the same bots play another one in its place."""

    kind = AuditedAct.REPLAY_MATCH
    help = "Also have the same bots play another match."
    action = "Cancel and replay"
    is_replayed = True


# Acts on the whole site: close its uploads and open them again, start and end a lesson.


class SiteAct(StaffAct):
    """An act on the whole site."""

    about, subject = "", "the whole site"


class CloseUploads(SiteAct):
    """Let nobody upload."""

    kind = AuditedAct.CLOSE_UPLOADS
    help = "Stop people from creating bots and uploading versions. Pages and the API say so; matches continue."

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_closable()
        return (
            "No one can create a bot or upload a version; pages and the API say so. Matches continue, and so do "
            f"the checks of earlier uploads ({_count_unchecked()}). open_uploads undoes this."
        )

    def perform(self) -> str:
        """Close uploads. Raises Conflict."""
        close_uploads()
        return "Uploads are closed."


class OpenUploads(SiteAct):
    """Let authors upload again."""

    kind = AuditedAct.OPEN_UPLOADS
    help = "Let people create bots and upload versions again."

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_closed()
        return "Authors will be able to upload again."

    def perform(self) -> str:
        """Open uploads. Raises Conflict."""
        open_uploads()
        return "Uploads are open."


class StartLesson(SiteAct):
    """Let the arena play for a class until a time."""

    kind = AuditedAct.START_LESSON
    help = (
        "Give a class priority until a given time: public ladders, demo tournaments and unrequested analyses wait. "
        "Trials, other tournaments, challenges and live games continue."
    )
    title = gettext_lazy("Start lesson")
    parameters = (
        Parameter(
            "--until",
            metavar="TIME",
            default="",
            help='End of the lesson, within 12 hours: 15:30, or "2026-11-30 15:30". During a lesson, its new end.',
        ),
    )

    def __init__(self, until: str) -> None:
        """Keep the end as it was typed."""
        self.until = until

    def describe(self) -> str:
        """Return what the act will do. Raises BadLesson or Conflict."""
        ends_at = parse_end(self.until)
        running = check_end(ends_at)
        before = f" instead of {_describe_time(running.ends_at)}" if running else ""
        return (
            f"Until {_describe_time(ends_at)}{before}, public ladders, demo tournaments and unrequested analyses "
            "wait. Everything else continues. To end the lesson earlier: lesson --end."
        )

    def perform(self) -> str:
        """Start it, or change its end. Raises as `describe`."""
        lesson = start_lesson(ends_at=parse_end(self.until))
        return f"The lesson ends at {_describe_time(lesson.ends_at)}."


class EndLesson(SiteAct):
    """Let ladders, demo tournaments and analyses go on before the lesson ends by itself."""

    kind = AuditedAct.END_LESSON
    help = "End the running lesson."
    title = gettext_lazy("End lesson")

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        ends_at = check_running().ends_at
        return f"The lesson, scheduled until {_describe_time(ends_at)}, will end now. Everything that waits continues."

    def perform(self) -> str:
        """End the lesson. Raises Conflict."""
        end_lesson()
        return "The lesson has ended."


def _describe_time(at: datetime) -> str:
    return f"{localtime(at):%Y-%m-%d %H:%M %Z}"


def _count_unchecked() -> str:
    states = [BotVersion.State.BUILDING, BotVersion.State.ON_TRIAL]
    return count(BotVersion.objects.filter(state__in=states).count(), "version")


# Drain a worker and resume it.


class WorkerAct(StaffAct):
    """An act on a worker: all processes of a machine or container."""

    def __init__(self, worker: WorkerStatus) -> None:
        """Keep the worker."""
        self.worker = worker
        self.about, self.subject = f"worker {worker.pk}", worker.worker


class DrainWorker(WorkerAct):
    """Let a worker take no other match."""

    kind = AuditedAct.DRAIN_WORKER
    help = "Let a worker finish its matches and take no more, even after a restart under the same name."
    action = "Drain: finish matches and take no more"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_drainable(self.worker)
        playing = count(len(list_matches_of_worker(self.worker)), "match", "matches")
        able = WorkerStatus.objects.able().exclude(pk=self.worker.pk).exists()
        left = "" if able else " No other worker takes matches, so the queue will wait."
        return (
            f"The worker {self.subject} will finish what it's playing ({playing}) and take no more matches, even "
            f"after a restart under the same name. resume_worker undoes this.{left}"
        )

    def perform(self) -> str:
        """Drain the worker. Raises Conflict."""
        playing = drain_worker(worker=self.worker)
        return f"The worker takes no more matches. Still playing: {', '.join(map(str, playing)) or 'none'}."


class ResumeWorker(WorkerAct):
    """Let a drained worker take matches again."""

    kind = AuditedAct.RESUME_WORKER
    help = "Let a drained worker take matches again."
    action = "Resume: take matches again"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_drained(self.worker)
        return f"The worker {self.subject} will take matches again."

    def perform(self) -> str:
        """Resume the worker. Raises Conflict."""
        resume_worker(worker=self.worker)
        return "The worker takes matches again."


# Tell staff of new accounts and bots that somebody should look at.

MAX_LOOKALIKES_NAMED = 5


def report_new_account(*, user: User) -> None:
    """Tell staff of a new user who waits for approval, or whose name looks like another's or like a reserved one."""
    url = f"/admin/accounts/user/{user.pk}/change/"
    if user.awaits_approval:
        waits = message(gettext_noop("New user %(name)s is waiting for approval."), name=user.username)
        notify_staff(event=Event.ACCOUNT_WAITING, text=waits, url=url, about=f"user {user.pk}")
    others = find_lookalikes(user.username, fetch_other_usernames(user))
    if others:
        template = gettext_noop("The name of new user %(name)s looks like another: %(others)s.")
        notify_staff(
            event=Event.NAME_CONFUSABLE,
            text=message(template, name=user.username, others=", ".join(others[:MAX_LOOKALIKES_NAMED])),
            url=url,
            about=f"user {user.pk}",
        )


def report_new_bot(*, bot: Bot) -> None:
    """Tell staff of a new bot whose name looks like that of somebody else's bot, or like one that is reserved."""
    others = find_lookalikes(bot.name, fetch_names_of_others(bot.owner))
    if others:
        template = gettext_noop("The name of new bot %(name)s looks like another: %(others)s.")
        notify_staff(
            event=Event.NAME_CONFUSABLE,
            text=message(template, name=bot.name, others=", ".join(others[:MAX_LOOKALIKES_NAMED])),
            url=bot.get_absolute_url(),
            about=f"bot {bot.pk}",
        )
