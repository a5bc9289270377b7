"""Battle Line in words: the names of cards, seats and formations in each edition, events, choices and endings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, pgettext_lazy
from arena.pages.games.cards import Face, Suit
from arena.pages.games.presentation import Line, describe_fault
from arena.pages.games.sentence import Part, Sentence, format_sentence, join_parts
from engine.core import Json
from engine.games.battleline import cards
from engine.games.battleline.options import TITLES

# The cards and tiles as people see them: suit, shape, number, picture.

SUIT_SHAPES = {
    "R": "triangle",
    "O": "square",
    "Y": "star",
    "G": "circle",
    "B": "diamond",
    "P": "cross",
    "S": "spade",
    "H": "heart",
    "D": "pip",
    "C": "club",
}
"""By suit letter. The shape says the suit to those who can't tell the colours."""

TACTIC_ICONS = {
    "leader-1": "leader",
    "leader-2": "leader",
    "cavalry": "cavalry",
    "shield": "shield",
    "fog": "fog",
    "mud": "mud",
    "scout": "scout",
    "redeploy": "redeploy",
    "deserter": "deserter",
    "traitor": "traitor",
}
"""By id of a tactics card."""

LEADER_CARDS = ("leader-1", "leader-2")
PLAYING_CARD_SUITS = "SHDC"


@dataclass(frozen=True, slots=True)
class GroundTag:
    """A dark label for what lies on the ground of a flag: picture, name, effect in two words and in a sentence."""

    icon: str
    name: str
    effect: str
    hint: str
    rule: str
    """The ruling that says it."""
    whole: str = ""
    """Everything that it does, in one or two sentences."""


def is_tactic(card: str) -> bool:
    """Return whether this is the id of a tactics card."""
    return card in TACTIC_ICONS


def format_card_number(card: str) -> str:
    """Return what a troop shows: an ace is an A."""
    return "A" if card[0] in PLAYING_CARD_SUITS and card[1:] == "1" else card[1:]


def build_face_down_card(deck: str) -> Face:
    """Return a card face down. Which deck it came from is public."""
    name = _("a tactics card, face down") if deck == "tactic" else _("a troop, face down")
    return Face(deck, "", "", name, "", is_back=True)


# Names and drawings of an edition's cards, seats, formations and tiles.

SHORT_TACTIC_NAMES = {
    "leader-1": pgettext_lazy("short", "Alex."),
    "leader-2": pgettext_lazy("short", "Darius"),
    "cavalry": pgettext_lazy("short", "Cavalry"),
    "shield": pgettext_lazy("short", "Shields"),
    "fog": pgettext_lazy("short", "Fog"),
    "mud": pgettext_lazy("short", "Mud"),
    "scout": pgettext_lazy("short", "Scout"),
    "redeploy": pgettext_lazy("short", "Redeploy"),
    "deserter": pgettext_lazy("short", "Deserter"),
    "traitor": pgettext_lazy("short", "Traitor"),
}
"""Names of tactics that fit on a small card."""
SHORT_MEDIEVAL_TACTIC_NAMES = SHORT_TACTIC_NAMES | {
    "leader-1": pgettext_lazy("short", "England"),
    "leader-2": pgettext_lazy("short", "France"),
    "shield": pgettext_lazy("short", "Support"),
}
SHORT_PLAYING_CARD_TACTIC_NAMES = SHORT_TACTIC_NAMES | {
    "leader-1": pgettext_lazy("short", "Leader"),
    "leader-2": pgettext_lazy("short", "Leader"),
}
COURT_CARD_LETTERS = {
    **dict.fromkeys(("leader-1", "leader-2", "fog", "mud"), "K"),
    **dict.fromkeys(("cavalry", "shield"), "Q"),
    **dict.fromkeys(("scout", "redeploy", "deserter", "traitor"), "J"),
}
"""Letters of the court cards that stand for tactics."""

