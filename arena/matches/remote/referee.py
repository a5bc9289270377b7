"""Referee a leg with remote bots while it is played: its messages, answers, refusals, clocks and end.

Nothing here reads a clock, a network or a database: who calls passes the time in, in seconds that only ever grow, and
stores what has changed before it sends what follows from that.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.runner import protocol
from arena.runner.match import EVAL_DECIMALS, FAULTS, VERDICTS, Fault, shorten_output
from arena.runner.program import FREE_MS_PER_ANSWER, Clock, Limits, OutOfTimeError, RealTime, Verdict
from arena.runner.protocol import Answer, LegInfo, MalformedAnswerError, Ready, make_visible
from engine.core import Game, Json, Move, Seat, State, forfeit_event
from engine.deal import deal_hash, derive_seed
from engine.message import Message, MessageError, gettext_noop, message
from engine.registry import find_game
from engine.replay import take

MAX_REFUSALS = 3
"""Bad answers to one message after which a bot is asked again; the next one is its fault."""
MAX_ABSENCE_MS = 60_000.0
"""Time that a leg waits for a bot that has lost its connection."""
MAX_ABSENCES_MS = 300_000.0
"""The same for all its absences in a leg together."""
MIN_ABSENCE_LOGGED_MS = 1000.0
MAX_LOG_CHARS = 64 * 1024
"""As much of a log is kept as of what a sandboxed bot writes to stderr."""

HELLO, END, EARLIER = "hello", "end", "earlier"
MAX_NUMBER_DIGITS = 9
"""Python refuses to read a number of some thousands."""
UNASKED = -1
"""Stands for the last decision of a process that has only been greeted."""


class LateError(MessageError):
    """The answer comes too late, or isn't the one that was taken. The message says which."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message for a bot."""

    leg: str
    key: str
    message: Json
    answered: str | None = None
    """The bot's earlier answer, in a turn that a fresh process gets only to catch up; else None."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The fate of an answer: accepted, or refused so that the bot is asked again."""

    is_refused: bool = False
    reason: str = ""
    is_new: bool = False
    """Whether it changed the leg, so that there is something to store."""


@dataclass(slots=True)
class RemotePlay:
    """A remote bot at its seat: first what is stored of it, then what is only known while it is played."""

    seat: Seat
    bot: int
    """Key of the bot."""
    bank_ms: float
    ready: Ready | None = None
    """Its answer to `hello`; None before."""
    refusals: int = 0
    refused_here: int = 0
    """Those of the present message."""
    refusal: str = ""
    """Why the last answer was refused; empty where none was since the last one that was taken."""
    answered: str = ""
    """Key of the last message that it answered."""
    answer_hash: str = ""
    away_ms: float = 0.0
    """How long the leg has waited while it was away."""
    has_end: bool = False
    log: str = ""
    fault: Fault | None = None

    is_here: bool = True
    is_sent: bool = False
    """Whether the present message was sent: only then does its clock run."""
    used_ms: float = 0.0
    """Time that the present message has cost, refused answers included."""
    absence_ms: float = 0.0
    """How long the leg has waited in the present absence."""
    counted_to: float = 0.0
    asked: dict[int, int] = field(default_factory=dict)
    """The length of the log of events by decision that it made: what came before, it knows since then."""

    def write_log(self, line: str) -> None:
        """Append a line to the bot's log."""
        self.log = (self.log + make_visible(line) + "\n")[-MAX_LOG_CHARS:]


@dataclass(frozen=True, slots=True)
class RemoteLegSpec:
    """The fixed input of a leg with remote bots."""

    name: str
    """Public name of the leg's table, of which the names of its seats are made."""
    game: str
    edition: str
    options: Json
    deal: Json
    salt: str
    seats: int
    limits: Limits
    """Those of the remote bots, in real time."""


