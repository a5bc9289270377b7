"""Stop, release and rename a bot."""

from arena.audit.models import Act
from arena.bot_acts.renaming import check_free_name, rename_bot_everywhere
from arena.bot_acts.stopping import release_bot, stop_bot
from arena.bots.models import Bot, BotVersion
from arena.bots.stopping import check_stoppable, check_stopped
from arena.ladders.models import Entry
from arena.matches.cancelling import list_open_matches_of_versions
from arena.staff_acts.act import StaffAct, count
from arena.staff_acts.authors import describe_withdrawals
from arena.tournaments.services.stopping import list_playing_entrants


class BotAct(StaffAct):
    """An act on a bot."""

    def __init__(self, bot: Bot) -> None:
        """Keep the bot."""
        self.bot = bot
        self.about, self.subject = f"bot {bot.pk}", bot.slug


class StopBot(BotAct):
    """Stop a bot everywhere at once."""

    kind = Act.STOP_BOT

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_stoppable(self.bot, by_staff=True)
        entries = Entry.objects.active().filter(version__bot=self.bot, ladder__closed_at=None).count()
        entrants = list_playing_entrants().filter(bot=self.bot).count()
        versions = list(BotVersion.objects.filter(bot=self.bot).values_list("pk", flat=True))
        matches = list_open_matches_of_versions(versions).count()
        return (
            f"{self.bot.name} stops at once: {count(entries, 'entry', 'entries')} on ladders, "
            f"{count(entrants, 'entry', 'entries')} in tournaments, {count(matches, 'match', 'matches')} that wait or "
            "are played. Comparisons and live games with it end. Its author can't upload versions of it. release_bot "
            "takes this back, except in tournaments that have started."
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
    """Let a stopped bot play again."""

    kind = Act.RELEASE_BOT

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_stopped(self.bot, by_staff=True)
        stopped = Entry.objects.filter(state=Entry.State.SUSPENDED, stopped_with_author=True, version__bot=self.bot)
        entries = stopped.filter(ladder__closed_at=None).count()
        return (
            f"{self.bot.name} plays again: {count(entries, 'entry', 'entries')} on ladders, and entries of tournaments "
            "that have not started. Cancelled matches stay so."
        )

    def perform(self) -> str:
        """Let it play. Raises Conflict."""
        entries, entrants = release_bot(bot=self.bot, by_staff=True)
        return (
            f"{count(entries, 'entry', 'entries')} on ladders and {count(entrants, 'entry', 'entries')} in "
            "tournaments play again."
        )


class RenameBot(BotAct):
    """Give a bot another name, also in the records of its matches."""

    kind = Act.RENAME_BOT

    def __init__(self, bot: Bot, name: str) -> None:
        """Keep the bot and its new name."""
        super().__init__(bot)
        self.name = name

    def describe(self) -> str:
        """Return what the act will do. Raises BadName or Conflict."""
        name, slug = check_free_name(self.bot, self.name)
        return (
            f"{self.bot.name} will be called {name}, at /bots/{slug}/, in the records of its matches, too: their "
            "hashes leave names out. Links to the old address will not work."
        )

    def perform(self) -> str:
        """Rename the bot. Raises as `describe`."""
        rename_bot_everywhere(bot=self.bot, name=self.name, in_records=True)
        return f"It is called {self.name} now."