TILE_EFFECTS = {
    "castle": gettext_lazy("%(seat_0)s defends"),
    "marshes": gettext_lazy("loser discards"),
    "river": gettext_lazy("4 cards"),
    "watchtower": gettext_lazy("removes one"),
    "town": gettext_lazy("two flags"),
    "fields": gettext_lazy("draws three"),
    "fortress": gettext_lazy("%(seat_1)s defends"),
    "hills": gettext_lazy("low wins"),
    "woodland": gettext_lazy("total only"),
}
"""Of each tile, in two words."""
TILE_RULINGS = {
    "castle": "BL-60",
    "marshes": "BL-61",
    "river": "BL-62",
    "watchtower": "BL-63",
    "town": "BL-64",
    "fields": "BL-65",
    "fortress": "BL-60",
    "hills": "BL-66",
    "woodland": "BL-67",
}
WEATHER_RULINGS = {"fog": "BL-13", "mud": "BL-14"}
WHOLE_RULES = {
    "castle": gettext_lazy(
        "Defended by %(seat_0)s, who needs one more card than the other side. The highest doesn't count."
    ),
    "marshes": gettext_lazy(
        "When one player claims this flag, the other discards one of their own troops from an open flag."
    ),
    "river": gettext_lazy("Each side needs four cards, and all four count towards the formation."),
    "watchtower": gettext_lazy("Claiming this flag removes one of the opponent's troops from an open flag next to it."),
    "town": gettext_lazy("Counts as two flags, but can't be part of a row of three flags."),
    "fields": gettext_lazy(
        "Claim this flag to draw three troops, then put two troops from your hand back on top of the deck."
    ),
    "fortress": gettext_lazy(
        "Defended by %(seat_1)s, who needs one more card than the other side. The highest doesn't count."
    ),
    "hills": gettext_lazy("Formations rank as usual, but between two of the same kind the lower total wins."),
    "woodland": gettext_lazy("Formations don't count here. The higher total wins."),
    "fog": gettext_lazy(
        "Only the total counts here, not formations. Cards that stand in for a troop count their best value. "
        "Stays until the end."
    ),
    "mud": gettext_lazy(
        "Each side needs one more card, usually four. A full side has room again. Stays until the end."
    ),
}
"""What each tile, and Fog and Mud, does to its flag: the whole of it, for who asks at the table."""


@dataclass(frozen=True, eq=False)
class Wording:
    """The names that an edition gives to things."""

    names: cards.EditionNames
    short: Mapping[str, object]
    court: Mapping[str, str]
    reader: int | None = field(default=None, kw_only=True)
    """The seat of who is spoken to; None where sentences are about all seats alike."""

    def seat(self, seat: int) -> str:
        """Return the name of a seat."""
        return _(self.names.seats[seat])

    def formation(self, formation: str) -> str:
        """Return the name of a formation."""
        return _(self.names.formations[formation])

    def card(self, card: str) -> str:
        """Return the name of a card in full."""
        if is_tactic(card):
            return _(self.names.tactics[card])
        return _("%(colour)s %(number)s") % {"colour": _(self.names.suits[card[0]]), "number": format_card_number(card)}

    def face(self, card: str, **states: bool) -> Face:
        """Return how a card of this public name looks, in these states of a face."""
        face = build_face(self, card, get_language())
        changes: dict[str, Any] = states
        return replace(face, **changes) if any(states.values()) else face

    def token(self, card: str) -> Part:
        """Return the card within a sentence; read aloud it is its name."""
        return build_card_part(self, card, get_language())

    def tokens(self, cards: Iterable[str]) -> Sentence:
        """Return cards side by side."""
        return join_parts(map(self.token, cards))

    def suits(self, letters: str) -> tuple[Suit, ...]:
        """Return the suits for those who don't know them yet, or can't tell the colours apart."""
        return tuple(Suit(one, SUIT_SHAPES[one], _(self.names.suits[one])) for one in letters)

    def tile(self, tile: str) -> GroundTag:
        """Return the label of a tile."""
        name, hint = cards.TILE_NAMES[tile]
        seats = {"seat_0": self.seat(0), "seat_1": self.seat(1)}
        effect, whole = str(TILE_EFFECTS[tile]) % seats, str(WHOLE_RULES[tile]) % seats
        return GroundTag(f"tile-{tile}", _(name), effect, _(hint) % seats, TILE_RULINGS[tile], whole)

    def tile_token(self, tile: str) -> Part:
        """Return the tile within a sentence."""
        tag = self.tile(tile)
        return Part(tag.name, tag.icon, "tactic")

    def weather(self, card: str) -> GroundTag:
        """Return the label of Fog or Mud, lying at a flag."""
        effect, hint = (
            (_("total only"), _("only the total counts")) if card == "fog" else (_("4 cards"), _("four cards a side"))
        )
        name, whole = str(self.short[card]), str(WHOLE_RULES[card])
        return GroundTag(TACTIC_ICONS[card], name, effect, hint, WEATHER_RULINGS[card], whole)