class RemoteLeg:
    """A leg while it is played. Its caller stores it whenever `version` has grown, before it sends anything of it."""

    def __init__(self, spec: RemoteLegSpec, plays: Iterable[RemotePlay], entries: Sequence[Json], at: float) -> None:
        """Go on from these decisions, at this time."""
        self.spec = spec
        self.plays = {play.seat: play for play in plays}
        self.game: Game = find_game(spec.game)
        self.options = self.game.complete_options(spec.options)
        self.seeds = tuple(derive_seed(spec.salt, seat) for seat in range(spec.seats))
        hash_of_deal = deal_hash(spec.deal, spec.salt)
        self.info = LegInfo(spec.game, spec.edition, self.options, spec.seats, hash_of_deal, spec.limits, self.seeds)
        self.state: State = self._begin()
        self.entries: list[Json] = []
        self.verdicts = [Verdict.OK] * spec.seats
        self.version = 0
        """Grows with each change that has to be stored."""
        for play in self.plays.values():
            play.counted_to = at
        self._take(entries)
        self._advance()

    def _begin(self) -> State:
        return self.game.start(self.options, self.spec.seats, self.spec.deal)

    # What is decided outside: by a sandboxed bot at another seat.

    def follow(self, entries: Sequence[Json], at: float) -> None:
        """Play decisions that are stored already, from the first that isn't known here."""
        self.count(at)
        self._take(entries)
        self._advance()

    def _take(self, entries: Sequence[Json]) -> None:
        for entry in entries:
            seat = entry["seat"]
            if "verdict" in entry:
                self.verdicts[seat] = Verdict(entry["verdict"])
            if seat in self.plays and "auto" not in entry and self.verdicts[seat] is not Verdict.START:
                self.plays[seat].asked[self.state.ply] = self.state.log_length
            take(self.state, entry)
            self.entries.append(entry)

    # Who is to answer what.

    @property
    def is_over(self) -> bool:
        """Return whether the leg has its result."""
        return self.state.outcome is not None

    @property
    def has_started(self) -> bool:
        """Return whether all remote bots have answered `hello`, or failed to."""
        return all(play.ready is not None or play.fault is not None for play in self.plays.values())

    def awaits(self, seat: Seat) -> bool:
        """Return whether the leg waits for an answer of the remote bot at a seat."""
        play = self.plays[seat]
        if self.is_over or play.fault is not None:
            return False
        return play.ready is None or (self.has_started and self.state.to_act == seat)

    @property
    def sandboxed_to_act(self) -> Seat | None:
        """Return the seat that is to act, if a sandboxed bot has it."""
        return None if not self.has_started or self.state.to_act in self.plays else self.state.to_act

    def name_seat(self, seat: Seat) -> str:
        """Return the name of the leg for the bot at a seat."""
        return f"{self.spec.name}-{seat}"

    def find_key(self, seat: Seat) -> str:
        """Return the key of the message whose answer is awaited from a seat."""
        play = self.plays[seat]
        if play.ready is None:
            return f"{HELLO}.{play.refused_here}" if play.refused_here else HELLO
        return f"{self.state.ply}.{play.refused_here}"

    # Messages for a bot, by what its process has got.

    def collect(self, seat: Seat, have: str | None, at: float) -> list[Envelope]:
        """Return the messages that a bot hasn't got, and start the clock of the one that it is to answer.

        `have` is the key of the last one that it has got; None where its process is new, and starts with `hello`.
        """
        play = self.plays[seat]
        if self.is_over:
            return [] if play.has_end or have == END else [self._wrap(seat, END, self._build_end(seat, have))]
        waits = self.awaits(seat)
        key = self.find_key(seat) if waits else ""
        if waits and not play.is_sent:
            self.count(at)
            play.is_sent = True
        if waits and have == key:
            return []
        if play.ready is None:
            hello = self._wrap(seat, key, self._build_hello(seat))
            return [*self._repeat_refusal(seat, have, key), hello] if waits else []
        known = self._find_known(play, have)
        found = [] if known is not None else [self._wrap(seat, HELLO, self._build_hello(seat))]
        known = UNASKED if known is None else known
        earlier = self._list_earlier(play, known)
        found += earlier
        if waits:
            known = max(play.asked) if earlier else known
            found += self._repeat_refusal(seat, have, key)
            turn = self._build_turn(play, self.state, play.asked.get(known, 0), play.bank_ms)
            found.append(self._wrap(seat, key, turn))
        return found

    def _find_known(self, play: RemotePlay, have: str | None) -> int | None:
        """Return the last decision of which a process knows that has got a message, before the present one.

        UNASKED if it has only been greeted; None for a new process, and for an unknown key.
        """
        number = (have or "").partition(".")[0]
        if number == HELLO:
            return UNASKED
        if not number.isdecimal() or len(number) > MAX_NUMBER_DIGITS:
            return None
        if int(number) in play.asked:
            return int(number)
        # A bot that was refused is asked with the same events as before.
        return max(play.asked, default=UNASKED) if int(number) == self.state.ply and self.awaits(play.seat) else None

    def _list_earlier(self, play: RemotePlay, known: int) -> list[Envelope]:
        """Return the turns that a process of a stateful bot has missed, to be answered again, without any effect."""
        if play.ready is None or not play.ready.stateful or max(play.asked, default=UNASKED) <= known:
            return []
        state, found = self._begin(), []
        for entry in self.entries:
            if state.ply in play.asked and state.ply > known:
                request = self._build_turn(play, state, play.asked.get(known, 0), self.spec.limits.bank_ms)
                found.append(self._wrap(play.seat, f"{state.ply}.{EARLIER}", request, entry["action"]))
                known = state.ply
            take(state, entry)
        return found

    def _repeat_refusal(self, seat: Seat, have: str | None, key: str) -> list[Envelope]:
        """Return why the last answer was refused, for the process that gave it."""
        play = self.plays[seat]
        start = HELLO if play.ready is None else str(self.state.ply)
        if not play.refused_here or have is None or have.partition(".")[0] != start or have == f"{key}r":
            return []
        refused = {"type": "refused", "n": self.state.ply, "reason": play.refusal}
        return [self._wrap(seat, f"{key}r", refused)]

    def _wrap(self, seat: Seat, key: str, content: Json, answered: str | None = None) -> Envelope:
        return Envelope(self.name_seat(seat), key, content, answered)

    def _build_hello(self, seat: Seat) -> Json:
        return protocol.build_hello(self.info, seat)

    def _build_turn(self, play: RemotePlay, state: State, since: int, bank_ms: float) -> Json:
        assert play.ready is not None
        legal = list(state.actions()) if play.ready.legal else None
        turn = protocol.build_turn(state, play.seat, since, has_view=play.ready.view, legal=legal)
        return {**turn, "bank_ms": int(bank_ms)}

    def _build_end(self, seat: Seat, have: str | None) -> Json:
        outcome, play = self.state.outcome, self.plays[seat]
        assert outcome is not None
        known = self._find_known(play, have)
        since = 0 if known is None else play.asked.get(known, 0)
        verdicts = [verdict.value for verdict in self.verdicts]
        return protocol.build_end(outcome, verdicts, self.state.events(seat, since))

    # Answers.

    def answer(self, seat: Seat, key: str, line: bytes, at: float) -> Taken:
        """Take an answer, once; a repeated one is told again what became of it. Raises LateError."""
        play, digest = self.plays[seat], hashlib.sha256(line).hexdigest()
        if key == END and self.is_over:
            return self._see_end(play)
        if key == play.answered:
            return self._repeat(seat, digest)
        if not self.awaits(seat) or key != self.find_key(seat):
            if key.partition(".")[0] == HELLO and play.ready is not None:
                return Taken()  # a fresh process says again that it is ready
            raise LateError(self._explain_late(play))
        self.count(at)
        self.version += 1
        play.answered, play.answer_hash = key, digest
        if play.ready is None:
            return self._take_ready(play, line)
        return self._take_action(play, line)

    def _see_end(self, play: RemotePlay) -> Taken:
        is_new, play.has_end = not play.has_end, True
        self.version += is_new
        return Taken(is_new=is_new)

    def _repeat(self, seat: Seat, digest: str) -> Taken:
        play = self.plays[seat]
        if digest != play.answer_hash:
            raise LateError(message(gettext_noop("Another answer to this message was taken before.")))
        is_refused = self.awaits(seat) and play.refused_here > 0
        return Taken(is_refused, play.refusal if is_refused else "")

    def _explain_late(self, play: RemotePlay) -> Message:
        if self.is_over:
            return message(gettext_noop("This leg is finished."))
        if play.fault is not None:
            return message(gettext_noop("The bot has lost this leg: %(fault)s"), fault=play.fault.message)
        return message(gettext_noop("This message isn't waiting for an answer any more."))

    def _take_ready(self, play: RemotePlay, line: bytes) -> Taken:
        try:
            Clock(self.spec.limits.start_ms, math.inf).charge(RealTime(play.used_ms, play.used_ms))
            play.ready = protocol.parse_ready(line)
        except MalformedAnswerError as error:
            if play.refused_here < MAX_REFUSALS:
                return self._refuse(play, error.message)
            self._fail_start(play, error.message, line)
            return Taken(is_new=True)
        except OutOfTimeError as error:
            self._fail_start(play, error.message, line)
            return Taken(is_new=True)
        self._begin_message(play)
        self._advance()
        return Taken(is_new=True)

    def _take_action(self, play: RemotePlay, line: bytes) -> Taken:
        clock = Clock(self.spec.limits.move_ms, play.bank_ms)
        try:
            clock.charge(RealTime(play.used_ms, play.used_ms))
            answer = protocol.parse_answer(line)
            move = self.state.parse(answer.action)
        except FAULTS as error:
            if play.refused_here < MAX_REFUSALS and not isinstance(error, OutOfTimeError):
                return self._refuse(play, error.message)
            play.bank_ms = clock.bank_ms
            self._record_fault(play, _find_verdict(error), error.message, line)
            self._advance()
            return Taken(is_new=True)
        play.bank_ms = clock.bank_ms
        self._play(play, move, answer)
        return Taken(is_new=True)

    def _play(self, play: RemotePlay, move: Move, answer: Answer) -> None:
        entry: Json = {"seat": play.seat, "action": self.state.text(move), "ms": round(play.used_ms)}
        if play.refused_here:
            entry["refused"] = play.refused_here
        if answer.note is not None:
            entry["note"] = answer.note
        if answer.eval is not None:
            entry["eval"] = round(answer.eval, EVAL_DECIMALS)
        play.asked[self.state.ply] = self.state.log_length
        self._begin_message(play)
        self.entries.append(entry)
        self.state.play(move)
        self._advance()

    def _refuse(self, play: RemotePlay, reason: Message) -> Taken:
        play.refusals += 1
        play.refused_here += 1
        play.refusal = str(reason)
        play.is_sent = False
        where = "hello" if play.ready is None else f"decision {self.state.ply}"
        play.write_log(f"Refused at {where}, {play.refused_here} of {MAX_REFUSALS}: {play.refusal}")
        return Taken(is_refused=True, reason=play.refusal, is_new=True)

    def _begin_message(self, play: RemotePlay) -> None:
        """Forget what was counted for the message that is answered now."""
        play.refused_here, play.refusal, play.used_ms, play.is_sent = 0, "", 0.0, False

    def _advance(self) -> None:
        """Play what has no choice, and let seats go out that are to act and have a fault."""
        while self.has_started and (seat := self.state.to_act) is not None:
            if (move := self.state.forced()) is not None:
                self.entries.append({"seat": seat, "action": self.state.text(move), "auto": True})
                self.state.play(move)
            elif seat in self.plays and self.plays[seat].fault is not None:
                self._forfeit(self.plays[seat])
            else:
                return
            self.version += 1

    # Faults.

    def _fail_start(self, play: RemotePlay, reason: Message, line: bytes = b"") -> None:
        """Record that a bot didn't start. With two seats it has lost, with more it goes out when it is to act."""
        problem = message(gettext_noop("the bot didn't start: %(error)s"), error=reason)
        self._record_fault(play, Verdict.START, problem, line)
        if self.spec.seats == 2:
            self._forfeit(play)
        self._advance()

    def _record_fault(self, play: RemotePlay, verdict: Verdict, reason: Message, line: bytes = b"") -> None:
        if play.ready is None:
            request = self._build_hello(play.seat)
        else:
            last = max(play.asked, default=UNASKED)
            request = self._build_turn(play, self.state, play.asked.get(last, 0), play.bank_ms)
            request["legal"] = list(self.state.actions())
        sent = shorten_output(line) if line else None
        play.fault = Fault(verdict, reason, sent, request)
        play.write_log(f"Lost at decision {self.state.ply}, {verdict.value}: {reason}")
        self.version += 1

    def _forfeit(self, play: RemotePlay) -> None:
        assert play.fault is not None
        entry = forfeit_event(play.seat, play.fault.verdict.value)
        if play.refused_here:
            entry["refused"] = play.refused_here
        self._take([entry])
        self.version += 1

    # Clocks and absences. Time is counted for a bot while the leg waits for it: as absence while it is away, and else
    # as the cost of its answer once the message was sent.

    def count(self, at: float) -> None:
        """Count the time up to now."""
        for seat, play in self.plays.items():
            passed_ms = max(0.0, at - play.counted_to) * 1000
            play.counted_to = max(at, play.counted_to)
            if not self.awaits(seat):
                continue
            if not play.is_here:
                play.absence_ms += passed_ms
                play.away_ms += passed_ms
            elif play.is_sent:
                play.used_ms += passed_ms

    def skip(self, at: float) -> None:
        """Count the time up to now for nobody: the arena was to blame for it."""
        for play in self.plays.values():
            play.counted_to = max(at, play.counted_to)

    def leave(self, bot: int, since: float, at: float) -> None:
        """Record that a bot is away, since a moment for which it was believed to be here."""
        self.count(at)
        for play in self.plays.values():
            if play.bot == bot and play.is_here:
                play.is_here, play.absence_ms = False, 0.0
                if self.awaits(play.seat) and play.is_sent:
                    back_ms = min(play.used_ms, max(0.0, at - since) * 1000)
                    play.used_ms -= back_ms
                    play.absence_ms += back_ms
                    play.away_ms += back_ms

    def come(self, bot: int, at: float) -> None:
        """Record that a bot is here again."""
        self.count(at)
        for play in self.plays.values():
            if play.bot == bot and not play.is_here:
                play.is_here = True
                if play.absence_ms >= MIN_ABSENCE_LOGGED_MS:
                    waited = round(play.absence_ms / 1000)
                    play.write_log(f"Away at decision {self.state.ply}: the leg waited for {waited} s")
                    self.version += 1
                play.absence_ms = 0.0

    def check_clocks(self, at: float) -> bool:
        """Let bots lose that have used up their time or were away too long, and return whether one has."""
        self.count(at)
        version = self.version
        for seat, play in self.plays.items():
            if not self.awaits(seat):
                continue
            if not play.is_here and (play.absence_ms > MAX_ABSENCE_MS or play.away_ms > MAX_ABSENCES_MS):
                template = gettext_noop("the bot was away for %(seconds)s s, and for %(total)s s in this leg")
                seconds, total = round(play.absence_ms / 1000), round(play.away_ms / 1000)
                self._time_out(play, message(template, seconds=seconds, total=total))
            elif play.is_here and play.used_ms > self._find_allowance(play):
                template = gettext_noop("no answer within %(seconds)s s")
                self._time_out(play, message(template, seconds=f"{self._find_allowance(play) / 1000:.3g}"))
        return self.version != version

    def _find_allowance(self, play: RemotePlay) -> float:
        limits = self.spec.limits
        if play.ready is None:
            return limits.start_ms
        return min(limits.move_ms, FREE_MS_PER_ANSWER + play.bank_ms)

    def _time_out(self, play: RemotePlay, reason: Message) -> None:
        if play.ready is None:
            self._fail_start(play, reason)
        else:
            play.bank_ms = max(0.0, play.bank_ms - max(0.0, play.used_ms - FREE_MS_PER_ANSWER))
            self._record_fault(play, Verdict.TIMEOUT, reason)
            self._advance()


def _find_verdict(error: MessageError) -> Verdict:
    return next(verdict for kind, verdict in VERDICTS.items() if isinstance(error, kind))
