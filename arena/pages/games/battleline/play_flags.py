"""The flags of a table at which one plays: cards that can be picked there, places for a card, claims and why not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.messages import render_message
from arena.pages.games.battleline.board import Board, Flag, Side
from arena.pages.games.battleline.cards import is_tactic
from arena.pages.games.battleline.claim_proof import Case, build_proof
from arena.pages.games.battleline.ground import read_ground_flags
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.play.parts import WhyNot
from arena.pages.play.table import Choice, PlayTable
from engine.core import Json
from engine.games.battleline.cards import Names
from engine.games.battleline.formations import GROUND_SUM_ONLY
from engine.games.battleline.wild_cards import describe_formation

WEATHER = ("fog", "mud")
OWN_SIDE, OTHER_SIDE = "own", "other"
SIDE_BY_CARD = {"redeploy": OWN_SIDE, "deserter": OTHER_SIDE, "traitor": OTHER_SIDE}
SIDE_BY_DECISION = {"marshes": OWN_SIDE, "watchtower": OTHER_SIDE}
"""On which side a card of the board is picked: by the tactics card chosen, and by what is decided."""


@dataclass(frozen=True, slots=True)
class LyingCard:
    """A card at a flag, perhaps one that can be picked."""

    face: Face
    choice: Choice | None = None
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class PlaySide:
    """One side of a flag."""

    side: Side
    cards: Sequence[LyingCard]
    coming: Sequence[Face] = ()
    """Cards that would refute the claim one asks about, in places that are free."""

    @property
    def free(self) -> range:
        """Return places still free, one number for each, without those in which a card is drawn."""
        return range(max(0, len(self.side.free) - len(self.coming)))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the chosen card can go, and what it would make there."""

    choice: Choice
    icon: str
    name: str
    """The formation it would complete; empty where it completes none."""
    result: str
    """Its sum, or how many cards of those needed would lie there."""
    spoken: str
    is_on_flag: bool
    """It lies at the flag for both sides: Fog and Mud."""


@dataclass(frozen=True, slots=True)
class PlayFlag:
    """A flag with what one can do there."""

    flag: Flag
    near: PlaySide
    far: PlaySide
    place: Place | None
    claim: Choice | None
    claim_spoken: str
    why_url: str
    """The address that asks why one may not claim it, where one might expect to."""
    answer: Sentence | str
    """The answer, once it is asked."""
    hinted: Face | None = None
    """The card that a hint would play here, where it can be shown in a free place."""
    is_place_hinted: bool = False
    """A hint would play the chosen card here."""
    is_claim_hinted: bool = False

    @property
    def near_free(self) -> range:
        """Return the free places of the reader's side, without those of the chosen card and of the hint's."""
        is_taken = self.hinted is not None or (self.place is not None and not self.place.is_on_flag)
        return self.near.free[int(is_taken) :]


