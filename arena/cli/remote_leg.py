"""A leg of `pennant remote`: the messages between an arena and a process of the bot, and what the author sees of it."""

import json
import queue
import random
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
import httpx
import orjson
from rich.console import Console
from rich.status import Status

from arena.cli.api import NOT_FOUND, RETRYABLE_STATUSES, ROOT, Refused
from arena.cli.local_process import GRACE_S, Ended, Launch, Line, LocalProcess, cut_line
from arena.cli.submitting import make_slug
from arena.runner.program import Verdict
from arena.runner.protocol import MalformedAnswerError, make_visible, parse_answer, parse_ready
from engine.core import Json

# The connection to the arena: requests, and what happens when they fail.

PATH = f"{ROOT}remote/"
FIRST_PAUSE_S, MAX_PAUSE_S = 0.2, 15.0
POLL_TIMEOUT_S = 40.0
"""An arena answers a poll within 25 s. A connection that is silent for longer is dead."""
ANSWER_TIMEOUT_S = 15.0
CONNECT_TIMEOUT_S = 10.0
GOODBYE_TIMEOUT_S = 3.0
KEEPALIVE_S = 50.0
"""Less than servers keep idle connections open, so that answers rarely need a new one."""
NO_CONTENT, TIMED_OUT, CONFLICT, TOO_LARGE, SERVER_ERRORS = 204, 408, 409, 413, 500


class Pauses:
    """Pauses between attempts, which grow until one succeeds."""

    def __init__(self) -> None:
        self.next_s = FIRST_PAUSE_S

    def take(self, at_least_s: float = 0.0) -> float:
        """Return the next pause in seconds. It varies, so that bots don't all come back at once."""
        pause = max(at_least_s, self.next_s) * random.uniform(0.75, 1.25)
        self.next_s = min(2 * self.next_s, MAX_PAUSE_S)
        return pause

    def reset(self) -> None:
        """Begin with the shortest again."""
        self.next_s = FIRST_PAUSE_S


