"""Replay a leg from its record, divided into the steps of the replay page. Pure: no database, no requests."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from django.http import HttpRequest
from django.urls import reverse

from arena.bots.models import BotVersion
from arena.matches.models import Leg, LegSeat
from arena.runner import protocol
from arena.runner.program import RealTime, TimeSpent
from engine.core import PUBLIC_ONLOOKER as PUBLIC_ONLOOKER
from engine.core import Json, State
from engine.replay import states, take

Events = list[Json]
LAST_STEP = 10**9
"""More steps than a leg has: brought into range, it is the last one."""
FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision in the leg, as the onlooker sees it."""

    number: int
    seat: int
    action: str
    """The action as in the record, including hidden parts."""
    events: Events
    spent: TimeSpent | None
    """The time and CPU time that the answer took; None if no player was asked."""
    note: str
    """The bot's comment on its action."""
    eval: float | None = None
    """The bot's estimate of its chances, from -1 to 1, or None."""
    refused: int = 0
    """Answers of a remote bot to this decision that were refused before."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step in the replay: a turn, or a decision before the first turn."""

    number: int
    turn: int | None
    """The turn by the game's own count, or else by the site's; 0 before the first turn, None in the deal."""
    entries: tuple[Entry, ...]
    round: int | None = None
    """The step's round; None in a game without rounds."""

    @property
    def is_opening(self) -> bool:
        """Return whether the step is a decision before the first turn."""
        return self.turn == 0

    @property
    def seat(self) -> int | None:
        """Return the seat that acted; None for the deal."""
        return self.entries[0].seat if self.entries else None

    @property
    def seats(self) -> list[int]:
        """Return all seats that acted, in order; several if choices are simultaneous."""
        return list(dict.fromkeys(entry.seat for entry in self.entries))

    @property
    def spent(self) -> TimeSpent | None:
        """Return the time of all answers in the step; None if no player was asked."""
        return add_times(self.entries)

    @property
    def spent_by_seat(self) -> list[tuple[int, TimeSpent | None]]:
        """Return the answer time of each seat that acted, in order."""
        return [(seat, add_times([entry for entry in self.entries if entry.seat == seat])) for seat in self.seats]

    @property
    def events(self) -> Events:
        """Return the step's events that the onlooker sees."""
        return [event for entry in self.entries for event in entry.events]

    @property
    def notes(self) -> list[Entry]:
        """Return the decisions with a note from the bot, as long as the onlooker sees the whole action."""
        return [entry for entry in self.entries if entry.note and self.is_told(entry.seat, entry.action)]

    def is_told(self, seat: int, action: str) -> bool:
        """Return whether the onlooker was told the whole of this action in this step."""
        return any(event.get("seat") == seat and event.get("action") == action for event in self.events)

    @property
    def decisions(self) -> list[tuple[int, str]]:
        """Return the seat and action of each decision."""
        return [(entry.seat, entry.action) for entry in self.entries]

    @property
    def refused(self) -> int:
        """Return how many answers of remote bots were refused in this step."""
        return sum(entry.refused for entry in self.entries)

    @property
    def reported_chances(self) -> float | None:
        """Return the last estimate of its own chances that a bot sent in this step, from -1 to 1."""
        return next((entry.eval for entry in reversed(self.entries) if entry.eval is not None), None)


def add_times(entries: Sequence[Entry]) -> TimeSpent | None:
    """Return what all answers among these decisions took; None where nobody was asked."""
    spent = [entry.spent for entry in entries if entry.spent is not None]
    if len(spent) < 2:
        return spent[0] if spent else None
    return type(spent[0])(*(sum(getattr(one, name) for one in spent) for name in TimeSpent.__slots__))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an analysis says of a decision that gave something away, as far as the onlooker may know."""

    step: int
    """Number of the step."""
    seat: int
    name: str
    """A name of `engine.analysis.grading.JUDGEMENTS`."""
    loss: float
    """The chance of winning that was given away, from 0 to 1."""
    action: str
    better: str
    """The better action; empty where the onlooker doesn't see the hand it is played from."""
    given_up: str = ""
    """"win" or "draw" where it is proved that this is what the decision gave away."""


@dataclass(frozen=True, slots=True)
class SolvedStep:
    """What an analysis has proved of a leg after a step: who wins if both sides play their best from there."""

    step: int
    """Number of the step."""
    winner: int | None
    """The seat that wins; None for a draw."""


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """What a leg is worth after a step to the seat that acts next, on average over all that it couldn't know."""

    step: int
    """Number of the step."""
    seat: int
    """The seat that acts next."""
    chance: float
    cases: int
    """How many different hands and orders of the decks there were for it."""