@dataclass(frozen=True, eq=False)
class NamedWording(Wording):
    """The wording of an edition with the names of the players for its seats."""

    edition: Wording
    """The wording under which drawings are kept, as they don't depend on who plays."""
    players: tuple[str, ...]

    def seat(self, seat: int) -> str:
        """Return the name of the player at a seat."""
        return self.players[seat]

    def face(self, card: str, **states: bool) -> Face:
        """Return how a card of this public name looks."""
        return self.edition.face(card, **states)

    def token(self, card: str) -> Part:
        """Return the card within a sentence."""
        return self.edition.token(card)


@lru_cache(maxsize=256)
def name_seats(wording: Wording, players: tuple[str, ...], reader: int | None) -> NamedWording:
    """Return the wording with these names for the seats, the same object for the same players and reader."""
    return NamedWording(wording.names, wording.short, wording.court, wording, players, reader=reader)


@cache
def build_face(wording: Wording, card: str, language: str | None) -> Face:
    """Return how a card looks. Kept by language: the same card lies in dozens of scenes."""
    suit, number, short = card[0], format_card_number(card), ""
    if is_tactic(card):
        suit, number, short = "tactic", wording.court.get(card, ""), str(wording.short[card])
    return Face(suit, TACTIC_ICONS.get(card) or SUIT_SHAPES[suit], number, wording.card(card), short, key=card)


@cache
def build_card_part(wording: Wording, card: str, language: str | None) -> Part:
    """Return the card within a sentence. Kept by language: a page of moves shows hundreds of them."""
    shown = wording.face(card)
    if shown.is_tactic:
        return Part(shown.name, shown.shape, shown.suit)
    return Part(shown.number, shown.shape, shown.suit, _(wording.names.suits[card[0]]))


ANCIENT_WORDING = Wording(cards.ANCIENT_NAMES, SHORT_TACTIC_NAMES, {})
MEDIEVAL_WORDING = Wording(cards.MEDIEVAL_NAMES, SHORT_MEDIEVAL_TACTIC_NAMES, {})
HIGHLAND_WORDING = Wording(cards.HIGHLAND_NAMES, SHORT_TACTIC_NAMES, {})
PLAYING_CARD_WORDING = Wording(cards.PLAYING_CARD_NAMES, SHORT_PLAYING_CARD_TACTIC_NAMES, COURT_CARD_LETTERS)
WORDINGS_BY_EDITION = {
    edition: next(
        one
        for one in (ANCIENT_WORDING, MEDIEVAL_WORDING, PLAYING_CARD_WORDING, HIGHLAND_WORDING)
        if one.names is cards.NAMES_BY_EDITION[edition]
    )
    for edition in TITLES
}
"""By edition."""


# Battle Line in sentences: what was played, claimed, drawn, and how it ended.

CLAIMED_FLAGS = {
    "1": pgettext_lazy("object of a claim", "flag 1"),
    "2": pgettext_lazy("object of a claim", "flag 2"),
    "3": pgettext_lazy("object of a claim", "flag 3"),
    "4": pgettext_lazy("object of a claim", "flag 4"),
    "5": pgettext_lazy("object of a claim", "flag 5"),
    "6": pgettext_lazy("object of a claim", "flag 6"),
    "7": pgettext_lazy("object of a claim", "flag 7"),
    "8": pgettext_lazy("object of a claim", "flag 8"),
    "9": pgettext_lazy("object of a claim", "flag 9"),
}
"""Written out, as languages differ in articles before numbers."""


def describe_events(wording: Wording, events: Sequence[Json]) -> list[Line]:
    """Return one line for each event that is worth one; what is drawn belongs to the action before it."""
    lines: list[Line] = []
    claimant = None
    for place, event in enumerate(events):
        verb, *arguments = event.get("action", "").split() or [""]
        if verb == "claim":
            claimant = event["seat"]
            lines += describe_claim(wording, event, list_draws(events[place + 1 :]))
        elif verb == "remove":
            lines.append(describe_removal(wording, event, is_claimant=event["seat"] == claimant))
        elif verb == "draw":
            lines.append(describe_draw(wording, event, list_draws(events[place + 1 :])))
        elif event.get("event") == "award":
            lines.append(describe_award(wording, event))
        elif verb in DESCRIBERS:
            lines.append(DESCRIBERS[verb](wording, event, arguments))
    return lines


