"""A leg played again from its record, cut into the steps a reader takes through it. Pure: no rows, no requests."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass, field

from arena.runner.clock import Spent
from engine.core import Json, State
from engine.replay import states

Told = list[Json]


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision of the leg, with what the onlooker was told of it."""

    number: int
    seat: int
    action: str
    """The words of the record, hidden parts included."""
    events: Told
    spent: Spent | None
    """What the answer took; None where nobody was asked."""
    note: str
    """What the bot wished to say."""


@dataclass(frozen=True, slots=True)
class Step:
    """What the reader sees happen at once: a turn, or a decision before the first turn."""

    number: int
    turn: int | None
    """The game's own count, or ours where it has none; 0 before its first turn, None in the deal."""
    entries: tuple[Entry, ...]

    @property
    def is_opening(self) -> bool:
        return self.turn == 0

    @property
    def seat(self) -> int | None:
        return self.entries[0].seat if self.entries else None

    @property
    def spent(self) -> Spent | None:
        spent = [entry.spent for entry in self.entries if entry.spent is not None]
        if not spent:
            return None
        wall, cpu, late = (sum(times) for times in zip(*map(astuple, spent), strict=True))
        return Spent(wall, cpu, late)

    @property
    def events(self) -> Told:
        return [event for entry in self.entries for event in entry.events]

    @property
    def notes(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.note]


@dataclass(slots=True)
class Scene:
    """A leg as one onlooker sees it, standing after one of its steps. Step 0 is the deal."""

    edition: str
    options: Json
    onlooker: int | None
    """The seat whose eyes are used; None sees everything."""
    steps: tuple[Step, ...]
    number: int
    """The step shown."""
    before: list[Json]
    """What each seat could see before that step."""
    after: list[Json]
    """What each seat can see after it."""
    proofs: list[Json]
    """What the game says to explain the step's actions."""
    result: Json

    @property
    def step(self) -> Step:
        return self.steps[self.number]

    @property
    def opening(self) -> int:
        """How many steps come before the first turn."""
        return sum(step.is_opening for step in self.steps)

    @property
    def turns(self) -> int:
        return self.steps[-1].turn or 0

    @property
    def turn(self) -> int:
        """The turn shown, 0 before the first."""
        return self.step.turn or 0

    @property
    def last(self) -> int:
        return len(self.steps) - 1

    @property
    def is_over(self) -> bool:
        return self.number == self.last


@dataclass(slots=True)
class Cut:
    """The steps found so far, and the entries of the one that is not yet closed."""

    steps: list[Step] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    turns: int = 0
    """Turns of a game that does not count them."""

    def close(self, turn: int | None) -> None:
        if turn is None and self.steps:
            self.turns += 1
            turn = self.turns
        self.steps.append(Step(len(self.steps), turn, tuple(self.entries)))
        self.entries = []


def watch(record: Json, number: int, onlooker: int | None = None) -> Scene:
    """The leg of a valid record after step `number`, which is brought into range."""
    steps = cut_steps(record, onlooker)
    number = max(0, min(number, len(steps) - 1))
    first = sum(len(step.entries) for step in steps[:number])
    before, after, proofs = look_at(record, first, len(steps[number].entries))
    return Scene(record["edition"], record["options"], onlooker, steps, number, before, after, proofs, record["result"])


def cut_steps(record: Json, onlooker: int | None) -> tuple[Step, ...]:
    """All steps of the leg. The first one is the deal, before anybody has acted."""
    cut, told, turn = Cut(), 0, None
    for number, state in enumerate(states(record)):
        if number:
            cut.entries.append(read_entry(record, number - 1, state.events(onlooker, told)))
        told = state.log_length
        now = turn_of(state)
        if not number or ends_step(state, cut.entries[-1].seat, turn, now):
            cut.close(turn)
        turn = now
    return tuple(cut.steps)


def turn_of(state: State) -> int | None:
    """The game's own count of turns, 0 before the first; None in the turns of a game that does not count them."""
    view = state.view(0)
    turn = view.get("turn")
    if isinstance(turn, int):
        return turn
    return 0 if view.get("round") == 0 else None


def ends_step(state: State, acted: int, turn: int | None, now: int | None) -> bool:
    """Whether what seat `acted` just did is the last of its step. Turns not counted are what a seat does in a row."""
    if state.to_act is None or now != turn or now == 0:
        return True
    return now is None and state.to_act != acted


def read_entry(record: Json, number: int, events: Told) -> Entry:
    entry = record["actions"][number]
    return Entry(
        number=number,
        seat=entry["seat"],
        action=entry["action"],
        events=events,
        spent=Spent(entry["ms"], entry.get("cpu_ms", 0), entry.get("late_ms", 0)) if "ms" in entry else None,
        note=entry.get("note", ""),
    )


def look_at(record: Json, first: int, count: int) -> tuple[list[Json], list[Json], list[Json]]:
    """What each seat sees before entry `first` and after `count` entries, and what explains those between."""
    before: list[Json] = []
    proofs: list[Json] = []
    for number, state in walk(record, first, count):
        if number == first:
            before = see(state)
        if number == first + count:
            return before, see(state), proofs
        action = record["actions"][number]["action"]
        proof = None if action == "forfeit" else state.explain(action)
        if proof is not None:
            proofs.append(proof)
    raise AssertionError("the record is shorter than its own steps")


def walk(record: Json, first: int, count: int) -> Iterator[tuple[int, State]]:
    for number, state in enumerate(states(record)):
        if first <= number <= first + count:
            yield number, state


def see(state: State) -> list[Json]:
    return [state.view(seat) for seat in range(state.seats)]
