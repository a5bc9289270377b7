"""The table at which a person plays, as one reader sees it, with what the reader can do now."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote_plus

from arena.matches.livegames.answering import BotTurn
from arena.pages.matches.replay import Scene
from engine.core import IllegalAction, Json, MalformedAction, State
from engine.message import Message
from engine.replay import describe

# The table at which a person plays, as one reader sees it. Pure: no database, no requests.
#
# A choice in progress is the beginning of an action, as words: with `play R7` chosen, the flags are what comes next.

CHOSEN, WHY = "chosen", "why"
"""Parameters of the address of a table: the words chosen so far, and the action of which one asks why not."""
FACING = "facing"
"""The key before the words chosen that says which seat is shown in full, as in `facing=2 attack 1a`."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits at a seat."""

    name: str
    is_bot: bool = False
    rating: int | None = None
    note: str = ""
    """A few words for the header, as "level 4, sharp"."""
    bot: object | None = None
    """The bot, for its crest and its page."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Some words to choose next, with those before them. It is a button where they are an action, else a link."""

    words: tuple[str, ...]
    is_action: bool
    has_more: bool
    """More words may follow."""

    @property
    def action(self) -> str:
        """Return the action to send, or empty where words are missing."""
        return self.text if self.is_action else ""

    @property
    def text(self) -> str:
        """Return the words as in an action."""
        return " ".join(self.words)

    @property
    def url(self) -> str:
        """Return the address of the table with these words chosen."""
        return f"?{CHOSEN}={quote_plus(self.text)}"


@dataclass(frozen=True, slots=True)
class RatedAction:
    """An action with the reader's chance to win after it, from 0 to 1."""

    action: str
    chance: float


@dataclass(frozen=True, slots=True)
class TableHint:
    """A hint that the reader has asked for at this decision."""

    state: str
    choices: Sequence[RatedAction] = ()
    """The best choice and the second best; empty until it is made."""

    @property
    def is_pending(self) -> bool:
        """Return whether it waits or is made."""
        return self.state in ("waiting", "making")


@dataclass(frozen=True, slots=True)
class PlayTable:
    """A table as the reader sees it, with the reader's possible actions."""

    record: Json
    seat: int | None
    """The reader's seat; None for an onlooker, who sees only public information."""
    players: Sequence[Player]
    scene: Scene
    state: State = field(repr=False)
    """The game's state after the most recent action; never modified."""
    legal: tuple[str, ...]
    """The reader's legal actions; if `open_grammar` is set, only the listed ones."""
    open_grammar: str | None
    chosen: tuple[str, ...]
    """The words chosen so far, which begin a legal action; can be empty."""
    why: str
    """The action that the reader wants explained as illegal, or empty."""
    draft_length: int = 0
    """The number of most recent actions that the reader can undo, one by one."""
    facing: int | None = None
    """The seat that the reader chose to see in full, if the table is too small for all."""
    hint: TableHint | None = None
    """The hint that the reader asked for, or None."""
    bot_turn: BotTurn | None = None
    """The state of the bot's turn, or None if it isn't a bot's turn."""
    is_paused: bool = False
    """Whether the game rests although it isn't over, as between the steps of a lesson."""

    @property
    def decisions(self) -> int:
        """Return the number of actions so far, including those in the reader's draft."""
        return len(self.record["actions"])

    @property
    def is_over(self) -> bool:
        """Return whether the game has finished."""
        return self.state.to_act is None

    @property
    def is_own_turn(self) -> bool:
        """Return whether it's the reader's turn."""
        return self.seat is not None and self.state.to_act == self.seat and not self.is_paused

    @property
    def near(self) -> int:
        """Return the seat at the bottom edge: the reader's, or the first for an onlooker."""
        return self.seat or 0

    @property
    def waiting_for(self) -> Player | None:
        """Return the player whose turn it is. None if it's the reader's turn or the game has finished."""
        to_act = self.state.to_act
        return None if to_act is None or self.is_own_turn or self.is_paused else self.players[to_act]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the players' names by seat."""
        return tuple(player.name for player in self.players)

    @property
    def tag(self) -> str:
        """Return a text that changes whenever the table's appearance changes."""
        return tag_view(self.decisions, self.draft_length, self.is_over, self.hint, self.bot_turn)

    @property
    def hinted(self) -> tuple[str, ...]:
        """Return the words of the action that the hint suggests; empty without a hint."""
        return tuple(self.hint.choices[0].action.split(" ")) if self.hint and self.hint.choices else ()

    def choose(self, *words: str) -> Choice | None:
        """Return the choice of these words, the first of an action; None where no legal action begins with them."""
        longer = [action for action in self.legal if starts_with(action, words)]
        if not longer:
            return None
        text = " ".join(words)
        return Choice(words, text in longer, any(action != text for action in longer))

    def choose_next(self, *words: str) -> Choice | None:
        """Return the choice of these words after those already chosen."""
        return self.choose(*self.chosen, *words)

    def ask_why(self, action: str) -> str:
        """Return the address that asks why an action is not legal, with the words chosen so far."""
        chosen = f"{CHOSEN}={quote_plus(' '.join(self.chosen))}&" if self.chosen else ""
        return f"?{chosen}{WHY}={quote_plus(action)}"

    def list_next_words(self) -> list[str]:
        """Return the words that can follow those chosen, each once, in the order of the legal actions."""
        place = len(self.chosen)
        longer = (action.split(" ") for action in self.legal if starts_with(action, self.chosen))
        return list(dict.fromkeys(words[place] for words in longer if len(words) > place))

    def refuse(self, action: str) -> Message | None:
        """Return why the reader may not take this action now, which is a message; None where it is legal."""
        try:
            self.state.parse(action)
        except (IllegalAction, MalformedAction) as refusal:
            return refusal.message
        return None

    def explain(self, action: str) -> Json | None:
        """Return what the game says of an action of the reader, out of what everybody knows."""
        return self.state.explain(action) if self.is_own_turn else None


