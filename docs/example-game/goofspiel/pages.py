"""Goofspiel on the page: the prizes bid for, each player's bid and cards, sentences, and the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.pages.games.cards import Face, Suit
from arena.pages.games.presentation import Level, Line, Mark, Presentation, describe_fault
from arena.pages.games.sentence import Part, Sentence, format_sentence, join_parts
from arena.pages.matches.replay import Playback, Scene, Step
from arena.pages.svg.card import SEAT_COLOURS, PlacedCard
from engine.core import PUBLIC_ONLOOKER, Json
from goofspiel.rules import GAME

SUITS = (
    Suit("S", "spade", gettext_lazy("Spades")),
    Suit("H", "heart", gettext_lazy("Hearts")),
    Suit("C", "club", gettext_lazy("Clubs")),
)
"""By seat; a player is called by its suit."""
PRIZES = Suit("D", "pip", gettext_lazy("Diamonds"))
PART_TITLES = {
    "play": gettext_lazy("Format and scoring"),
    "end": gettext_lazy("Game end"),
    "credits": gettext_lazy("Credits"),
}
SUMMARY = gettext_lazy("Two or three players bid for prizes, all at the same time. Each card is bid once.")
LARGE_STAKE_CARDS = 2
"""A stake of so many prizes stands on the timeline."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A player's side of the table."""

    seat: int
    name: str
    points: str
    bid: Face | None
    """The card bid in the step shown; a back where the onlooker doesn't know it."""
    cards: list[Face]
    label: str


