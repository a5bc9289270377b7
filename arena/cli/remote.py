"""`pennant remote`: a bot that runs on this machine plays on an arena's open ladders."""

import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import click

from arena.cli import NoError, RequestError, writing
from arena.cli.api import Api, ArenaRequestError, Refused, find_api
from arena.cli.campaign import EXIT_INTERRUPTED
from arena.cli.local_process import Launch, find_command, find_launch
from arena.cli.remote_leg import (
    MAX_PAUSE_S,
    POLL_NOW,
    Connection,
    Envelope,
    Leg,
    Pauses,
    Reporter,
    Shared,
    Unreachable,
)
from arena.cli.submitting import SLUG_PATTERN, find_name, make_slug
from arena.runner.portable import kill_tree
from arena.runner.program import Verdict
from engine.core import Json
from engine.registry import GAMES

# Find the bot on the arena, or create it or declare a version, and enter it on open ladders.

CLOCKS = ("open", "slow")
REGISTERING_TRIES = 6
"""Over about 6 s: enough for an arena that restarts its web."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The options that say which bot on the arena to play as, and where."""

    slug: str
    create: bool
    game: str | None
    declared: str | None
    ladders: Sequence[str]

    def register(self, api: Api) -> Json:
        """Return the bot once it is on its ladders. Raises click.ClickException.

        If the arena can't be reached, everything is asked again: what has happened already isn't done twice.
        """
        pauses, api.tries = Pauses(), 1
        for _ in range(REGISTERING_TRIES - 1):
            try:
                return self._register_once(api)
            except Refused:
                raise
            except ArenaRequestError as error:
                click.echo(f"{error.message.rstrip('.')}. Trying again.", err=True)
                time.sleep(pauses.take())
        return self._register_once(api)

    def _register_once(self, api: Api) -> Json:
        bot = self._find(api)
        for path in [read_ladder(text, bot["game"]) for text in self.ladders]:
            api.post(f"ladders/{path}/bots/", json={"bot": bot["slug"]})
            click.echo(f"On the ladder: {api.url}/ladders/{path}/", err=True)
        if self.ladders:
            bot = api.get(f"bots/{bot['slug']}/")
        report_obstacles(bot)
        return bot

    def _find(self, api: Api) -> Json:
        """Return the bot; create it or declare a version if that's needed."""
        try:
            found: Json = api.get(f"bots/{self.slug}/")
        except Refused as refused:
            if not refused.is_missing:
                raise
            return self._create(api)
        if not found.get("is_remote"):
            raise RequestError(f"{self.slug} is a bot that the arena runs. Choose another name: --name SLUG")
        if self.game is not None and found["game"] != self.game:
            raise RequestError(f"{self.slug} plays {found['game']}, not {self.game}. Nothing was changed.")
        newest = found.get("latest_version") or {}
        if self.declared is not None and self.declared != newest.get("declared"):
            version = api.post(f"bots/{self.slug}/versions/remote/", json={"declared": self.declared})
            click.echo(f"Version {version['number']}: {self.declared}", err=True)
        return found

    def _create(self, api: Api) -> Json:
        """Create the bot as the options or the author say."""
        game, declared = self.game, self.declared
        if not self.create:
            if not sys.stdin.isatty():
                hint = f"To create it: --create --game {next(iter(GAMES))} --declared TEXT"
                raise RequestError(f"There's no bot with the address {self.slug}. {hint}")
            question = f"There's no bot with the address {self.slug}. Create a remote bot?"
            click.confirm(question, abort=True, err=True)
            game = game or click.prompt("Game", type=click.Choice(list(GAMES)), err=True)
            declared = declared or click.prompt("What does it run on (model, settings, machine)?", err=True)
        if game is None or declared is None:
            raise click.UsageError("--create needs --game and --declared")
        made: Json = api.post("remote-bots/", json={"name": self.slug, "game": game, "declared": declared})
        click.echo(f"Created {made['slug']}: {api.url}/bots/{made['slug']}/", err=True)
        return made


def report_obstacles(bot: Json) -> None:
    """Say why the bot gets no matches, or none on some of its ladders."""
    entries = bot.get("entries", ())
    if not entries:
        example = f"--ladder {bot['game']}/standard/open"
        click.echo(f"{bot['slug']} isn't on a ladder, so it only plays in tournaments. To join: {example}", err=True)
    for entry in entries:
        if entry["state"] != "active":
            where = f"{entry['edition']}/{entry['clock']}"
            sentence = f"{bot['slug']} is paused on {where}. {entry['state_reason']}".strip()
            click.echo(f"{sentence} To resume: {bot['html_url']}", err=True)