@dataclass(slots=True)
class Scene:
    """A leg after one of its steps, as one onlooker sees it. Step 0 is the deal."""

    edition: str
    options: Json
    onlooker: int | None
    """The onlooker's seat; None sees everything, and PUBLIC_ONLOOKER only public information."""
    steps: tuple[Step, ...]
    number: int
    """The step shown."""
    before: list[Json]
    """Each seat's view before the step shown."""
    after: list[Json]
    """Each seat's view after the step shown."""
    proofs: list[Json]
    """The game's explanations of the step's actions."""
    result: Json | None
    """None while the leg is running."""
    judgement: Judgement | None = None
    """The analysis of the step's worst decision, if it has a judgement."""
    solved: SolvedStep | None = None
    """What is proved of the leg after the step, if it isn't over."""
    expected: ExpectedStep | None = None
    """What the leg is worth on average after the step, where few cards are hidden and nothing is proved."""
    near: int = 0
    """The seat at the bottom edge, if the game's table has one."""
    states: Sequence[State] = field(default=(), repr=False, compare=False)
    """The state after each step, for anything that depends on earlier steps; never modified."""

    @property
    def final_result(self) -> Json:
        """Return the result of a finished leg."""
        assert self.result is not None
        return self.result

    @property
    def step(self) -> Step:
        """Return the step shown."""
        return self.steps[self.number]

    @property
    def opening(self) -> int:
        """Return the number of steps before the first turn."""
        return sum(step.is_opening for step in self.steps)

    @property
    def turns(self) -> int:
        """Return the number of turns in the leg."""
        return self.steps[-1].turn or 0

    @property
    def turn(self) -> int:
        """Return the turn shown; 0 before the first turn."""
        return self.step.turn or 0

    @property
    def last(self) -> int:
        """Return the number of the last step."""
        return len(self.steps) - 1

    @property
    def is_over(self) -> bool:
        """Return whether the step shown ends the leg."""
        return self.number == self.last and self.result is not None

    def sees(self, seat: int) -> bool:
        """Return whether what only that seat can see is shown."""
        return self.onlooker in (None, seat)


@dataclass(frozen=True)
class Playback:
    """A leg replayed once for one onlooker: every step and the state after it, from which scenes are built on demand.

    The page, frames, preview, transcript and twin boards all use it.
    """

    record: Json
    onlooker: int | None
    steps: tuple[Step, ...]
    states: Sequence[State] = field(repr=False)
    """The state after each step; never modified."""
    to_act: int | None = None
    """The seat to act after the last decision, even if a step is still open."""
    judgements: Mapping[int, Judgement] = field(default_factory=dict)
    """The analysis of each step's worst decision, by step number."""
    solved: Mapping[int, SolvedStep] = field(default_factory=dict)
    """What is proved of the leg after each step, by step number."""
    expected: Mapping[int, ExpectedStep] = field(default_factory=dict)
    """What the leg is worth on average after each step, by step number."""
    near: int = 0
    """The seat at the bottom edge, if the game's table has one."""

    @property
    def last(self) -> int:
        """Return the number of the last step."""
        return len(self.steps) - 1

    @cached_property
    def views(self) -> list[list[Json]]:
        """Return the views of all seats after each step."""
        return [list_views(state) for state in self.states]

    def scene(self, number: int, *, has_proofs: bool = True) -> Scene:
        """Return the leg after this step, which is brought into range."""
        number = max(0, min(number, self.last))
        return Scene(
            edition=self.record["edition"],
            options=self.record["options"],
            onlooker=self.onlooker,
            steps=self.steps,
            number=number,
            before=list_views(self.states[max(number - 1, 0)]),
            after=list_views(self.states[number]),
            proofs=self.explain(number) if has_proofs else [],
            result=self.record["result"],
            judgement=self.judgements.get(number),
            solved=self.solved.get(number),
            expected=self.expected.get(number),
            near=self.near,
            states=self.states,
        )

    def explain(self, number: int) -> list[Json]:
        """Return what the game says of a step's actions of which the onlooker is told all."""
        step, proofs = self.steps[number], []
        state = self.states[max(number - 1, 0)].copy()
        for entry in step.entries:
            decision = self.record["actions"][entry.number]
            if entry.action != FORFEIT and step.is_told(entry.seat, entry.action):
                proofs.append(state.explain(entry.action))
            take(state, decision)
        return [proof for proof in proofs if proof is not None]


def play_to(record: Json, number: int, onlooker: int | None = None) -> Scene:
    """Return the leg of a valid record after step `number`, which is brought into range."""
    return play_back(record, onlooker).scene(number)


