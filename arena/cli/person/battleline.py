"""Battle Line in the terminal: a line for each flag, and the hand below."""

import re
from collections.abc import Callable, Sequence

from rich.text import Text

from arena.cli.person.plain import MAX_OPTIONS_NUMBERED, Presenter
from arena.cli.person.seats import SeatNames, describe_forfeit
from engine.core import Json, Outcome, Seat
from engine.games.battleline.names import NAMES_BY_EDITION, TILE_NAMES

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
        left, right = (max(len(line[side]) for line in columns) for side in range(2))
        heading, *rows = [Text(f"{theirs:{left}}   {ours:{right}}") for theirs, ours in columns]
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
        claim = f" You may also claim {claims}." if claims else ""
        example = next((action for action in legal if action.startswith("play ")), "")
        if example:
            return f"Your turn. Choose a card and a flag, as in {example.removeprefix('play ')}.{claim}"
        if "pass" in legal:
            return f"You cannot play a {'troop' if self.options['pass'] == 'no-troop' else 'card'}. Pass.{claim}"
        return f"Your turn. Choose an action.{claim}"

    def ask_to_finish(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a claim or a draw at the end of the turn."""
        claims = list_claims(legal)
        claim = f" You may still claim {claims}." if claims else ""
        if "done" in legal:
            return f"There is nothing to draw.{claim}"
        decks = ", ".join(f"{count} {self.name_deck(deck, count)}" for deck, count in view["decks"].items())
        return f"Choose a deck: {decks}.{claim}"

    def ask_to_scout(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for the decks that Scout draws from."""
        if self.options["scout"] == "at-once":
            return "Scout: choose the decks of all cards at once."
        return "Scout: choose a deck, up to three times."

    def ask_to_return(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a card to put back."""
        left = view["returning"]["left"]
        return f"Put {left} {'card' if left == 1 else 'cards'} back; the last one lies on top."

    def ask_to_remove(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for the troop that Marshes or a Watchtower removes."""
        if view["decision"] == "marshes":
            return "Marshes: choose one of your troops to remove."
        return f"Watchtower: remove a troop beside flag {view['at']}."

    def ask_to_draft(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for a tile, and say what the tiles are good for."""
        own = view["draft"]["tiles"]
        choices = "; ".join(f"{tile}: {self.describe_tile(tile)}" for tile in view["draft"]["choices"])
        return f"Pick a tile ({choices}). You have {', '.join(own) or 'none'}."

    def ask_to_lay(self, view: Json, legal: Sequence[str]) -> str:
        """Ask for the tile of the next flag."""
        place = len(view["row"]) + 1
        return f"Lay a tile at flag {place}: up, and it is in force, or down, and the ground is plain."

    def describe(self, event: Json) -> str | None:
        """Return an event as a sentence without its stop, or None where it is not worth one."""
        if "event" in event:
            described = EVENTS.get(event["event"])
            return described(self, event) if described else None
        verb, *rest = event["action"].split(" ")
        if verb == "forfeit":
            return describe_forfeit(self.names, event)
        described_action = ACTIONS.get(verb)
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
            return f"Drawn game: both passed, and each holds {outcome.scores[0]:g} flags"
        wins = self.names.say(first[0], "win")
        causes = {
            "breakthrough": "by breakthrough: three flags side by side",
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
ACTIONS: dict[str, Callable[[BattleLine, Json, Sequence[str]], str]] = {
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
