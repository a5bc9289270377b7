"""Show games in the terminal: Battle Line and Battalion by drawings of their own, other games by their views."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from arena.runner.protocol import make_visible
from engine.core import Json, Outcome, Seat
from engine.games.battalion.formations import find_named, format_formation_index
from engine.games.battleline.cards import NAMES_BY_EDITION, TILE_NAMES

# The names of the seats in sentences: the person is "you", and a bot has its name.


class SeatNames:
    """The names of all seats, as the person at one of them reads them."""

    def __init__(self, names: Sequence[str], own: Seat) -> None:
        visible = [make_visible(name).replace("\n", " ").replace("\t", " ") for name in names]
        self.own = own
        self.names = [f"{name} ({seat})" if visible.count(name) > 1 else name for seat, name in enumerate(visible)]

    def name(self, seat: Seat) -> str:
        """Return the name of a seat within a sentence."""
        return "you" if seat == self.own else self.names[seat]

    def subject(self, seat: Seat) -> str:
        """Return the name of a seat at the start of a sentence."""
        return "You" if seat == self.own else self.names[seat]

    def say(self, seat: Seat, verb: str, third_person: str = "") -> str:
        """Return the seat with the right form of a verb: "You play", "random plays"."""
        return f"{self.subject(seat)} {verb if seat == self.own else third_person or f'{verb}s'}"

    def join(self, seats: Sequence[Seat]) -> str:
        """Return the names of several seats at the start of a sentence, the last one after an "and"."""
        first, *more = [self.subject(seat) if number == 0 else self.name(seat) for number, seat in enumerate(seats)]
        return " and ".join([", ".join([first, *more[:-1]]), more[-1]]) if more else first


LEFT = {"resigned": ("resign", ""), "abandoned": ("leave the game", "leaves the game")}
"""The verbs for how a person goes out."""
FAULTS = {
    "illegal": "an illegal action",
    "malformed": "an invalid answer",
    "timeout": "running out of time",
    "crash": "a crash",
    "memory": "running out of memory",
    "output": "too much output",
    "start": "a failed start",
}
"""The faults of bots, after "loses by"."""


def describe_forfeit(names: SeatNames, event: Json) -> str:
    """Return how a seat went out: by a bot's fault or because the person left."""
    seat = event["seat"]
    if "reason" in event:
        return names.say(seat, *LEFT[event["reason"]])
    return f"{names.say(seat, 'go', 'goes')} out by {FAULTS[event['verdict']]}"


# Show a game by its views, its events and its legal actions. The games with a drawing of their own build on it.

MAX_OPTIONS_NUMBERED = 9
"""With more legal actions than this, a question doesn't list each with its number."""
NOT_SHOWN = ("decision", "to_move")
"""Keys of a view that the question stands for."""


class Presenter:
    """How a game is shown, and what a person may type in it."""

    short_forms: Sequence[tuple[str, str]] = ()
    """For the help: what may be typed, and what it means."""
    draws_every_step = False
    """Whether the board is drawn after each own step, not only when the turn comes back."""

    def __init__(self, names: SeatNames, options: Json, edition: str) -> None:
        self.names = names
        self.options = options
        self.edition = edition

    def draw_board(self, view: Json) -> list[Text]:
        """Return the view as lines."""
        shown = [(key, value) for key, value in view.items() if key not in NOT_SHOWN]
        width = max((len(key) for key, _ in shown), default=0)
        return [
            Text(f"{f'you are seat {self.names.own}':{width}}"),
            *(Text(f"{key.replace('_', ' '):{width}}  {write_value(value)}") for key, value in shown),
        ]

    def describe(self, event: Json) -> str | None:
        """Return an event as a sentence without its stop, or None where it is not worth one."""
        if event.get("action") == "forfeit":
            return describe_forfeit(self.names, event)
        what = event.get("action") or event.get("event", "")
        details = [
            f"{key} {write_value(value)}" for key, value in event.items() if key not in ("seat", "action", "event")
        ]
        sentence = f"{what}{': ' if details else ''}{', '.join(details)}"
        return f"{self.names.subject(event['seat'])}: {sentence}" if "seat" in event else sentence

    def ask(self, view: Json, legal: Sequence[str]) -> str:
        """Return the question that the person has to answer."""
        return f"Your turn: {view['decision']}."

    def list_options(self, legal: Sequence[str]) -> list[str]:
        """Return the legal actions in lines: each with its number where they are few, else by their first words."""
        if len(legal) <= MAX_OPTIONS_NUMBERED:
            return ["   ".join(f"{number} {action}" for number, action in enumerate(legal, start=1))]
        return group_actions(legal)

    def describe_option(self, action: str) -> str:
        """Return an action as the list of all shows it."""
        return action

    def write_out(self, text: str) -> str:
        """Return a short form as the action it stands for, anything else as it is."""
        return text

    def describe_ending(self, outcome: Outcome) -> str:
        """Return the result as a sentence without its stop."""
        first = [seat for seat, place in enumerate(outcome.places) if place == 1]
        if len(first) > 1:
            return f"{self.names.join(first)} share first place ({outcome.reason})"
        return f"{self.names.say(first[0], 'win')} ({outcome.reason})"