def tag_view(decisions: int, draft: int, is_over: bool, hint: TableHint | None, bot_turn: BotTurn | None) -> str:
    """Return a text that changes with what a reader sees of a live game."""
    parts = [str(decisions), str(draft), str(int(is_over))]
    if hint is not None:
        parts.append(hint.state)
    if bot_turn is not None:
        retry_at = f"{bot_turn.retry_at:%H%M}" if bot_turn.retry_at else ""
        parts.append(f"{int(bot_turn.is_thinking)}{bot_turn.ahead}{retry_at}")
    return "-".join(parts)


def starts_with(action: str, words: Sequence[str]) -> bool:
    """Return whether these are the first words of an action."""
    return action.split(" ")[: len(words)] == list(words)


def read_words(chosen: str) -> tuple[tuple[str, ...], int | None]:
    """Return the words chosen, and the seat to show in full, which a first word `facing=2` says."""
    words = tuple(chosen.split())
    name, _equals, seat = words[0].partition("=") if words else ("", "", "")
    if name != FACING:
        return words, None
    return words[1:], int(seat) if seat.isdecimal() else None


def is_beginning(words: Sequence[str], legal: Sequence[str], open_grammar: str | None) -> bool:
    """Return whether a legal action may begin with these words; beyond the listed ones only the first word tells."""
    known = words if open_grammar is None else words[:1]
    return any(starts_with(action, known) for action in legal)


def lay_table(
    record: Json,
    played: tuple[Scene, State],
    players: Sequence[Player],
    seat: int | None = None,
    chosen: str = "",
    why: str = "",
) -> PlayTable:
    """Return the table of a play that may still go on; `played` are its scene and its state after all actions.

    `record` has `game`, `edition`, `options`, `deal`, `seats`, `actions` and `result`, which may be None. `chosen` and
    `why` come from the address; a choice with which no legal action begins counts as none.
    """
    scene, state = played
    if state.outcome is not None:
        scene.result = record.get("result") or describe(state.outcome)
    is_own_turn = seat is not None and state.to_act == seat
    legal = tuple(state.actions()) if is_own_turn else ()
    words, facing = read_words(chosen)
    grammar = state.open_grammar if is_own_turn else None
    return PlayTable(
        record=record,
        seat=seat,
        players=players,
        scene=scene,
        state=state,
        legal=legal,
        open_grammar=grammar,
        chosen=words if is_beginning(words, legal, grammar) else (),
        why=why if is_own_turn else "",
        facing=facing,
    )