def play_back(record: Json, onlooker: int | None, near: int = 0) -> Playback:
    """Return all steps of a valid record, the first one being the deal before anybody has acted.

    Its `result` is None while the leg is played; a step that is still open is left out. `near` is the seat at the
    lower edge.
    """
    builder = StepBuilder(onlooker)
    for state, entry in zip(states(record), [None, *record["actions"]], strict=True):
        builder.add(state, entry)
    return replace(builder.finish(record, state), near=near)


class StepBuilder:
    """Build the steps of a leg from its states, each of which is added once, in order."""

    def __init__(self, onlooker: int | None) -> None:
        self.onlooker = onlooker
        self.steps: list[Step] = []
        self.states: list[State] = []
        """A copy of the state after each step."""
        self.entries: list[Entry] = []
        """The entries of the step that is not yet closed."""
        self.entries_taken = self.log_position = 0
        """Entries taken so far, and how much of the log has been read."""
        self.turn: int | None = None
        self.round: int | None = None
        """Turn and round before the newest entry."""
        self.uncounted_turns = 0
        """Turns so far of a game that does not count them."""

    def add(self, state: State, entry: Json | None) -> None:
        """Look at the state after an entry, or with None at the deal."""
        if entry is not None:
            told = state.events(self.onlooker, self.log_position)
            events = [mark_total(event, state) for event in told]
            self.entries.append(read_entry(entry, self.entries_taken, events))
            self.entries_taken += 1
        self.log_position = state.log_length
        view = state.view(0)
        now = read_turn(view)
        if entry is None or ends_step(state, entry["seat"], self.turn, now):
            self.close_step(state)
        self.turn, self.round = now, view.get("round")

    def close_step(self, state: State) -> None:
        """Make a step of the entries so far."""
        turn = self.turn
        if turn is None and self.steps:
            self.uncounted_turns += 1
            turn = self.uncounted_turns
        self.steps.append(Step(len(self.steps), turn, tuple(self.entries), self.round))
        self.states.append(state.copy())
        self.entries = []

    def finish(self, record: Json, state: State) -> Playback:
        """Return the leg, without a step that is still open."""
        return Playback(record, self.onlooker, tuple(self.steps), self.states, state.to_act)

    def finish_open(self, record: Json, state: State) -> Scene:
        """Return the scene after the last entry, also where its step is still open; it has no proofs."""
        if self.entries:
            self.close_step(state)
        return self.finish(record, state).scene(LAST_STEP, has_proofs=False)


def mark_total(event: Json, state: State) -> Json:
    """Return an event; a claim is marked with `is_total` where the ground lets only the total count.

    The event names a formation there too. What lies at a claimed flag stays, so every later state tells.
    """
    if "formation" not in event or "sum" not in event:
        return event
    verb, _space, number = event.get("action", "").partition(" ")
    flags = state.view(0).get("flags", ()) if verb == "claim" else ()
    flag = next((one for one in flags if str(one["flag"]) == number), None)
    return event if flag is None else event | {"is_total": flag["fog"] or flag["tile"] == "woodland"}


def read_turn(view: Json) -> int | None:
    """Return the game's own count of turns, 0 before the first; None in a game that does not count them."""
    turn = view.get("turn")
    if isinstance(turn, int):
        return turn
    return 0 if view.get("round") == 0 else None


def ends_step(state: State, acted: int, turn: int | None, now: int | None) -> bool:
    """Return whether what seat `acted` just did ends its step. Turns not counted are what a seat does in a row."""
    if state.to_act is None or now != turn or now == 0:
        return True
    return now is None and state.to_act != acted


def read_entry(entry: Json, number: int, events: Events) -> Entry:
    """Return a decision of the record with the events told of it."""
    return Entry(
        number=number,
        seat=entry["seat"],
        action=entry["action"],
        events=events,
        spent=read_time_spent(entry),
        note=entry.get("note", ""),
        eval=entry.get("eval"),
        refused=entry.get("refused", 0),
    )


def read_time_spent(entry: Json) -> TimeSpent | None:
    """Return the time of an answer; None where nobody was asked. That of a remote bot has no processor time."""
    if "ms" not in entry:
        return None
    return (TimeSpent if "cpu_ms" in entry else RealTime)(entry["ms"], entry.get("cpu_ms", 0), entry.get("late_ms", 0))


def list_views(state: State) -> list[Json]:
    """Return what each seat sees, by seat."""
    return [state.view(seat) for seat in range(state.seats)]


def explain_refused(record: Json, action: str) -> Json | None:
    """Return what the game says of an action that was refused and ended the leg; None where it says nothing."""
    *_before, last = record["actions"]
    for number, state in enumerate(states(record)):
        if record["actions"][number] is last:
            return state.explain(action)
    return None


# Stand-ins for seats, participants and versions of a record that isn't in the database, for the templates of a leg.


