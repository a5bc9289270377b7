"""Remove the files of a bot."""

from collections.abc import Sequence

from arena.audit.models import Act
from arena.bots.models import Bot, BotVersion
from arena.bots.removing import FILES_REMOVED_REASON, remove_files
from arena.comparisons.services import stop_comparisons_of_versions
from arena.errors import ArenaError, Conflict
from arena.ladders.services.stopping import retire_versions
from arena.livegames.services.stopping import end_games_of_stopped_bots
from arena.matches.cancelling import cancel_matches, list_open_matches_of_versions
from arena.staff_acts.act import StaffAct, count
from arena.staff_acts.authors import describe_withdrawals
from arena.tournaments.services.stopping import withdraw_versions
from engine.message import gettext_noop, message


class RemoveFiles(StaffAct):
    """Remove source and build of some or all versions of a bot for good."""

    kind = Act.REMOVE_FILES

    def __init__(self, bot: Bot, numbers: Sequence[int] = ()) -> None:
        """Keep the bot, and the numbers of the versions; all without any."""
        self.bot, self.numbers = bot, sorted(numbers)
        self.about = f"bot {bot.pk}"
        self.subject = f"{bot.slug} {', '.join(f'v{number}' for number in self.numbers)}".strip()

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict, or ArenaError for a version that isn't there."""
        versions = self._list_versions()
        matches = list_open_matches_of_versions(versions).count()
        return (
            f"Source and build of {count(len(versions), 'version')} of {self.bot.name} will be deleted. These versions "
            f"leave ladders, comparisons and tournaments, and {count(matches, 'match', 'matches')} that wait or are "
            "played will be cancelled. Live games with them end without a result. Results and records stay. This can't "
            "be undone, except from a backup."
        )

    def perform(self) -> str:
        """Stop the versions and remove their files. Raises as `describe`."""
        versions = self._list_versions()
        removed = remove_files(versions=versions)
        withdrawals = withdraw_versions(versions=versions)
        comparisons = stop_comparisons_of_versions(versions=versions, reason=FILES_REMOVED_REASON)
        entries = retire_versions(versions=versions)
        waiting = list(list_open_matches_of_versions(versions).values_list("pk", flat=True))
        cancelled = cancel_matches(matches=waiting, reason=FILES_REMOVED_REASON)
        games = end_games_of_stopped_bots()
        return (
            f"Files of {count(removed.versions, 'version')} removed, {count(removed.blobs, 'blob')} of "
            f"{removed.size:,} bytes deleted; {count(entries, 'entry', 'entries')} on ladders retired; "
            f"{describe_withdrawals(withdrawals)}; {count(comparisons, 'comparison')} ended; "
            f"{count(len(cancelled), 'match', 'matches')} cancelled; {count(games, 'live game')} "
            "ended."
        )

    def _list_versions(self) -> list[int]:
        """Return the keys of the versions that have files."""
        if self.bot.owner.is_house:
            problem = gettext_noop("%(name)s belongs to the arena, which would store it again.")
            raise Conflict(message(problem, name=self.bot.name))
        versions = BotVersion.objects.filter(bot=self.bot)
        if self.numbers:
            versions = versions.filter(number__in=self.numbers)
            if missing := set(self.numbers) - set(versions.values_list("number", flat=True)):
                problem = gettext_noop("%(name)s has no version %(number)s.")
                raise ArenaError(message(problem, name=self.bot.name, number=min(missing)))
        kept = list(versions.exclude(source=None).order_by("number").values_list("pk", flat=True))
        if not kept:
            raise Conflict(message(gettext_noop("Nothing is left of the files of %(name)s."), name=self.bot.name))
        return kept