@dataclass(frozen=True, slots=True)
class Board:
    """What `board.html` shows."""

    stake: list[Face]
    """The prizes that are bid for in the step shown, or will be next."""
    stake_text: Sentence | str
    hands: list[Hand]
    suits: tuple[Suit, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """What `proof.html` shows of a bid."""

    seat: int
    title: str
    text: Sentence
    rules_url: str


def name_seat(seat: int) -> str:
    """Return the name of a seat, which is that of its suit."""
    return str(SUITS[seat].name)


def find_face(suit: Suit, number: int, is_new: bool = False) -> Face:
    """Return how a card looks."""
    name = _("%(card)s of %(suit)s") % {"card": number, "suit": str(suit.name).lower()}
    return Face(suit.letter, suit.icon, str(number), name, "", is_new=is_new, key=f"{suit.letter}{number}")


def build_cards(suit: Suit, numbers: Sequence[int]) -> Sentence:
    """Return cards within a sentence."""
    return join_parts(Part(str(number), suit.icon, suit.letter, str(suit.name)) for number in numbers)


def describe_events(events: Sequence[Json]) -> list[Line]:
    """Return a line for each bid, prize and forfeit."""
    return [line for event in events for line in describe_event(event)]


def describe_event(event: Json) -> list[Line]:
    """Return the sentence of an event."""
    kind = event.get("event") or event["action"].split()[0]
    words: dict[str, object] = {"seat": name_seat(event["seat"])} if "seat" in event else {}
    if kind == "forfeit":
        return [Line(describe_fault(str(words["seat"]), event.get("verdict") or event["reason"]), is_weighty=True)]
    if kind == "bid":
        words["card"] = build_cards(SUITS[event["seat"]], [int(event["action"].split()[1])])
        return [Line(format_sentence(_("{seat} bid {card}"), **words))]
    words["prizes"] = build_cards(PRIZES, [event["card"]] if kind == "prize" else event["prizes"])
    templates = {
        "take": _("{seat} take {prizes}"),
        "tie": _("No one takes {prizes}"),
        "prize": _("{prizes} is turned up"),
    }
    return [Line(format_sentence(templates[kind], **words), is_weighty=kind != "prize")]


def describe_ending(scene: Scene) -> str:
    """Return who won with how many points."""
    result = scene.final_result
    first = [seat for seat, place in enumerate(result["places"]) if place == 1]
    points = int(max(result["scores"]))
    counted = ngettext("%(points)s point", "%(points)s points", points) % {"points": points}
    words = {"seats": ", ".join(map(name_seat, first)), "points": counted}
    return (_("%(seats)s win with %(points)s") if len(first) == 1 else _("Drawn by %(seats)s with %(points)s")) % words


def build_board(scene: Scene) -> Board:
    """Return the table as the scene's onlooker sees it."""
    settled = [event for event in scene.step.events if event.get("event") in ("take", "tie")]
    stake = settled[0]["prizes"] if settled else scene.after[0]["stake"]
    seats = range(len(scene.after))
    return Board(
        stake=[find_face(PRIZES, card) for card in stake],
        stake_text=describe_events(settled)[0].text if settled else _("These prizes are bid for next"),
        hands=[build_hand(scene, seat) for seat in seats],
        suits=(*SUITS[: len(seats)], PRIZES),
    )


def build_hand(scene: Scene, seat: int) -> Hand:
    """Return a player's side of the table: its cards as all others see them, or as it sees them itself."""
    eyes = seat if scene.sees(seat) else (seat + 1) % len(scene.after)
    view = scene.after[eyes if scene.onlooker in (None, PUBLIC_ONLOOKER, seat) else scene.onlooker]
    points = view["points"][seat]
    return Hand(
        seat=seat,
        name=name_seat(seat),
        points=ngettext("%(points)s point", "%(points)s points", points) % {"points": points},
        bid=find_bid(scene, seat),
        cards=[find_face(SUITS[seat], card) for card in view["hands"][seat]],
        label=_("Cards of %(seat)s") % {"seat": name_seat(seat)},
    )


def find_bid(scene: Scene, seat: int) -> Face | None:
    """Return the card that a seat bid in the step shown, as far as the onlooker was told."""
    bids = [event["action"] for event in scene.step.events if event.get("seat") == seat and "action" in event]
    cards = [int(action.split()[1]) for action in bids if action.startswith("bid")]
    return find_face(SUITS[seat], cards[0], is_new=True) if cards else None


def build_proof(scene: Scene, explanation: Json) -> Proof:
    """Return what a bid was for, and the cards it was chosen from."""
    seat = explanation["seat"]
    own = SUITS[seat]
    template = _("{card} of {held} for {stake}") if explanation["legal"] else _("{card} is not among {held}")
    words = {"held": build_cards(own, explanation["held"]), "stake": build_cards(PRIZES, explanation["stake"])}
    text = format_sentence(template, card=build_cards(own, [explanation["card"]]), **words)
    rules_url = reverse("rules", args=[GAME.key, scene.edition])
    return Proof(seat, _("Bid by %(seat)s") % {"seat": name_seat(seat)}, text, rules_url)


def list_marks(step: Step) -> list[Mark]:
    """Return forfeits and large stakes that were taken."""
    marks = []
    for event in step.events:
        if event.get("action") == "forfeit":
            marks.append(Mark("forfeit", event["seat"], "no", str(describe_event(event)[0])))
        if event.get("event") == "take" and len(event["prizes"]) >= LARGE_STAKE_CARDS:
            marks.append(Mark("take", event["seat"], f"pennant-{event['seat']}", str(describe_event(event)[0])))
    return marks


def count_points(playback: Playback) -> list[Level]:
    """Return the points of each seat after each step."""
    rows = [playback.views[number][0]["points"] for number in range(playback.last + 1)]
    return [Level(seat, values) for seat, values in enumerate(zip(*rows, strict=True))]


def lay_out_preview(board: Board) -> Any:
    """Return where the prizes, bids and points lie in a preview image of 1200 by 630."""
    stake = [PlacedCard(face, 60 + 90 * place, 130, 76, 104, 30) for place, face in enumerate(board.stake)]
    rows = []
    for hand in board.hands:
        top = 270 + 116 * hand.seat
        bid = PlacedCard(hand.bid, 330, top, 76, 104, 30) if hand.bid else None
        left = [PlacedCard(face, 450 + 54 * place, top + 26, 46, 62, 20) for place, face in enumerate(hand.cards)]
        rows.append(
            {"hand": hand, "y": top + 60, "colour": SEAT_COLOURS[hand.seat], "cards": [bid, *left] if bid else left}
        )
    return {"stake": stake, "rows": rows, "text": str(board.stake_text)}


def build_rules(edition: str) -> dict[str, Any]:
    """Return what the templates of the rules show."""
    editions = [{"key": key, "title": _(title), "brief": SUMMARY} for key, title in GAME.editions.items()]
    return {
        "edition": next(one for one in editions if one["key"] == edition),
        "editions": editions,
        "parts": {part: str(title) for part, title in PART_TITLES.items()},
        "options": GAME.options(edition),
    }


def present_edition(edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition; it is the same with other options."""
    return Presentation(
        folder="goofspiel",
        name_seat=name_seat,
        describe_events=describe_events,
        build_board=build_board,
        build_proof=build_proof,
        describe_ending=describe_ending,
        build_rules=lambda: build_rules(edition),
        start_text=gettext_lazy("The first prize is turned up."),
        unseen_text=gettext_lazy("%(seat)s bid, unseen by the others"),
        list_marks=list_marks,
        jump_labels={"take": gettext_lazy("Next large stake")},
        measure=count_points,
        measure_label=gettext_lazy("Points"),
        lay_out_preview=lay_out_preview,
    )