def list_draws(events: Sequence[Json]) -> list[Json]:
    """Return the draws with which these events begin."""
    draws: list[Json] = []
    for event in events:
        if event.get("event") != "draw":
            break
        draws.append(event)
    return draws


def say(wording: Wording, seat: int, template: str, own_template: str, **values: object) -> Sentence:
    """Return what a seat did, from a template about `{seat}`, or from the one that speaks to who sits there."""
    if wording.reader == seat:
        return format_sentence(own_template, **values)
    return format_sentence(template, seat=wording.seat(seat), **values)


def describe_award(wording: Wording, event: Json) -> Line:
    """Describe a flag that goes to a seat which can prove it and did not claim it."""
    template = _("Flag {flag} goes to {seat}, who can prove the claim")
    own = _("Flag {flag} goes to you: you can prove the claim")
    return Line(say(wording, event["seat"], template, own, flag=event["flag"]), is_weighty=True)


def describe_claim(wording: Wording, event: Json, draws: Sequence[Json]) -> list[Line]:
    """Describe a claim, and what Fields bring with it."""
    seat, flag = event["seat"], CLAIMED_FLAGS[event["action"].split()[1]]
    formation = _("total") if event.get("is_total") else wording.formation(event["formation"]).lower()
    template, own = _("{seat} claims {flag}: {formation} {sum}"), _("You claim {flag}: {formation} {sum}")
    sentence = say(wording, seat, template, own, flag=flag, formation=formation, sum=event["sum"])
    lines = [Line(sentence, is_weighty=True)]
    if draws:
        template, own = _("The {tile} bring {seat} {cards}"), _("The {tile} bring you {cards}")
        tile, cards = wording.tile_token("fields"), list_drawn_cards(wording, draws)
        lines.append(Line(say(wording, seat, template, own, tile=tile, cards=cards)))
    return lines


def describe_removal(wording: Wording, event: Json, is_claimant: bool) -> Line:
    """Describe what a claimed Watchtower takes from the other side, or claimed Marshes from who did not claim them."""
    card, flag = event["action"].split()[1:]
    templates = {
        True: (
            _("{seat} uses the {tile}: {card} leaves flag {flag}"),
            _("You use the {tile}: {card} leaves flag {flag}"),
        ),
        False: (
            _("{seat} loses {card} at flag {flag} to the {tile}"),
            _("You lose {card} at flag {flag} to the {tile}"),
        ),
    }
    tile = wording.tile_token("watchtower" if is_claimant else "marshes")
    template, own = templates[is_claimant]
    return Line(say(wording, event["seat"], template, own, tile=tile, card=wording.token(card), flag=flag))


def describe_draw(wording: Wording, event: Json, draws: Sequence[Json]) -> Line:
    """Describe the cards drawn at the end of a turn, or by Scout."""
    cards = list_drawn_cards(wording, draws)
    return Line(say(wording, event["seat"], _("{seat} draws {cards}"), _("You draw {cards}"), cards=cards))


def list_drawn_cards(wording: Wording, draws: Sequence[Json]) -> Sentence:
    """Return the cards that were drawn, or only their decks where the onlooker didn't see them."""
    cards = (wording.token(event["card"]) if event.get("card") else name_deck(event["deck"]) for event in draws)
    return join_parts(cards, ", ")


def name_deck(deck: str) -> Part:
    """Return a card of a deck that the onlooker doesn't see."""
    return Part(_("a tactics card") if deck == "tactic" else _("a troop"))