def read_ladder(text: str, game: str) -> str:
    """Return the path of an open ladder, given as `standard`, `standard/slow` or with its game in front.

    Raises RequestError.
    """
    parts = text.strip("/").split("/")
    clock = parts.pop() if parts[-1] in CLOCKS else CLOCKS[0]
    if not 1 <= len(parts) <= 2 or not all(parts):
        raise RequestError(f"{text} isn't a ladder's name, such as standard, standard/slow or {game}/standard/open")
    *named, edition = parts
    if named not in ([], [game]):
        raise RequestError(f"The bot plays {game}, so it can't join {text}")
    return f"{game}/{edition}/{clock}"


# Poll the arena, and share its messages out among the legs.

TICK_S = 0.2
"""Ctrl-C is noticed after this time at most, on every system."""
SETTLED_AFTER_S = 1.0
"""A poll that is open for so long has reached the arena."""
MAX_FAULTY_LEGS = 3
"""After so many legs in a row that were lost by faults, the bot needs its author."""


@dataclass(frozen=True, slots=True)
class Polled:
    """The outcome of a poll: its messages, None if there were none, or why it failed."""

    number: int
    outcome: Json | None | Unreachable | Refused
    took_s: float


class RemotePlay:
    """Plays a bot's legs until it's told to stop. Everything here runs in the main thread, except `_fetch`."""

    def __init__(
        self, connection: Connection, launch: Launch, reporter: Reporter, *, room: int, max_legs: int | None
    ) -> None:
        self.connection = connection
        self.reporter = reporter
        self.events: queue.SimpleQueue[Polled | Leg | Refused | object] = queue.SimpleQueue()
        self.shared = Shared(connection, launch, reporter, self.events, threading.Event())
        self.room = room
        self.legs_left = max_legs
        self.legs: dict[str, Leg] = {}
        self.pauses = Pauses()
        self.polls = 0
        self.polled_at = 0.0
        self.next_poll_at: float | None = 0.0
        """Time of the next poll; None while one is open."""
        self.offline_since: float | None = None
        self.is_settled = False
        self.displaced = 0
        """Polls in a row that another client has ended."""
        self.knows_of_other = False
        self.interrupts = 0
        self.is_leaving = False
        self.results = {"won": 0, "drew": 0, "lost": 0}
        self.faulty_legs = 0

    def run(self) -> int:
        """Play, and return the exit code. Raises click.ClickException."""
        try:
            with self.hear_signals():
                while not (self.is_leaving and not self.legs):
                    if self.interrupts > 1:
                        return self.leave_legs()
                    self.look_after()
        finally:
            self.shared.stopping.set()
            for leg in self.legs.values():
                leg.drop()
            self.connection.say_goodbye()
            for leg in self.legs.values():
                if leg.process is not None:
                    kill_tree(leg.process.child)
        self.reporter.tell("offline", f"Offline. {self.describe_results()}", results=self.results)
        if self.faulty_legs >= MAX_FAULTY_LEGS:
            raise NoError(f"The last {self.faulty_legs} legs were lost by faults. Fix the bot, then start it again.")
        return 0

    @contextmanager
    def hear_signals(self) -> Iterator[None]:
        """Count signals: the first Ctrl-C finishes the running legs; the second, or a signal to end, leaves them."""

        def hear(number: int, _: object) -> None:
            self.interrupts += 1 if number == signal.SIGINT else 2

        before = {}
        with suppress(ValueError):  # in another thread than the main one
            before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def look_after(self) -> None:
        """Do what is due, and wait a moment for what happens next."""
        if not self.is_leaving:
            self.decide_to_leave()
        if self.next_poll_at is not None and time.monotonic() >= self.next_poll_at:
            self.poll()
        if not self.is_settled and self.next_poll_at is None and time.monotonic() - self.polled_at > SETTLED_AFTER_S:
            self.settle()
        with suppress(queue.Empty):
            self.take_event(self.events.get(timeout=TICK_S))

    def take_event(self, happened: object) -> None:
        """Handle the outcome of a poll, or what a leg says. Raises Refused."""
        if isinstance(happened, Refused):
            raise happened
        if isinstance(happened, Polled) and happened.number == self.polls:
            self.take_poll(happened)
        elif isinstance(happened, Leg):
            self.take_ended(happened)
        elif happened is POLL_NOW:
            self.poll_now()
        self.reporter.set_status(self.describe())

    def take_ended(self, leg: Leg) -> None:
        """Count a leg that has ended."""
        self.legs.pop(leg.name, None)
        if leg.result:
            self.results[leg.result] += 1
            self.faulty_legs = 0 if leg.verdict in (Verdict.OK, Verdict.TIMEOUT) else self.faulty_legs + 1

    # Leave.

    def decide_to_leave(self) -> None:
        """Begin to leave if there's a reason."""
        if self.interrupts:
            running = "Finishing the running legs. Press Ctrl-C again to leave them."
            self.begin_leaving(running if self.legs else "Stopping.")
        elif self.faulty_legs >= MAX_FAULTY_LEGS:
            self.begin_leaving("Too many legs in a row were lost by faults. Starting no more.")
        elif self.legs_left == 0:
            self.begin_leaving("Starting no more legs.")

    def begin_leaving(self, sentence: str) -> None:
        """Take no more legs, and tell the arena so."""
        self.is_leaving = True
        self.reporter.tell("leaving", sentence, legs=len(self.legs))
        self.poll_now()

    def leave_legs(self) -> int:
        """Leave the running legs, and return the exit code."""
        if self.legs:
            what = "1 leg is" if len(self.legs) == 1 else f"{len(self.legs)} legs are"
            sentence = f"{what} still in play. Start the same command within 60 s to continue, or the bot forfeits."
            self.reporter.tell("left", sentence, is_problem=True, legs=len(self.legs))
        return EXIT_INTERRUPTED

    # Poll.

    def poll_now(self) -> None:
        """Poll again at once. If the arena can't be reached, that waits."""
        if self.next_poll_at is None:
            self.next_poll_at = 0.0

    def poll(self) -> None:
        """Ask for messages in a thread of its own. An older poll that is still open ends on the arena's side."""
        self.polls += 1
        self.polled_at, self.next_poll_at = time.monotonic(), None
        fresh = [name for name, leg in self.legs.items() if leg.needs_fresh]
        have = {name: leg.have for name, leg in self.legs.items() if not (leg.needs_fresh or leg.is_dropped)}
        most = self.room if self.legs_left is None else min(self.room, len(self.legs) + self.legs_left)
        room = 0 if self.is_leaving else most
        threading.Thread(target=self._fetch, args=(self.polls, room, have, fresh), daemon=True).start()

    def _fetch(self, number: int, room: int, have: Mapping[str, str], fresh: Sequence[str]) -> None:
        began = time.monotonic()
        outcome: Json | None | Unreachable | Refused
        try:
            outcome = self.connection.fetch(room, have, fresh)
        except (Unreachable, Refused) as caught:
            outcome = caught
        self.events.put(Polled(number, outcome, time.monotonic() - began))

    def take_poll(self, polled: Polled) -> None:
        """Give a poll's messages to their legs, or wait before the next one. Raises Refused."""
        outcome = polled.outcome
        if isinstance(outcome, Refused):
            raise outcome
        if isinstance(outcome, Unreachable):
            self.take_failure(outcome)
            return
        self.settle()
        self.next_poll_at = 0.0
        if outcome is not None:
            self.displaced = 0
            self.take_messages(outcome)
        elif polled.took_s < SETTLED_AFTER_S:
            self.take_displacement()

    def take_failure(self, error: Unreachable) -> None:
        """Wait before the next poll, longer each time."""
        pause = self.pauses.take(error.retry_after_s)
        if self.offline_since is None:
            self.offline_since = time.monotonic()
            self.reporter.tell("lost", f"Connection lost: {error}. Trying again.", is_problem=True, reason=str(error))
        self.is_settled, self.displaced, self.knows_of_other = False, 0, False
        self.next_poll_at = time.monotonic() + pause

    def settle(self) -> None:
        """Note that the arena hears the bot."""
        if self.offline_since is not None:
            seconds = time.monotonic() - self.offline_since
            self.reporter.tell("reconnected", f"Connected again after {seconds:.1f} s.", seconds=round(seconds, 3))
        elif not self.is_settled:
            self.reporter.tell("online", f"{self.connection.bot} is online.", bot=self.connection.bot)
        self.is_settled, self.offline_since = True, None
        self.pauses.reset()
        self.reporter.set_status(self.describe())

    def take_displacement(self) -> None:
        """Give way to another client of the same bot, whose poll has ended this one."""
        self.displaced += 1
        if self.displaced > 1 and not self.knows_of_other:
            self.knows_of_other = True
            sentence = f"Another client plays as {self.connection.bot}. Only one of them gets its messages: stop one."
            self.reporter.tell("displaced", sentence, is_problem=True)
        if self.displaced > 1:
            self.next_poll_at = time.monotonic() + min(MAX_PAUSE_S, 2.0 ** (self.displaced - 2))

    def take_messages(self, told: Json) -> None:
        """Give messages to their legs, begin new legs, and drop those that the arena doesn't have any more."""
        by_leg: dict[str, list[Envelope]] = {}
        for one in told.get("messages", ()):
            by_leg.setdefault(str(one["leg"]), []).append(Envelope(str(one["key"]), one["message"]))
        for name in set(self.legs) - set(map(str, told.get("legs", ()))) - set(by_leg):
            self.legs[name].drop()
        for name, envelopes in by_leg.items():
            if name not in self.legs:
                self.legs[name] = Leg(name, self.shared)
                if self.legs_left:
                    self.legs_left -= 1
            self.legs[name].receive(envelopes)

    # Describe.

    def describe(self) -> str:
        """Return the present state."""
        state = "online" if self.is_settled else "connecting" if self.offline_since is None else "offline"
        return f"{self.connection.bot}: {state}, playing {len(self.legs)}. {self.describe_results()}"

    def describe_results(self) -> str:
        """Return the results so far."""
        won, drew, lost = self.results.values()
        total = won + drew + lost
        return f"{total} leg{'' if total == 1 else 's'} finished: {won} won, {drew} drawn, {lost} lost"