class Unreachable(Exception):
    """The arena, or a proxy in front of it, can't answer now. The same request may succeed later."""

    def __init__(self, reason: str, retry_after_s: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class Late(Exception):
    """The arena doesn't want this answer any more."""


@dataclass(slots=True)
class Connection:
    """Carries one bot's messages and answers. Threads share it."""

    url: str
    token: str
    bot: str
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        timeout = httpx.Timeout(POLL_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", "User-Agent": "pennant"}
        limits = httpx.Limits(keepalive_expiry=KEEPALIVE_S)
        self.client = httpx.Client(base_url=self.url + PATH, headers=headers, timeout=timeout, limits=limits)

    def fetch(self, room: int, have: Mapping[str, str], fresh: Sequence[str]) -> Json | None:
        """Return the arena's messages, or None if there were none for 25 s. Raises Unreachable and Refused."""
        query: dict[str, Any] = {"bot": self.bot, "room": room}
        if have:
            query["have"] = ",".join(f"{leg}:{key}" for leg, key in have.items())
        if fresh:
            query["fresh"] = ",".join(fresh)
        return self._ask("GET", "messages/", params=query)

    def answer(self, leg: str, key: str, line: str) -> Json:
        """Return the receipt for an answer. Raises Unreachable, Late and Refused."""
        content = {"bot": self.bot, "leg": leg, "key": key, "line": line}
        try:
            return self._ask("POST", "answers/", json=content, timeout=ANSWER_TIMEOUT_S) or {}
        except Refused as refused:
            if refused.status in (CONFLICT, NOT_FOUND):
                raise Late(refused.message) from refused
            if refused.status == TOO_LARGE and len(line) > len(cut_line(line)):
                return self.answer(leg, key, cut_line(line))
            raise

    def say_goodbye(self) -> None:
        """Tell the arena that the bot leaves, if the arena can be reached."""
        with suppress(Unreachable, Refused):
            self._ask("POST", "goodbye/", json={"bot": self.bot}, timeout=GOODBYE_TIMEOUT_S)

    def _ask(self, method: str, path: str, **content: Any) -> Json | None:
        try:
            answer = self.client.request(method, path, **content)
        except httpx.HTTPError as error:
            raise Unreachable(str(error) or type(error).__name__) from error
        status = answer.status_code
        if status == NO_CONTENT:
            return None
        told = _read_object(answer.content)
        if told is not None and answer.is_success:
            return told
        is_temporary = status in (TIMED_OUT, *RETRYABLE_STATUSES) or status >= SERVER_ERRORS
        if told is None:
            raise Unreachable(f"{answer.url.host} doesn't answer as an arena does (status {status})")
        detail = make_visible(str(told.get("detail", f"status {status}")))
        if is_temporary:
            given = answer.headers.get("Retry-After", "")
            raise Unreachable(detail, float(given) if given.isdecimal() else 0.0)
        raise Refused(status, detail)


def _read_object(content: bytes) -> Json | None:
    """Return a JSON object, or None for anything else, such as a proxy's page."""
    try:
        told = orjson.loads(content)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


# What the author sees: a line of text or JSON for each event, and in a terminal the present state below them.


class Reporter:
    """Prints events. Threads share it."""

    def __init__(self, *, is_quiet: bool, as_json: bool, logs: Path | None) -> None:
        self.is_quiet = is_quiet
        self.as_json = as_json
        self.logs = logs
        self.console = Console(highlight=False, markup=False, soft_wrap=True)
        self.lock = threading.Lock()
        self.status: Status | None = None

    def tell(self, event: str, sentence: str, *, is_problem: bool = False, **facts: Any) -> None:
        """Print an event."""
        with self.lock:
            if self.as_json:
                at = datetime.now().astimezone().isoformat(timespec="milliseconds")
                click.echo(json.dumps({"at": at, "event": event, "text": sentence, **facts}))
            elif is_problem or not self.is_quiet:
                self.console.print(f"{datetime.now():%H:%M:%S} {sentence}", style="bold" if is_problem else "")

    def write_log(self, leg: str, line: str) -> None:
        """Copy a line that the bot has written to stderr to the leg's file, or to the terminal."""
        with self.lock:
            if self.logs is not None:
                with suppress(OSError), (self.logs / f"{make_slug(leg)}.log").open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
            elif self.status is not None:
                self.console.print(f"{leg}| {line}", style="dim")
            elif not self.is_quiet:
                click.echo(f"{leg}| {line}", err=True)

    @contextmanager
    def show_status(self) -> Iterator[None]:
        """Show the present state meanwhile, in a terminal."""
        if self.is_quiet or self.as_json or not self.console.is_terminal:
            yield
            return
        with self.console.status("connecting") as self.status:
            yield

    def set_status(self, text: str) -> None:
        """Change the present state."""
        if self.status is not None:
            self.status.update(text)


# The leg. It has a thread of its own, which takes its messages from the poll and lines from the process.

EARLIER = ".earlier"
HELLO, TURN, END, REFUSED = "hello", "turn", "end", "refused"
SHOWN_LINE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message to the bot, with the key by which the arena knows its answer."""

    key: str
    message: Json

    @property
    def kind(self) -> str:
        """Return the message's type."""
        return str(self.message.get("type", ""))

    @property
    def is_earlier(self) -> bool:
        """Return whether it's a turn that was answered before this process began."""
        return self.key.endswith(EARLIER)

    def is_answered_by(self, line: str) -> bool:
        """Return whether a line has the form of an answer to this message, legal or not."""
        try:
            (parse_ready if self.kind == HELLO else parse_answer)(line.encode(errors="replace"))
        except MalformedAnswerError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Shared:
    """The state that all legs of a bot share."""

    connection: Connection
    launch: Launch
    reporter: Reporter
    events: "queue.SimpleQueue[Any]"
    """Events for the main thread: a finished leg; Refused if the arena refused an answer; or POLL_NOW."""
    stopping: threading.Event
    """Set when the bot leaves at once."""


POLL_NOW = object()
"""A leg has a wish that a poll tells the arena."""
DROPPED = object()


class Leg:
    """A leg while it is played. Polls read `have`, `needs_fresh` and `is_dropped`; the rest belongs to its thread."""

    def __init__(self, name: str, shared: Shared) -> None:
        self.name = name
        self.shared = shared
        self.have = ""
        """Key of the latest message; empty for a new leg."""
        self.needs_fresh = False
        """Whether the next messages have to begin with `hello`, for a new process."""
        self.has_begun = False
        self.is_dropped = False
        self.is_over = False
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.process: LocalProcess | None = None
        self.todo: deque[Envelope] = deque()
        """Messages that the process gets once it has answered those before."""
        self.asked: Envelope | None = None
        """Message that the process has to answer now."""
        self.failures = 0
        """How often the program has failed since the arena took an answer."""
        self.has_misanswered = False
        """Whether the program was restarted because of a line that isn't an answer."""
        self.answers = self.refusals = 0
        self.refused_key = ""
        """Key of the message that comes next, if the latest one was `refused`."""
        self.seat: int | None = None
        self.title = ""
        self.result = self.verdict = ""
        """How it ended for the bot; empty before, and for a leg that was dropped."""
        threading.Thread(target=self.run, daemon=True).start()

    def receive(self, envelopes: Sequence[Envelope]) -> None:
        """Take a poll's messages, in order."""
        self.have = envelopes[-1].key
        if any(envelope.kind == HELLO for envelope in envelopes):
            self.needs_fresh, self.has_begun = False, True
        elif not self.has_begun and envelopes[-1].kind != END:
            self.needs_fresh = True
        for envelope in envelopes:
            self.inbox.put(envelope)

    def drop(self) -> None:
        """End the leg: the arena doesn't have it any more."""
        self.is_dropped = True
        self.inbox.put(DROPPED)

    def run(self) -> None:
        """Handle messages and lines until the leg is finished."""
        try:
            while not self.is_over:
                self.handle(self.inbox.get())
                self.go_on()
        except Refused as refused:
            self.shared.events.put(refused)
        finally:
            self.is_over = True
            if self.process is not None:
                self.process.close()
            self.shared.events.put(self)

    def handle(self, happened: object) -> None:
        """Handle one message, line or end of a process."""
        if isinstance(happened, Envelope):
            self.take(happened)
        elif isinstance(happened, Line):
            happened.process.room.release()
            if happened.process is self.process:
                self.take_line(happened.text)
        elif isinstance(happened, Ended):
            if happened.process is self.process:
                self.take_failure(f"The program {happened.reason}")
        elif happened is DROPPED:
            self.is_over = True
            if not self.shared.stopping.is_set():
                self.tell("dropped", "dropped: the arena has cancelled or already finished this leg")

    def take(self, envelope: Envelope) -> None:
        """Take a message: handle the end at once, and queue the others for the process."""
        is_repeated = self.refused_key == envelope.key
        self.refused_key = envelope.key.removesuffix("r") if envelope.kind == REFUSED else ""
        if envelope.kind == END:
            self.finish(envelope)
        elif envelope.kind == HELLO and not (is_repeated and self.process):
            self.begin(envelope)
        elif self.process is not None and not self.needs_fresh:
            self.todo.append(envelope)
        elif envelope.kind == TURN and not self.needs_fresh:
            self.ask_for_fresh()

    def begin(self, hello: Envelope) -> None:
        """Start a process for the leg."""
        told = hello.message
        self.seat = told.get("seat")
        if not self.title:
            self.title = f"{told.get('game')}/{told.get('edition')}"
            self.tell("started", f"started: {self.title}, seat {self.seat}", edition=self.title, seat=self.seat)
        self.stop_process()
        self.todo.append(hello)
        try:
            log = partial(self.shared.reporter.write_log, self.name)
            self.process = LocalProcess(self.shared.launch, self.inbox, log)
        except OSError as error:
            self.asked = self.todo.popleft()
            self.take_failure(f"The program can't be started: {error.strerror or error}")

    def stop_process(self) -> None:
        """End the process and forget what it was asked."""
        self.todo.clear()
        self.asked = None
        if self.process is not None:
            self.process.close()
            self.process = None

    def go_on(self) -> None:
        """Give the process its next messages, up to one that it has to answer."""
        while self.todo and self.asked is None and self.process is not None:
            envelope = self.todo.popleft()
            self.process.send(envelope.message)
            if envelope.kind in (HELLO, TURN):
                self.asked = envelope

    def take_line(self, line: str) -> None:
        """Carry a line to the arena, if it answers a message."""
        asked, shown = self.asked, make_visible(line[:SHOWN_LINE_LENGTH])
        if asked is None:
            self.tell("unasked", f"ignored a line that answers no message: {shown}", is_problem=True, line=shown)
        elif not asked.is_answered_by(line) and not self.has_misanswered:
            self.has_misanswered = True
            self.restart(f'The program wrote "{shown}", which isn\'t an answer')
        else:
            self.asked = None
            if not asked.is_earlier and not (asked.kind == HELLO and self.todo):
                self.send(asked, line)

    def restart(self, reason: str) -> None:
        """End the process, and ask the arena for the messages with which a new one can go on."""
        self.stop_process()
        self.tell("restarted", f"{reason}. Restarting it", is_problem=True)
        self.ask_for_fresh()

    def take_failure(self, reason: str) -> None:
        """Restart the program after a failure; after a second one in a row, send the reason as its answer.

        The arena refuses that and asks again, with its usual limit on refusals. No action is ever put in place of the
        bot's.
        """
        self.failures += 1
        if self.failures == 1:
            self.restart(reason)
            return
        waiting = [envelope for envelope in (self.asked, *self.todo) if envelope and not envelope.is_earlier]
        self.stop_process()
        self.tell("failed", f"{reason} ({self.failures} failures in a row)", is_problem=True)
        if waiting:
            self.send(waiting[-1], reason)

    def ask_for_fresh(self) -> None:
        """Ask the arena to begin again with `hello`."""
        self.needs_fresh = True
        self.shared.events.put(POLL_NOW)

    def send(self, asked: Envelope, line: str) -> None:
        """Send an answer until the arena has taken it or doesn't want it any more. Raises Refused."""
        pauses = Pauses()
        while not self.is_dropped and not self.shared.stopping.is_set():
            try:
                told = self.shared.connection.answer(self.name, asked.key, line)
            except Unreachable as error:
                self.shared.stopping.wait(pauses.take(error.retry_after_s))
            except Late as late:
                if asked.kind == TURN:
                    self.tell("late", f"answer dropped: {late}", is_problem=True, key=asked.key)
                return
            else:
                self.take_receipt(asked, told)
                return

    def take_receipt(self, asked: Envelope, told: Json) -> None:
        """Count an answer, as taken or refused."""
        if told.get("status") == REFUSED:
            self.refusals += 1
            reason = make_visible(str(told.get("reason", "")))
            self.tell("refused", f"refused: {reason}", is_problem=True, key=asked.key, reason=reason)
        elif asked.kind == TURN:
            self.failures = 0
            self.answers += 1

    def finish(self, end: Envelope) -> None:
        """Tell the author and the process how the leg ended, and the arena that they know."""
        self.report_result(end.message)
        self.todo.clear()
        self.asked = None
        process, self.process = self.process, None
        if process is not None:
            process.send(end.message)
            process.requests.put(None)
        self.send(end, "")
        if process is not None:
            process.close(GRACE_S)
        self.is_over = True

    def report_result(self, end: Json) -> None:
        """Print the result as the bot sees it, and keep it."""
        if self.seat is None:
            self.tell("ended", "ended")
            return
        places, scores, verdicts = (list(end.get(name) or ()) for name in ("places", "scores", "verdicts"))
        mine, verdict = places[self.seat], verdicts[self.seat]
        others = [place for seat, place in enumerate(places) if seat != self.seat]
        result = "won" if all(mine < place for place in others) else "lost" if min(others) < mine else "drew"
        score = "–".join(str(scores[seat]) for seat in sorted(range(len(scores)), key=lambda seat: seat != self.seat))
        fault = "" if verdict in (Verdict.OK, end.get("reason")) else f"; verdict: {verdict}"
        refusals = f", {self.refusals} refused" if self.refusals else ""
        decisions = f"{self.answers} decision{'' if self.answers == 1 else 's'}"
        told = f"{result} {score} ({end.get('reason')}) after {decisions}{refusals}{fault}"
        facts = {"places": places, "scores": scores, "verdicts": verdicts, "reason": end.get("reason")}
        self.tell("ended", told, is_problem=verdict != Verdict.OK, result=result, seat=self.seat, **facts)
        self.result, self.verdict = result, verdict

    def tell(self, event: str, sentence: str, *, is_problem: bool = False, **facts: Any) -> None:
        """Print an event of this leg."""
        self.shared.reporter.tell(event, f"{self.name}: {sentence}", is_problem=is_problem, leg=self.name, **facts)