def describe_forfeit(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe the fault by which a seat lost."""
    return Line(describe_fault(wording.seat(event["seat"]), event.get("verdict") or event["reason"]), is_weighty=True)


def describe_return(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a card that is put back on its deck after Scout."""
    card = name_deck(event["deck"]) if arguments[0] == "?" else wording.token(arguments[0])
    template, own = _("{seat} puts {card} back on its deck"), _("You put {card} back on its deck")
    return Line(say(wording, event["seat"], template, own, card=card))


def describe_play(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a troop, a wild card, Fog or Mud that is laid at a flag."""
    card, flag = arguments
    templates = {
        "fog": (
            _("{seat} plays {card} on flag {flag}: only the total counts there"),
            _("You play {card} on flag {flag}: only the total counts there"),
        ),
        "mud": (
            _("{seat} plays {card} on flag {flag}: one more card for each side"),
            _("You play {card} on flag {flag}: one more card for each side"),
        ),
    }
    usual = _("{seat} plays {card} at flag {flag}"), _("You play {card} at flag {flag}")
    template, own = templates.get(card, usual)
    return Line(say(wording, event["seat"], template, own, card=wording.token(card), flag=flag))


GUILE_TEMPLATES = {
    "scout": (gettext_lazy("{seat} plays {tactic}"), gettext_lazy("You play {tactic}")),
    "redeploy": (
        gettext_lazy("{seat} plays {tactic}: {card} moves from flag {flag} to flag {target}"),
        gettext_lazy("You play {tactic}: {card} moves from flag {flag} to flag {target}"),
    ),
    "discard": (
        gettext_lazy("{seat} plays {tactic} and discards {card} from flag {flag}"),
        gettext_lazy("You play {tactic} and discard {card} from flag {flag}"),
    ),
    "deserter": (
        gettext_lazy("{seat} plays {tactic}: {card} deserts flag {flag}"),
        gettext_lazy("You play {tactic}: {card} deserts flag {flag}"),
    ),
    "traitor": (
        gettext_lazy("{seat} plays {tactic}: {card} changes sides, from flag {flag} to flag {target}"),
        gettext_lazy("You play {tactic}: {card} changes sides, from flag {flag} to flag {target}"),
    ),
}
"""About a seat, and to who sits there."""


def describe_guile(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a guile tactic: Scout, Redeploy, Deserter or Traitor."""
    tactic = event["action"].split()[0]
    card, flag, target = (*arguments, "", "", "")[:3]
    template, own = GUILE_TEMPLATES["discard" if target == "discard" else tactic]
    sentence = say(
        wording,
        event["seat"],
        str(template),
        str(own),
        tactic=wording.token(tactic),
        card=wording.token(card) if card else "",
        flag=flag,
        target=target,
    )
    return Line(sentence)


def describe_pass(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a pass."""
    return Line(say(wording, event["seat"], _("{seat} passes"), _("You pass")))


def describe_pick(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a tile that is picked in the draft."""
    tile = name_tile(wording, arguments[0])
    return Line(say(wording, event["seat"], _("{seat} picks {tile}"), _("You pick {tile}"), tile=tile))


def describe_lay(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a tile that is laid after the draft."""
    tile, side = arguments
    templates = {
        "up": (_("{seat} lays {tile} face up"), _("You lay {tile} face up")),
        "down": (_("{seat} lays {tile} face down: plain ground"), _("You lay {tile} face down: plain ground")),
    }
    template, own = templates[side]
    return Line(say(wording, event["seat"], template, own, tile=name_tile(wording, tile)))


def name_tile(wording: Wording, tile: str) -> Part:
    """Return a tile, which the onlooker may not see."""
    return Part(_("a tile")) if tile == "?" else wording.tile_token(tile)


DESCRIBERS: dict[str, Callable[[Wording, Json, Sequence[str]], Line]] = {
    "forfeit": describe_forfeit,
    "return": describe_return,
    "play": describe_play,
    **dict.fromkeys(("scout", "redeploy", "deserter", "traitor"), describe_guile),
    "pass": describe_pass,
    "pick": describe_pick,
    "lay": describe_lay,
}
"""By the first word of an action; the others are described together with what follows from them, or not at all."""


ENDING_LABELS = {
    "breakthrough": gettext_lazy("breakthrough"),
    "envelopment": gettext_lazy("envelopment"),
    "passes": gettext_lazy("two passes"),
}
"""By reason for which a leg ends."""


def describe_ending(wording: Wording, result: Json, envelopment: int) -> str:
    """Return how a leg ended, as one sentence without its stop."""
    reason = result["reason"]
    winners = [seat for seat, place in enumerate(result["places"]) if place == 1]
    if len(winners) > 1:
        flags = int(result["scores"][0])
        return ngettext(
            "Draw: both passed with %(flags)s flag each",
            "Draw: both passed with %(flags)s flags each",
            flags,
        ) % {"flags": flags}
    counts = {3: _("three"), 5: _("five")}
    values = {"seat": wording.seat(winners[0]), "count": counts.get(envelopment, envelopment)}
    endings = {
        "breakthrough": _("%(seat)s wins by breakthrough: three flags side by side"),
        "envelopment": _("%(seat)s wins by envelopment: %(count)s flags"),
        "passes": _("%(seat)s wins on flags: both passed"),
    }
    if reason in endings:
        return endings[reason] % values
    fault = describe_fault(wording.seat(1 - winners[0]), reason)
    return _("%(seat)s wins: %(fault)s") % {**values, "fault": fault}


# Choices of Battle Line in words, as an analysis names them, and the kinds of mistakes.

MISTAKE_LABELS: dict[str, str | Promise] = {
    "flag": gettext_lazy("plays the right card at the wrong flag"),
    "card": gettext_lazy("plays the wrong card at the right flag"),
    "placement": gettext_lazy("plays the wrong card at the wrong flag"),
    "tactic-missed": gettext_lazy("plays a troop where a tactics card is better"),
    "tactic-wasted": gettext_lazy("plays a tactics card where a troop is better"),
    "tactic-used": gettext_lazy("misuses tactics cards"),
    "pass": gettext_lazy("passes where a card is better"),
    "deck": gettext_lazy("draws from the wrong deck"),
    "returned": gettext_lazy("puts the wrong card back"),
    "removed": gettext_lazy("removes the wrong card"),
    "other": gettext_lazy("chooses the wrong kind of action"),
}
"""By kind, as after "it" (`engine.analysis.evaluators.MISTAKE_KINDS`)."""


def name_choice(wording: Wording, action: str) -> Sentence | str:
    """Return an action as a phrase: "yellow 9 at flag 4"."""
    verb, *words = action.split()
    return CHOICE_NAMERS[verb](wording, words) if verb in CHOICE_NAMERS else action


def name_play(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a card that is played at a flag."""
    return format_sentence(_("{card} at flag {flag}"), card=wording.token(words[0]), flag=words[1])


def name_scout(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name the Scout."""
    return wording.tokens(["scout"])


def name_redeploy(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a redeployment."""
    card, flag, target = words
    template = (
        _("{tactic}: discard {card} from flag {flag}")
        if target == "discard"
        else _("{tactic}: {card} from flag {flag} to flag {target}")
    )
    tactic = wording.token("redeploy")
    return format_sentence(template, tactic=tactic, card=wording.token(card), flag=flag, target=target)


def name_deserter(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a Deserter and the card that leaves."""
    values = {"tactic": wording.token("deserter"), "card": wording.token(words[0]), "flag": words[1]}
    return format_sentence(_("{tactic}: {card} at flag {flag}"), **values)


def name_traitor(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a Traitor and where the card goes."""
    card, flag, target = words
    values = {"tactic": wording.token("traitor"), "card": wording.token(card), "flag": flag, "target": target}
    return format_sentence(_("{tactic}: {card} from flag {flag} to flag {target}"), **values)


def name_draw(wording: Wording, words: Sequence[str]) -> str | Sentence:
    """Name the decks that are drawn from."""
    names = {"troop": _("drawing a troop"), "tactic": _("drawing a tactics card")}
    if len(words) == 1:
        return names[words[0]]
    values = {"troops": words.count("troop"), "tactics": words.count("tactic")}
    return _("drawing %(troops)s troops and %(tactics)s tactics cards") % values


def name_return(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a card that is put back."""
    return format_sentence(_("putting {card} back"), card=wording.token(words[0]))


def name_removal(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a card that is removed."""
    return format_sentence(_("removing {card} from flag {flag}"), card=wording.token(words[0]), flag=words[1])


def name_claim(wording: Wording, words: Sequence[str]) -> str:
    """Name a claim."""
    return _("claiming flag %(flag)s") % {"flag": words[0]}


def name_done(wording: Wording, words: Sequence[str]) -> str:
    """Name the end of a turn."""
    return _("ending the turn")


def name_pass(wording: Wording, words: Sequence[str]) -> str:
    """Name a pass."""
    return _("passing")


CHOICE_NAMERS: dict[str, Callable[[Wording, Sequence[str]], Sentence | str]] = {
    "play": name_play,
    "scout": name_scout,
    "redeploy": name_redeploy,
    "deserter": name_deserter,
    "traitor": name_traitor,
    "draw": name_draw,
    "return": name_return,
    "remove": name_removal,
    "pass": name_pass,
    "claim": name_claim,
    "done": name_done,
}
"""By the first word of an action."""
