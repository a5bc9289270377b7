"""A leg played again from its record, cut into the steps a reader takes through it. Pure: no rows, no requests."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.runner.clock import Spent
from engine.core import Json, State
from engine.replay import states

Told = list[Json]
PUBLIC = -1
"""The onlooker who sits nowhere and sees what everybody sees: no hand, and nothing that is hidden from anybody."""


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
    eval: float | None = None
    """How it saw its chances, from -1 to 1; None where it didn't say."""


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
        if len(spent) < 2:
            return spent[0] if spent else None
        return Spent(*(sum(getattr(one, name) for one in spent) for name in Spent.__slots__))

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
    """The seat whose eyes are used; None sees everything, PUBLIC what all see."""
    steps: tuple[Step, ...]
    number: int
    """The step shown."""
    before: list[Json]
    """What each seat could see before that step."""
    after: list[Json]
    """What each seat can see after it."""
    proofs: list[Json]
    """What the game says to explain the step's actions."""
    result: Json | None
    """None while the leg is played."""

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
        return self.number == self.last and self.result is not None

    def sees(self, seat: int) -> bool:
        """Whether what only that seat can see is shown."""
        return self.onlooker in (None, seat)


@dataclass(frozen=True, slots=True)
class Film:
    """Every step of a leg, for one onlooker."""

    record: Json
    onlooker: int | None
    steps: tuple[Step, ...]
    views: Mapping[int, list[Json]]
    """By step, what each seat sees after it."""
    proofs: Mapping[int, list[Json]]
    """By step, what the game says to explain its actions; no entry where it says nothing."""

    @property
    def last(self) -> int:
        return len(self.steps) - 1

    def scene(self, number: int) -> Scene:
        """The leg after this step, which is brought into range and must have been kept."""
        number = max(0, min(number, self.last))
        return Scene(
            edition=self.record["edition"],
            options=self.record["options"],
            onlooker=self.onlooker,
            steps=self.steps,
            number=number,
            before=self.views[max(number - 1, 0)],
            after=self.views[number],
            proofs=self.proofs.get(number, []),
            result=self.record["result"],
        )


def watch(record: Json, number: int, onlooker: int | None = None) -> Scene:
    """The leg of a valid record after step `number`, which is brought into range."""
    number = max(0, number)
    film = play_back(record, onlooker, kept=number)
    if number > film.last:
        film = play_back(record, onlooker, kept=film.last)
    return film.scene(number)


def play_back(record: Json, onlooker: int | None, kept: int | None = None) -> Film:
    """All steps of a valid record, the first one being the deal before anybody has acted.

    Its `result` is None while the leg is played. Where `kept` names a step, views and proofs are made for its scene
    alone; otherwise for every scene.
    """
    cutter = Cutter(record, onlooker, kept)
    for state in states(record):
        cutter.look(state)
    return cutter.finish()


class Cutter:
    """Looks at every state of a leg once, in order, and makes the steps of it."""

    def __init__(self, record: Json, onlooker: int | None, kept: int | None) -> None:
        self.record = record
        self.onlooker = onlooker
        self.kept = kept
        self.steps: list[Step] = []
        self.views: dict[int, list[Json]] = {}
        self.proofs: dict[int, list[Json]] = {}
        self.entries: list[Entry] = []
        """Of the step that is not yet closed."""
        self.taken = self.told = 0
        """Entries taken so far, and how much of the log has been read."""
        self.turn: int | None = None
        """As it was before the newest entry."""
        self.uncounted = 0
        """Turns of a game that does not count them."""

    def look(self, state: State) -> None:
        """At the state before the next entry, or the last one."""
        is_first = not self.steps
        if not is_first:
            self.entries.append(read_entry(self.record, self.taken, state.events(self.onlooker, self.told)))
            self.taken += 1
        self.told = state.log_length
        now = turn_of(state)
        if is_first or ends_step(state, self.entries[-1].seat, self.turn, now):
            self.close(state)
        self.turn = now
        self.explain(state)

    def close(self, state: State) -> None:
        turn = self.turn
        if turn is None and self.steps:
            self.uncounted += 1
            turn = self.uncounted
        number = len(self.steps)
        self.steps.append(Step(number, turn, tuple(self.entries)))
        self.entries = []
        if self.is_kept(number) or self.is_kept(number + 1):
            self.views[number] = see(state)

    def explain(self, state: State) -> None:
        """The entry that comes next."""
        if self.taken == len(self.record["actions"]) or not self.is_kept(len(self.steps)):
            return
        action = self.record["actions"][self.taken]["action"]
        proof = None if action == "forfeit" else state.explain(action)
        if proof is not None:
            self.proofs.setdefault(len(self.steps), []).append(proof)

    def is_kept(self, number: int) -> bool:
        return self.kept is None or number == self.kept

    def finish(self) -> Film:
        """Without the step that is still open, where the leg goes on."""
        return Film(self.record, self.onlooker, tuple(self.steps), self.views, self.proofs)


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
        eval=entry.get("eval"),
    )


def see(state: State) -> list[Json]:
    return [state.view(seat) for seat in range(state.seats)]


def explain_refused(record: Json, action: str) -> Json | None:
    """What the game says of an action that was refused and so ended the leg; None where it has nothing to say."""
    *_before, last = record["actions"]
    for number, state in enumerate(states(record)):
        if record["actions"][number] is last:
            return state.explain(action)
    return None