def list_flags(wording: Wording, table: PlayTable, board: Board, names: Names) -> list[PlayFlag]:
    """Return all flags with what the reader can do there."""
    views = table.scene.after[table.near]["flags"]
    return [
        FlagBuilder(wording, table, names, view, flag).build() for view, flag in zip(views, board.flags, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class FlagBuilder:
    """Builds what can be done at one flag."""

    wording: Wording
    table: PlayTable
    names: Names
    view: Json
    flag: Flag

    def build(self) -> PlayFlag:
        """Return the flag with what the reader can do there."""
        near, far = self.flag.sides[self.table.near], self.flag.sides[1 - self.table.near]
        claim = self.table.choose("claim", str(self.flag.number))
        place = self.build_place()
        answer, coming = self.answer_why() if self.is_asked_about else ("", ())
        return PlayFlag(
            flag=self.flag,
            near=PlaySide(near, self.list_cards(near, OWN_SIDE)),
            far=PlaySide(far, self.list_cards(far, OTHER_SIDE), coming),
            place=place,
            claim=claim,
            claim_spoken=self.describe_claim(near) if claim else "",
            why_url=self.table.ask_why(self.claim_action) if self.might_claim and not claim else "",
            answer=answer,
            hinted=self.find_hinted_card(near) if place is None else None,
            is_place_hinted=place is not None and self.table.hinted == (*self.table.chosen, str(self.flag.number)),
            is_claim_hinted=self.table.hinted == ("claim", str(self.flag.number)),
        )

    def find_hinted_card(self, near: Side) -> Face | None:
        """Return the card that a hint would play on the reader's side of this flag."""
        verb, *words = self.table.hinted or ("",)
        if verb != "play" or words[1] != str(self.flag.number) or words[0] in WEATHER or not near.free:
            return None
        return replace(self.wording.face(words[0]), is_better=True, key="")

    @property
    def claim_action(self) -> str:
        """Return the action that claims this flag."""
        return f"claim {self.flag.number}"

    @property
    def might_claim(self) -> bool:
        """Return whether the reader might expect to be allowed to claim this flag now."""
        decision, options = self.table.scene.after[self.table.near]["decision"], self.table.scene.options
        is_time = decision == "play" or (decision == "finish" and options["claims"] != "start")
        near = self.table.near
        is_full = len(self.view["cards"][near]) == self.view["needs"][near]
        return self.table.is_own_turn and is_time and is_full and self.flag.owner is None

    @property
    def is_asked_about(self) -> bool:
        """Return whether the reader asks why this flag can't be claimed."""
        return self.might_claim and self.table.why == self.claim_action

    def list_cards(self, side: Side, whose: str) -> list[LyingCard]:
        """Return the cards of a side, those with a choice that can be picked."""
        cards = self.view["cards"][side.seat]
        return [
            LyingCard(face, choice := self.choose_card(card, whose), self.describe_pick(face) if choice else "")
            for card, face in zip(cards, side.faces, strict=True)
        ]

    def choose_card(self, card: str, whose: str) -> Choice | None:
        """Return the choice of a card that lies here; None where it can't be picked."""
        chosen, decision = self.table.chosen, self.table.scene.after[self.table.near]["decision"]
        if SIDE_BY_DECISION.get(decision) == whose:
            return self.table.choose("remove", card, str(self.flag.number))
        if len(chosen) == 1 and SIDE_BY_CARD.get(chosen[0]) == whose:
            return self.table.choose_next(card, str(self.flag.number))
        return None

    def describe_pick(self, face: Face) -> str:
        """Return what is read aloud of a card that can be picked."""
        return _("Choose %(card)s at flag %(flag)s") % {"card": face.name, "flag": self.flag.number}

    def build_place(self) -> Place | None:
        """Return where the chosen card can go here; None where it can't."""
        chosen = self.table.chosen
        is_moving = len(chosen) == 3 and chosen[0] in SIDE_BY_CARD
        choice = self.table.choose_next(str(self.flag.number)) if is_moving or chosen[:1] == ("play",) else None
        if choice is None or len(chosen) < 2:
            return None
        card, values = chosen[1], {"card": self.wording.card(chosen[1]), "flag": self.flag.number}
        if card in WEATHER:
            tag = self.wording.weather(card)
            spoken = _("Lay %(card)s on flag %(flag)s") % values
            return Place(choice, tag.icon, tag.name, "", spoken, is_on_flag=True)
        icon, name, result = self.preview(card)
        spoken = _("Play %(card)s at flag %(flag)s: %(result)s") % {
            **values,
            "result": f"{name.lower()} {result}".strip(),
        }
        return Place(choice, icon, name, f"{result}?" if name else result, spoken, is_on_flag=False)

    def preview(self, card: str) -> tuple[str, str, str]:
        """Return icon, name and sum of the formation that a card would complete here, or how many cards would lie."""
        near = self.table.near
        cards, needs = [*self.view["cards"][near], card], self.view["needs"][near]
        if len(cards) < needs:
            return "", "", _("%(count)s of %(needs)s") % {"count": len(cards), "needs": needs}
        ground = read_ground_flags(self.view, near)
        formation = describe_formation([self.names.card[one] for one in cards], self.names.of, ground)
        total = str(formation["sum"])
        if ground & GROUND_SUM_ONLY:
            return "fog", _("Sum"), total
        kind = str(formation["formation"])
        return kind, self.wording.formation(kind), total

    def describe_claim(self, near: Side) -> str:
        """Return what is read aloud of a claim."""
        values = {"flag": self.flag.number, "formation": near.formation_name.lower(), "sum": near.total}
        return _("Claim flag %(flag)s: %(formation)s %(sum)s") % values

    def answer_why(self) -> tuple[Sentence | str, Sequence[Face]]:
        """Return why this flag can't be claimed yet, and the cards that would beat the reader's side."""
        explanation = self.table.explain(self.claim_action)
        if explanation is None or explanation["holds"] or self.table.refuse(self.claim_action) is None:
            refusal = self.table.refuse(self.claim_action)
            return render_message(refusal) if refusal else "", ()
        case = Case(self.wording, explanation, self.view, self.names)
        best = case.formation_with_sum(case.best) if case.best else ""
        cards = explanation["refutation"] or []
        if not cards:
            if explanation["because"] == "tie-last":
                return _("Not yet: both sides are equal, and you placed the last card."), ()
            return _("No: %(other)s has %(best)s.") % {"other": case.other, "best": best}, ()
        template = _("Not yet: {other} could still play {cards} and reach {best}.")
        answer = format_sentence(template, other=case.other, cards=self.wording.tokens(cards), best=best)
        held = [card for card in cards if card in self.table.scene.after[self.table.near]["hand"]]
        if held:
            more = _("{answer} You hold {cards}, but hands do not count in a claim.")
            answer = format_sentence(more, answer=answer, cards=self.wording.tokens(held))
        return answer, [self.wording.face(card) for card in cards if not is_tactic(card)]


def build_why_not(wording: Wording, table: PlayTable, flags: Sequence[PlayFlag]) -> WhyNot | None:
    """Return the question that the panel answers: about the flag one asks about, or the first that can't be claimed."""
    asked = [flag for flag in flags if flag.answer] or [flag for flag in flags if flag.why_url]
    if not asked:
        return None
    flag = asked[0]
    explanation = table.explain(f"claim {flag.flag.number}") if flag.answer else None
    return WhyNot(
        question=_("Why can't I claim flag %(flag)s?") % {"flag": flag.flag.number},
        url=flag.why_url,
        proof=build_proof(wording, table.scene, explanation) if explanation else None,
    )