def group_actions(legal: Sequence[str]) -> list[str]:
    """Return a line for all actions that differ in their last word alone: "attack 1a: 1:1a 1:1b"."""
    groups: dict[str, list[str]] = {}
    for action in legal:
        beginning, _, last = action.rpartition(" ")
        groups.setdefault(beginning, []).append(last)
    alone = groups.pop("", [])
    lines = [f"{beginning}: {' '.join(endings)}" for beginning, endings in groups.items()]
    return [*lines, " · ".join(alone)] if alone else lines


def write_value(value: Any) -> str:
    """Return a JSON value in one line."""
    if isinstance(value, dict):
        return " · ".join(f"{make_visible(str(key))} {write_value(part)}" for key, part in value.items())
    if isinstance(value, list):
        nested = any(isinstance(part, list | dict) for part in value)
        return (" | " if nested else " ").join(map(write_value, value)) or "none"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return make_visible(str(value)).replace("\n", " ")


# Battle Line in the terminal: a line for each flag, and the hand below.

TROOP = re.compile(r"[A-Za-z]\d+")
FREE_SLOT = "·"
DECK_LETTERS = {"t": "troop", "y": "tactic"}
"""The keys of the decks, as on the arena's pages."""
TACTICS_TO_LAY = ("leader-1", "leader-2", "cavalry", "shield", "fog", "mud")


