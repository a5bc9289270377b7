"""Battalion in the terminal: the armies of the others with their fronts down, one's own with its front up."""

import re
from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from arena.cli.person.plain import Presenter, group_actions
from arena.cli.person.seats import describe_forfeit
from engine.core import Json, Outcome, Seat
from engine.games.battalion.formations import find_named, format_formation_index

HALF_COLUMN_WIDTH = 4
SHOWN_MARK = "*"
SHOWN_MARK_NOTE = "* everybody has seen this card"
CARD = re.compile(r"[akqj]|10|[2-9]", re.IGNORECASE)
CELL = re.compile(r"g|[123][a-d]", re.IGNORECASE)
TARGET = re.compile(r"\d:(g|[123][a-d])", re.IGNORECASE)
APART_KEYS = {"deploy": "guard", "reform": "hand"}
"""By the verb of a layout: the word before the card that isn't laid out in a row."""


class Battalion(Presenter):
    """Battalion as a person sees it."""

    short_forms: Sequence[tuple[str, str]] = (
        ("A 10 9 / 7 6 / Q guard 5", "deploy in rows, front to back, each one centred, and the guard"),
        ("1a 2b", "move 1a 2b"),
        ("1a 1:2b", "attack 1a 1:2b: cell 2b of seat 1"),
        ("Q 2a", "reinforce Q 2a: a card from the hand"),
        ("r, p", "roll the die (modify), pass"),
        ("reform A 10 / 7 hand 5", "reform in two rows; one card may go to the hand"),
    )
    draws_every_step = True

    def draw_board(self, view: Json) -> list[Text]:
        """Return the armies of the others, then the own one."""
        own = self.names.own
        if view["decision"] == "deploy":
            return [Text("Deployment", "bold"), Text(f"hand  {' '.join(view['seats'][own]['hand'])}")]
        heading = Text(f"Round {view['round']}", "bold")
        if view["quiet"]:
            heading.append(f" · {view['quiet']} rounds without a death")
        lines = [heading]
        for side in view["seats"]:
            if side["seat"] != own:
                lines += [Text(), *self.draw_army(side, is_own=False)]
        lines += [Text(), *self.draw_army(view["seats"][own], is_own=True)]
        return [*lines, Text(SHOWN_MARK_NOTE, "dim")] if any(SHOWN_MARK in line.plain for line in lines) else lines

    def draw_army(self, side: Json, *, is_own: bool) -> list[Text]:
        """Return an army with a heading; the front rows of both sides face each other."""
        name = Text(f"seat {side['seat']}: {self.names.name(side['seat'])}", "bold")
        if side["out"]:
            return [name.append(" · out", "red")]
        rows = [draw_row(row) for row in side["rows"]]
        rows.append(f"g {write_card(side['guard'])}".ljust(2 * HALF_COLUMN_WIDTH) + "guard")
        heading = name + Text(self.describe_side(side))
        lines = [Text(f"  {row}") for row in (rows if is_own else reversed(rows))]
        if not is_own:
            return [heading, *lines]
        return [*lines, heading, Text("hand  ", "bold") + Text(" ".join(side["hand"]) or "none")]

    def describe_side(self, side: Json) -> str:
        """Return what lies beside an army, and what its die says."""
        parts = [f"{side['hand_size']} in hand"]
        if side["modification"] is not None:
            left = side["modification_left"]
            parts.append(
                f"die {format_modification(side['modification'])} for {left} {'turn' if left == 1 else 'turns'}"
            )
        parts += [f"{pile} {' '.join(side[pile])}" for pile in ("wounded", "dead") if side[pile]]
        return "".join(f" · {part}" for part in parts)

    def ask(self, view: Json, legal: Sequence[str]) -> str:
        """Return what is to decide."""
        if view["decision"] == "deploy":
            return "Choose a number, or write your rows front to back and the guard: A 10 9 / 7 6 / Q guard 5"
        attacked = view["last_attacked"]
        note = "" if attacked is None else f" The last attack was on {self.names.name(attacked)}."
        return f"Your turn. Move cards, then attack, reinforce, roll, reform or pass.{note}"

    def list_options(self, legal: Sequence[str]) -> list[str]:
        """Return the examples of layouts with their numbers, all else by the first words."""
        if legal[0].startswith("deploy"):
            return [f"{number:>2}  {self.describe_option(action)}" for number, action in enumerate(legal, start=1)]
        return group_actions([action for action in legal if not action.startswith("reform ")])

    def describe_option(self, action: str) -> str:
        """Return an action as the list of all shows it: of a layout the cards, its index and its name."""
        verb, *rest = action.split(" ")
        if verb not in APART_KEYS:
            return action
        rows = read_rows(rest[0])
        cards = " / ".join(" ".join(card for _, card in row) for row in rows)
        others = " ".join(rest[1:]).replace("=", " ")
        return f"{cards}  {others}  ({describe_shape(rows)})"

    def describe(self, event: Json) -> str | None:
        """Return an event as a sentence without its stop, or None where it is not worth one."""
        if event.get("event") == "out":
            seat = event["seat"]
            owner = "Your" if seat == self.names.own else f"{self.names.name(seat)}'s"
            return f"{owner} emperor falls: out of the game"
        if event.get("action") == "forfeit":
            return describe_forfeit(self.names, event)
        verb, *rest = event.get("action", "").split(" ")
        described = ACTIONS.get(verb)
        return described(self, event, rest) if described else None

    def describe_deployment(self, event: Json, rest: Sequence[str]) -> str:
        """Describe the shape of a deployment."""
        return f"{self.names.say(event['seat'], 'deploy')}: {describe_shape(read_rows(rest[0]))}"

    def describe_reforming(self, event: Json, rest: Sequence[str]) -> str:
        """Describe the shape after reforming."""
        taken = ", with a card taken into the hand" if len(rest) > 1 else ""
        return f"{self.names.say(event['seat'], 'reform')}: {describe_shape(read_rows(rest[0]))}{taken}"

    def describe_move(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a card that moves within its formation."""
        return f"{self.names.say(event['seat'], 'move')} {rest[0]} to {rest[1]}"

    def describe_attack(self, event: Json, rest: Sequence[str]) -> str:
        """Describe an attack with both cards, their values and what came of it."""
        seat, (other, cell) = event["seat"], rest[1].split(":")
        sentence = f"{self.names.say(seat, 'attack')} {self.names.name(int(other))} at {cell}"
        values = "{} to {}".format(*event["values"]) if "values" in event else ""
        outcome = RESULTS[event["result"]].format(attacker=event["attacker"], target=event["target"])
        return f"{sentence}: {outcome}{f', {values}' if values else ''}"

    def describe_reinforcement(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a card that comes in from the hand."""
        card = "a card" if rest[0] == "?" else rest[0]
        return f"{self.names.say(event['seat'], 'reinforce')} {rest[1]} with {card}"

    def describe_roll(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a roll of the die."""
        roll = event["roll"]
        return f"{self.names.say(event['seat'], 'roll')} {roll}: {format_modification(roll - 3)} in combat"

    def describe_pickup(self, event: Json, rest: Sequence[str]) -> str:
        """Describe how the wounded come back to the hand."""
        seat = event["seat"]
        return f"{self.names.say(seat, 'take')} up {'your' if seat == self.names.own else 'its'} wounded"

    def describe_pass(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a pass."""
        return self.names.say(event["seat"], "pass", "passes")

    def write_out(self, text: str) -> str:
        """Return a short form as the action it stands for, anything else as it is."""
        if text.lower() in ("r", "roll", "m"):
            return "modify"
        if "/" in text or "guard" in text.lower() or text.lower().startswith(("deploy", "reform")):
            return write_layout(text)
        words = [normalise_word(word) for word in text.split()]
        if len(words) != 2:
            return " ".join(words)
        first, second = words
        if CELL.fullmatch(first) and TARGET.fullmatch(second):
            return f"attack {first} {second}"
        if CELL.fullmatch(first) and CELL.fullmatch(second):
            return f"move {first} {second}"
        if CARD.fullmatch(first) and CELL.fullmatch(second):
            return f"reinforce {first} {second}"
        return " ".join(words)

    def describe_ending(self, outcome: Outcome) -> str:
        """Return the result with its cause."""
        first: list[Seat] = [seat for seat, place in enumerate(outcome.places) if place == 1]
        causes = {
            "last-standing": "the last emperor alive",
            "quiet": f"{self.options['quiet_rounds']} rounds without a death, so kills count",
            "limit": f"round {self.options['round_limit']} is over, so kills count",
        }
        cause = f": {causes[outcome.reason]}" if outcome.reason in causes else ""
        if len(first) > 1:
            return f"{self.names.join(first)} share the first place{cause}"
        return f"{self.names.say(first[0], 'win')}{cause}"


def draw_row(row: Sequence[Json]) -> str:
    """Return the cells of a row at their half-columns."""
    line = ""
    for cell in row:
        line = line.ljust(HALF_COLUMN_WIDTH * cell["x"]) + f"{cell['cell']} {write_card(cell)}"
    return line.rstrip()


def write_card(cell: Json) -> str:
    """Return the card of a cell: a dot where there is none, a star where all have seen it."""
    if cell["card"] is None:
        return "·"
    return f"{cell['card']}{SHOWN_MARK}" if cell["shown"] else str(cell["card"])


def format_modification(number: int) -> str:
    """Return what the die adds, with its sign."""
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "±0"


def read_rows(text: str) -> list[list[tuple[int, str]]]:
    """Return the half-columns and cards of a layout as an action writes it."""
    return [
        [(int(x), card) for x, _, card in (cell.partition("=") for cell in row.split(","))] for row in text.split("/")
    ]


def describe_shape(rows: Sequence[Sequence[tuple[int, str]]]) -> str:
    """Return the index of a layout, and its name where the library has one."""
    index = format_formation_index([len(row) for row in rows])
    named = find_named([[x for x, _ in row] for row in rows])
    return f"{index} {named.name}" if named else index


def normalise_word(word: str) -> str:
    """Return a card in capitals, and anything else in small letters."""
    return word.upper() if CARD.fullmatch(word) else word.lower()


def write_layout(text: str) -> str:
    """Return a layout of centred rows as an action: "A 10 / 7 guard 5"; one with half-columns is only tidied up."""
    verb, key, rows, card = split_layout(text)
    ending = f" {key}={card}" if card else ""
    if "=" in rows:
        return f"{verb} {''.join(rows.upper().split())}{ending}"
    cells = [row.upper().split() for row in rows.split("/")]
    widest = max(map(len, cells))
    written = "/".join(",".join(place_centred(row, widest)) for row in cells)
    return f"{verb} {written}{ending}"


def split_layout(text: str) -> tuple[str, str, str, str]:
    """Return verb, key, rows and the card apart of a layout as a person writes it."""
    first, _, rest = text.strip().partition(" ")
    verb = first.lower() if first.lower() in APART_KEYS else "deploy"
    body = rest if first.lower() in APART_KEYS else text
    key = APART_KEYS[verb]
    rows, _, card = re.sub(rf"\b{key}\b", key, body, flags=re.IGNORECASE).partition(key)
    return verb, key, rows.strip(" ,;·"), card.strip(" =").upper()


def place_centred(row: Sequence[str], widest: int) -> Iterator[str]:
    """Yield the cells of a row that is centred below or above the widest one."""
    for number, card in enumerate(row):
        yield f"{widest - len(row) + 2 * number}={card}"


RESULTS = {
    "wins": "{attacker} beats {target}",
    "loses": "{attacker} falls to {target}",
    "tie": "{attacker} and {target} both fall",
    "strike": "{attacker} strikes, {target} falls with it",
    "look": "{attacker} looks, and {target} is shown",
    "emperor": "{attacker} finds the guard cell empty",
}
"""By the result of an attack."""
ACTIONS: dict[str, Callable[[Battalion, Json, Sequence[str]], str]] = {
    "deploy": Battalion.describe_deployment,
    "reform": Battalion.describe_reforming,
    "move": Battalion.describe_move,
    "attack": Battalion.describe_attack,
    "reinforce": Battalion.describe_reinforcement,
    "modify": Battalion.describe_roll,
    "pickup": Battalion.describe_pickup,
    "pass": Battalion.describe_pass,
}
"""By the first word of an action."""