# The command.


class RemoteCommand(click.Command):
    """The command, which keeps the words after `--` as they are."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set apart the author's command line, and parse the rest."""
        if "--" in args:
            at = args.index("--")
            ctx.obj = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


@click.command("remote", cls=RemoteCommand, options_metavar="[OPTIONS]")
@click.argument("bot", metavar="BOT | -- COMMAND …", required=False)
@click.option(
    "--ladder",
    "ladders",
    metavar="LADDER",
    multiple=True,
    help="Open ladder to join: standard, standard/slow or battleline/standard/open. Repeatable. The bot plays on all "
    "that it has joined.",
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(1, 8),
    default=1,
    show_default=True,
    help="Legs to play at a time, each in a process of its own.",
)
@click.option("--name", metavar="SLUG", help="The bot's slug on the arena. [default: BOT's name]")
@click.option("--create", is_flag=True, help="Create the bot if it doesn't exist, with --game and --declared.")
@click.option("--game", metavar="KEY", help=f"The bot's game: {', '.join(GAMES)}.")
@click.option(
    "--declared",
    metavar="TEXT",
    help='What the bot runs on, as in "model X, temperature 0, laptop". A new text makes a new version.',
)
@click.option("--legs", metavar="N", type=click.IntRange(min=1), help="Stop after N legs. [default: on Ctrl-C]")
@click.option(
    "--logs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what the bot writes to stderr to this folder, a file for each leg. [default: the terminal]",
)
@click.option("--url", help="The arena's address. [default: PENNANT_URL]")
@click.option("--quiet", is_flag=True, help="Print only problems and results with faults.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON.")
@click.pass_context
def remote(  # noqa: PLR0913 - a parameter an option
    ctx: click.Context,
    bot: str | None,
    ladders: tuple[str, ...],
    concurrency: int,
    name: str | None,
    create: bool,
    game: str | None,
    declared: str | None,
    legs: int | None,
    logs: Path | None,
    url: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play on an arena's open ladders with a bot that runs on this machine.

    BOT is a file, a folder or a sample bot, as for `pennant play`; or write any command line after `--`, as in `pennant
    remote --name heron -- ./engine.exe --fast`. Each leg has a process of its own, which gets the same messages as in
    the sandbox. It runs as you, with your environment and no memory limit: a BOT in its own folder, a command in the
    current one. The clock is real time, from the arena's message to your answer. Only outgoing HTTPS is needed. Set
    PENNANT_URL to the arena and PENNANT_TOKEN to your token.

    The command reconnects whenever the connection is lost, and running legs continue. A program that ends or doesn't
    answer with JSON is restarted. If an answer is refused, the bot gets the reason and the same turn again, up to three
    times. Ctrl-C finishes the running legs; pressed twice, it leaves them, and you have 60 seconds to start the command
    again. Exit codes: 0 finished, 1 the bot lost three legs in a row by faults, 2 usage, 3 the arena refused the bot or
    can't be reached, 130 left.
    """
    command: tuple[str, ...] = ctx.obj if isinstance(ctx.obj, tuple) else ()
    if bool(bot) == bool(command):
        raise click.UsageError("Name either a BOT or a command line after --. The bot's slug is --name SLUG")
    if command and name is None:
        raise click.UsageError("A command line needs --name SLUG")
    slug = name or make_slug(find_name(Path(bot or "").resolve()))
    if not SLUG_PATTERN.fullmatch(slug):
        raise RequestError(f"{slug!r} isn't a slug; use lower-case letters, digits and single hyphens: --name SLUG")
    api = find_api(url=url)
    with ExitStack() as folders:
        if logs is not None:
            with writing(logs):
                logs.mkdir(parents=True, exist_ok=True)
        launch = find_launch(bot, folders) if bot else find_command(command)
        found = Registration(slug, create, game, declared, ladders).register(api)
        reporter = Reporter(is_quiet=quiet, as_json=as_json, logs=logs)
        connection = Connection(api.url, api.token, found["slug"])
        play = RemotePlay(connection, launch, reporter, room=concurrency, max_legs=legs)
        with reporter.show_status():
            code = play.run()
    sys.exit(code)