@dataclass(frozen=True, slots=True)
class GuestBot:
    """A bot without a page here, as templates ask for a version's bot."""

    name: str
    slug: str = ""
    """What its crest is made from."""
    is_remote: bool = False
    crest_design: str = ""
    crest_difference: int = 0


@dataclass(frozen=True, slots=True)
class GuestVersion:
    """A version without a page here, as templates ask for a version."""

    bot: GuestBot
    number: str
    get_absolute_url: str = ""


@dataclass(frozen=True, slots=True)
class GuestPart:
    """A participant that isn't in the database."""

    version: GuestVersion


@dataclass(frozen=True, slots=True)
class GuestSeat:
    """A seat of a record from elsewhere, as templates ask for a seat of a leg."""

    seat: int
    participant: GuestPart
    has_crest: bool = False


def seat_guests(record: Json) -> Sequence[GuestSeat]:
    """Return the seats of a record, named as the record names them."""
    return [
        GuestSeat(
            seat,
            GuestPart(
                GuestVersion(
                    GuestBot(str(bot.get("name", ""))[:60], is_remote=bot.get("remote") is True),
                    str(bot.get("version", ""))[:20],
                )
            ),
        )
        for seat, bot in enumerate(record["seats"])
    ]


def seat_house_bots(record: Json) -> Sequence[GuestSeat]:
    """Return the seats of a record between bots of the house, which have the crests that their names give them."""
    return [
        GuestSeat(
            seat, GuestPart(GuestVersion(GuestBot(bot["name"], bot["name"]), str(bot["version"]))), has_crest=True
        )
        for seat, bot in enumerate(record["seats"])
    ]


# The onlookers of a leg in addresses: everything, what one seat sees, or what is public.

EVERYTHING, PUBLIC = "all", "public"


def read_view(asked: str, own: Sequence[int], seats: int) -> int | None:
    """Return the onlooker asked for; by default the seat of the reader's own bot if it has one seat, else None."""
    if asked == EVERYTHING:
        return None
    if asked == PUBLIC:
        return PUBLIC_ONLOOKER
    if asked.isdecimal() and int(asked) < seats:
        return int(asked)
    return own[0] if len(own) == 1 else None


def name_view(onlooker: int | None) -> str:
    """Return the value of `view` in an address for an onlooker."""
    if onlooker is None:
        return EVERYTHING
    return PUBLIC if onlooker == PUBLIC_ONLOOKER else str(onlooker)


# The command by which an author asks a bot of theirs again what it was asked in a leg, up to the step shown.


@dataclass(frozen=True, slots=True)
class RerunCommand:
    """A command of `pennant` for one seat, in parts."""

    start: str
    """All of the command but the decision with which it ends."""
    until: int
    """The last decision of the step shown."""
    decisions: list[int]
    """The last decision of each step, by the number of the step."""


def list_rerun_commands(
    request: HttpRequest, leg: Leg, seats: Sequence[LegSeat], own: Collection[int], playback: Playback, step: int
) -> list[RerunCommand]:
    """Return a command for each seat of the reader's own bots that are sandboxed."""
    ends = (max((entry.number for entry in each.entries), default=0) for each in playback.steps)
    decisions = list(accumulate(ends, max))
    return [
        RerunCommand(
            build_rerun_command(request, leg, seat.participant.version, seat.seat),
            decisions[min(step, len(decisions) - 1)],
            decisions,
        )
        for seat in seats
        if seat.seat in own and not seat.participant.version.bot.is_remote
    ]


def build_rerun_command(request: HttpRequest, leg: Leg, version: BotVersion, seat: int) -> str:
    """Return the command for a seat, without the decision with which it ends. It fetches the bot, wherever it runs."""
    address = request.build_absolute_uri(reverse("record", args=[leg.match_id, leg.number]))
    return f"pennant rerun {address} --bot {version.bot.slug}/{version.number} --seat {seat} --until"


# Rebuild the requests to bots and their answers in a leg from its record; only the clock is missing.

ANSWER_FIELDS = ("action", "note", "eval")


def list_exchanges(record: Json, first: int, last: int) -> Iterator[Json]:
    """Yield `{"request", "answer", "ms"}` of each answer among the entries from `first` to before `last`.

    Requests are as `bots/README.md` has them, with `view` and `legal` though the bot may have wanted neither, and
    without `bank_ms`.
    """
    log_positions = [0] * len(record["seats"])
    for number, (state, entry) in enumerate(zip(states(record), record["actions"], strict=False)):
        if "ms" not in entry:
            continue
        seat = entry["seat"]
        if first <= number < last:
            yield {
                "request": protocol.build_turn(state, seat, log_positions[seat], legal=list(state.actions())),
                "answer": {name: entry[name] for name in ANSWER_FIELDS if name in entry},
                "ms": entry["ms"],
            }
        log_positions[seat] = state.log_length