class BattleLine(Presenter):
    """Battle Line as a person sees it."""

    short_forms: Sequence[tuple[str, str]] = (
        ("R7 3, R7@3", "play R7 3: the card, then the flag"),
        ("c 4, c", "claim flag 4, or the only flag that can be claimed"),
        ("t, y", "draw a troop, draw a tactics card"),
        ("p", "pass"),
    )

    def __init__(self, names: SeatNames, options: Json, edition: str) -> None:
        super().__init__(names, options, edition)
        self.words = NAMES_BY_EDITION[edition]
        if options["tiles"] != "none":
            self.short_forms = (*self.short_forms, *((tile, self.describe_tile(tile)) for tile in TILE_NAMES))

    def draw_board(self, view: Json) -> list[Text]:
        """Return a heading, a line for each flag with both sides, what has left the table, and the hand."""
        own, other = self.names.own, 1 - self.names.own
        removed = [self.write_removed(view, seat) for seat in (other, own)]
        hand = Text("hand  ", "bold") + Text("  ".join(self.sort_hand(view["hand"])))
        return [self.write_heading(view), Text(), *self.draw_flags(view), *(line for line in removed if line), hand]

    def draw_flags(self, view: Json) -> list[Text]:
        """Return a line for each flag; while tiles are laid, only for those that have one."""
        flags = view["flags"][: len(view["row"])] if "row" in view else view["flags"]
        if not flags:
            return []
        own, other = self.names.own, 1 - self.names.own
        theirs, ours = ([self.write_side(flag, seat) for flag in flags] for seat in (other, own))
        columns = list(zip([self.names.name(other), *theirs], ["you", *ours], strict=True))
        left, right = (max(cell_len(line[side]) for line in columns) for side in range(2))
        heading, *rows = [
            Text(f"{set_cell_size(theirs, left)}   {set_cell_size(ours, right)}") for theirs, ours in columns
        ]
        heading.stylize("bold")
        lines = [Text("flag  ") + heading]
        for flag, row in zip(flags, rows, strict=True):
            line = Text(f"{flag['flag']:>3}   ") + row + self.write_remarks(flag)
            line.rstrip()
            lines.append(line)
        return [*lines, Text()]

    def write_heading(self, view: Json) -> Text:
        """Return the turn, the other one's hand and the decks."""
        other = 1 - self.names.own
        decks = ", ".join(f"{count} {self.name_deck(deck, count)}" for deck, count in view["decks"].items())
        turn = f"Turn {view['turn']}" if view["turn"] or "row" not in view else "Before the first turn"
        return Text.assemble(
            (turn, "bold"), f" · {self.names.name(other)} holds {view['hand_sizes'][other]} cards · decks: {decks}"
        )

    def name_deck(self, deck: str, count: int) -> str:
        """Return what a deck holds."""
        return {"troop": "troop" if count == 1 else "troops", "tactic": "tactics"}[deck]

    def write_side(self, flag: Json, seat: Seat) -> str:
        """Return the cards of a side, with a dot for each free slot of a flag that is still open."""
        cards = flag["cards"][seat]
        free = flag["needs"][seat] - len(cards) if flag["owner"] is None else 0
        return " ".join([*cards, *[FREE_SLOT] * free])

    def write_remarks(self, flag: Json) -> Text:
        """Return who has won a flag, and what lies on it."""
        remarks = [word for word in ("fog", "mud") if flag[word]]
        if flag["tile"]:
            remarks.append(flag["tile"])
        line = Text()
        if flag["owner"] is not None:
            is_own = flag["owner"] == self.names.own
            line.append(f"   won by {self.names.name(flag['owner'])}", "green" if is_own else "red")
        return line.append(f"   {', '.join(remarks)}") if remarks else line

    def describe_tile(self, tile: str) -> str:
        """Return the effect of a tile."""
        seats = {f"seat_{seat}": self.names.name(seat) for seat in range(2)}
        return (TILE_NAMES[tile][1] % seats).replace("you needs", "you need")

    def write_removed(self, view: Json, seat: Seat) -> Text | None:
        """Return the tactics that a seat has played and its discards, or None where there are none."""
        parts = [
            f"{label} {' '.join(cards)}"
            for label, cards in (("played", view["tactics_played"][seat]), ("discards", view["discards"][seat]))
            if cards
        ]
        return Text(f"{self.names.name(seat)}: {' · '.join(parts)}") if parts else None

    def sort_hand(self, hand: Sequence[str]) -> list[str]:
        """Return the troops by colour, the highest first, then the tactics."""
        troops = [card for card in hand if TROOP.fullmatch(card)]
        colours: str = self.options["colours"]
        troops.sort(key=lambda card: (colours.index(card[0]), -int(card[1:])))
        return troops + [card for card in hand if not TROOP.fullmatch(card)]

    def ask(self, view: Json, legal: Sequence[str]) -> str:
        """Return what is to decide."""
        return QUESTIONS[view["decision"]](self, view, legal)

    def ask_to_play(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a card or a claim at the start of the turn."""
        claims = list_claims(legal)
        claim = f" You can also claim {claims}." if claims else ""
        example = next((action for action in legal if action.startswith("play ")), "")
        if example:
            return f"Your turn. Choose a card and a flag, as in {example.removeprefix('play ')}.{claim}"
        if "pass" in legal:
            return f"You can't play a {'troop' if self.options['pass'] == 'no-troop' else 'card'}. Pass.{claim}"
        return f"Your turn. Choose an action.{claim}"

    def ask_to_finish(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a claim or a draw at the end of the turn."""
        claims = list_claims(legal)
        claim = f" You can still claim {claims}." if claims else ""
        if "done" in legal:
            return f"Nothing to draw.{claim}"
        decks = ", ".join(f"{count} {self.name_deck(deck, count)}" for deck, count in view["decks"].items())
        return f"Choose a deck: {decks}.{claim}"

    def ask_to_scout(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for the decks that Scout draws from."""
        if self.options["scout"] == "at-once":
            return "Scout: choose the decks of all cards together."
        return "Scout: choose a deck, up to three times."

    def ask_to_return(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a card to put back."""
        left = view["returning"]["left"]
        return f"Put {left} {'card' if left == 1 else 'cards'} back. The last goes on top."

    def ask_to_remove(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for the troop that Marshes or a Watchtower removes."""
        if view["decision"] == "marshes":
            return "Marshes: choose one of your troops to remove."
        return f"Watchtower: remove a troop next to flag {view['at']}."

    def ask_to_draft(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a tile, and say what the tiles are good for."""
        own = view["draft"]["tiles"]
        choices = "; ".join(f"{tile}: {self.describe_tile(tile)}" for tile in view["draft"]["choices"])
        return f"Pick a tile ({choices}). You have {', '.join(own) or 'none'}."

    def ask_to_lay(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for the tile of the next flag."""
        place = len(view["row"]) + 1
        return f"Place a tile at flag {place}: up (it applies) or down (plain ground)."

    def describe(self, event: Json) -> str | None:
        """Return an event as a sentence without its stop, or None where it is not worth one."""
        if "event" in event:
            described = EVENTS.get(event["event"])
            return described(self, event) if described else None
        verb, *rest = event["action"].split(" ")
        if verb == "forfeit":
            return describe_forfeit(self.names, event)
        described_action = BATTLELINE_ACTIONS.get(verb)
        return described_action(self, event, rest) if described_action else None

    def name_card(self, card: str) -> str:
        """Return a card as a sentence has it: a tactics card has the edition's name."""
        return self.words.tactics.get(card, card)

    def describe_draw(self, event: Json) -> str:
        """Describe a card drawn; of another's card only the deck is known."""
        card = self.name_card(event["card"]) if event.get("card") else name_hidden(event["deck"])
        return f"{self.names.say(event['seat'], 'draw')} {card}"

    def describe_award(self, event: Json) -> str:
        """Describe a flag that is awarded after two passes."""
        seat = event["seat"]
        return f"{self.names.say(seat, 'are', 'is')} awarded flag {event['flag']}"

    def describe_play(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a card that is laid at a flag."""
        card, flag = rest
        return f"{self.names.say(event['seat'], 'play')} {self.name_card(card)} at flag {flag}"

    def describe_claim(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a claim and what proves it."""
        formation = self.words.formations[event["formation"]].lower()
        return f"{self.names.say(event['seat'], 'claim')} flag {rest[0]}: {formation} {event['sum']}"

    def describe_guile(self, event: Json, rest: Sequence[str]) -> str:
        """Describe Scout, Redeploy, Deserter or Traitor."""
        tactic = event["action"].split(" ")[0]
        sentence = f"{self.names.say(event['seat'], 'play')} {self.name_card(tactic)}"
        if not rest:
            return sentence
        card, flag, *target = rest
        way = f"from flag {flag} to flag {target[0]}" if target and target[0] != "discard" else f"leaves flag {flag}"
        return f"{sentence}: {self.name_card(card)} {way}"

    def describe_return(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a card that is put back on its deck."""
        card = name_hidden(event["deck"]) if rest[0] == "?" else self.name_card(rest[0])
        return f"{self.names.say(event['seat'], 'put')} {card} back on its deck"

    def describe_removal(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a troop that Marshes or a Watchtower removes."""
        card, flag = rest
        return f"{self.names.say(event['seat'], 'remove')} {card} from flag {flag}"

    def describe_pass(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a pass."""
        return self.names.say(event["seat"], "pass", "passes")

    def describe_pick(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a tile picked in the draft."""
        return f"{self.names.say(event['seat'], 'pick')} {'a tile' if rest[0] == '?' else TILE_NAMES[rest[0]][0]}"

    def describe_lay(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a tile laid after the draft."""
        tile, side = rest
        name = "a tile" if tile == "?" else TILE_NAMES[tile][0]
        return f"{self.names.say(event['seat'], 'lay')} {name} face {side}"

    def list_options(self, legal: Sequence[str]) -> list[str]:
        """Return the legal actions with their numbers where they are few; else the board shows where cards may go."""
        if len(legal) <= MAX_OPTIONS_NUMBERED:
            return super().list_options(legal)
        special = [action for action in legal if not action.startswith(("play ", "claim "))]
        verbs = dict.fromkeys(action.split(" ")[0] for action in special)
        return [f"also: {', '.join(verbs)} (list shows how)"] if verbs else []

    def write_out(self, text: str) -> str:
        """Return a short form as the action it stands for, anything else as it is."""
        words = [word.upper() if TROOP.fullmatch(word) else word.lower() for word in text.replace("@", " ").split()]
        if all(word in (*DECK_LETTERS, *DECK_LETTERS.values()) for word in words):
            return " ".join(["draw", *(DECK_LETTERS.get(word, word) for word in words)])
        if words[0] in ("c", "claim"):
            return " ".join(["claim", *words[1:]])
        if TROOP.fullmatch(words[0]) or words[0] in TACTICS_TO_LAY:
            return " ".join(["play", *words])
        return " ".join(words)

    def describe_ending(self, outcome: Outcome) -> str:
        """Return the result with its cause."""
        first = [seat for seat, place in enumerate(outcome.places) if place == 1]
        if len(first) > 1:
            return f"Draw: both passed, with {outcome.scores[0]:g} flags each"
        wins = self.names.say(first[0], "win")
        causes = {
            "breakthrough": "by breakthrough: three adjacent flags",
            "envelopment": f"by envelopment: {self.options['envelopment']} flags",
            "passes": "on flags after two passes",
        }
        return f"{wins} {causes[outcome.reason]}" if outcome.reason in causes else wins


def list_claims(legal: Sequence[str]) -> str:
    """Return the flags that can be claimed, as words."""
    flags = [action.split(" ")[1] for action in legal if action.startswith("claim ")]
    return f"flag {' or '.join(flags)}" if flags else ""


def name_hidden(deck: str) -> str:
    """Return a card of which only the deck is known."""
    return "a tactics card" if deck == "tactic" else "a troop"


QUESTIONS: dict[str, Callable[[BattleLine, Json, Sequence[str]], str]] = {
    "play": BattleLine.ask_to_play,
    "finish": BattleLine.ask_to_finish,
    "scout": BattleLine.ask_to_scout,
    "return": BattleLine.ask_to_return,
    "marshes": BattleLine.ask_to_remove,
    "watchtower": BattleLine.ask_to_remove,
    "draft": BattleLine.ask_to_draft,
    "lay": BattleLine.ask_to_lay,
}
"""By decision."""
EVENTS: dict[str, Callable[[BattleLine, Json], str]] = {
    "draw": BattleLine.describe_draw,
    "award": BattleLine.describe_award,
}
BATTLELINE_ACTIONS: dict[str, Callable[[BattleLine, Json, Sequence[str]], str]] = {
    "play": BattleLine.describe_play,
    "claim": BattleLine.describe_claim,
    **dict.fromkeys(("scout", "redeploy", "deserter", "traitor"), BattleLine.describe_guile),
    "return": BattleLine.describe_return,
    "remove": BattleLine.describe_removal,
    "pass": BattleLine.describe_pass,
    "pick": BattleLine.describe_pick,
    "lay": BattleLine.describe_lay,
}
"""By the first word of an action; the cards drawn describe a draw."""


# Battalion in the terminal: the armies of the others with their fronts down, one's own with its front up.

HALF_COLUMN_WIDTH = 4
SHOWN_MARK = "*"
SHOWN_MARK_NOTE = "* all players have seen this card"
BATTALION_CARD = re.compile(r"[akqj]|10|[2-9]", re.IGNORECASE)
BATTALION_CELL = re.compile(r"g|[123][a-d]", re.IGNORECASE)
BATTALION_TARGET = re.compile(r"\d:(g|[123][a-d])", re.IGNORECASE)
APART_KEYS = {"deploy": "guard", "reform": "hand"}
"""By the verb of a layout: the word before the card that isn't laid out in a row."""


class Battalion(Presenter):
    """Battalion as a person sees it."""

    short_forms: Sequence[tuple[str, str]] = (
        ("A 10 9 / 7 6 / Q guard 5", "deploy in centred rows, front to back, and the guard"),
        ("1a 2b", "move 1a 2b"),
        ("1a 1:2b", "attack 1a 1:2b: cell 2b of seat 1"),
        ("Q 2a", "reinforce Q 2a: a card from your hand"),
        ("r, p", "roll the die (modify), pass"),
        ("reform A 10 / 7 hand 5", "reform in two rows; one card can go to your hand"),
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
            return "Choose a number, or type your rows front to back and the guard: A 10 9 / 7 6 / Q guard 5"
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
            return f"{owner} emperor falls and is out of the game"
        if event.get("action") == "forfeit":
            return describe_forfeit(self.names, event)
        verb, *rest = event.get("action", "").split(" ")
        described = BATTALION_ACTIONS.get(verb)
        return described(self, event, rest) if described else None

    def describe_deployment(self, event: Json, rest: Sequence[str]) -> str:
        """Describe the shape of a deployment."""
        return f"{self.names.say(event['seat'], 'deploy')}: {describe_shape(read_rows(rest[0]))}"

    def describe_reforming(self, event: Json, rest: Sequence[str]) -> str:
        """Describe the shape after reforming."""
        taken = ", taking a card into hand" if len(rest) > 1 else ""
        return f"{self.names.say(event['seat'], 'reform')}: {describe_shape(read_rows(rest[0]))}{taken}"

    def describe_move(self, event: Json, rest: Sequence[str]) -> str:
        """Describe a card that moves within its formation."""
        return f"{self.names.say(event['seat'], 'move')} {rest[0]} to {rest[1]}"

    def describe_attack(self, event: Json, rest: Sequence[str]) -> str:
        """Describe an attack with both cards, their values and what came of it."""
        seat, (other, cell) = event["seat"], rest[1].split(":")
        sentence = f"{self.names.say(seat, 'attack')} {self.names.name(int(other))} at {cell}"
        values = "{} to {}".format(*event["values"]) if "values" in event else ""
        outcome = BATTALION_RESULTS[event["result"]].format(attacker=event["attacker"], target=event["target"])
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
        if BATTALION_CELL.fullmatch(first) and BATTALION_TARGET.fullmatch(second):
            return f"attack {first} {second}"
        if BATTALION_CELL.fullmatch(first) and BATTALION_CELL.fullmatch(second):
            return f"move {first} {second}"
        if BATTALION_CARD.fullmatch(first) and BATTALION_CELL.fullmatch(second):
            return f"reinforce {first} {second}"
        return " ".join(words)

    def describe_ending(self, outcome: Outcome) -> str:
        """Return the result with its cause."""
        first: list[Seat] = [seat for seat, place in enumerate(outcome.places) if place == 1]
        causes = {
            "last-standing": "the last emperor alive",
            "quiet": f"{self.options['quiet_rounds']} rounds without a death, so kills count",
            "limit": f"round {self.options['round_limit']} has been played, so kills count",
        }
        cause = f": {causes[outcome.reason]}" if outcome.reason in causes else ""
        if len(first) > 1:
            return f"{self.names.join(first)} share first place{cause}"
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
    return word.upper() if BATTALION_CARD.fullmatch(word) else word.lower()


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


BATTALION_RESULTS = {
    "wins": "{attacker} beats {target}",
    "loses": "{attacker} falls to {target}",
    "tie": "{attacker} and {target} both fall",
    "strike": "{attacker} strikes, {target} falls with it",
    "look": "{attacker} looks and reveals {target}",
    "emperor": "{attacker} finds the guard cell empty",
}
"""By the result of an attack."""
BATTALION_ACTIONS: dict[str, Callable[[Battalion, Json, Sequence[str]], str]] = {
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
