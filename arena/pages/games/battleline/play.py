"""The table at which people play Battle Line: its bar, flags, hand, draft and end, as `play*.html` show them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from arena.core.messages import render_message
from arena.pages.formatting import join_words
from arena.pages.games.battleline.board import (
    FLAG_COLUMN_WIDTH,
    ClaimCase,
    Flag,
    FlagSide,
    LineBoard,
    TilePlace,
    build_board,
    build_hand,
    build_opening,
    build_proof,
    draw_front_line,
    find_new_card_places,
    find_unplayable_tactics,
    get_hand_sort_key,
    read_ground_flags,
)
from arena.pages.games.battleline.words import CLAIMED_FLAGS, LEADER_CARDS, GroundTag, Wording, is_tactic
from arena.pages.games.cards import Face
from arena.pages.games.presentation import describe_fault
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.play.parts import Bar, Ending, Option, Stage, WhyNot, describe_waiting
from arena.pages.play.table import Choice, PlayTable
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, CardNames
from engine.games.battleline.formations import GROUND_SUM_ONLY, describe_formation

# The bar above the reader's hand: the parts of the turn, what to do now, and what can be done besides.

TurnCaption = Sentence | str


def build_bar(wording: Wording, table: PlayTable) -> Bar:
    """Return the bar."""
    if not table.is_own_turn:
        return Bar(describe_waiting(table))
    decision = table.scene.after[table.near]["decision"]
    caption = describe_decision(wording, table, decision)
    claims = describe_claims(table, is_late=decision == "finish")
    return Bar(
        caption=join_captions(caption, claims) if claims else caption,
        stages=list_stages(table, decision),
        options=list_options(wording, table),
    )


def join_captions(*captions: TurnCaption) -> TurnCaption:
    """Return captions one after the other."""
    template = " ".join(f"{{{place}}}" for place in range(len(captions)))
    return format_sentence(template, **{str(place): caption for place, caption in enumerate(captions)})


def list_stages(table: PlayTable, decision: str) -> Sequence[Stage]:
    """Return the parts of the turn; none before the first."""
    if decision in ("pick", "lay", "draft"):
        return ()
    may_claim = bool(list_claims(table))
    return (
        Stage(_("Claim?"), is_open=may_claim),
        Stage(pgettext("part of a turn", "Play"), is_now=decision != "finish"),
        Stage(_("Draw"), is_now=decision == "finish"),
    )


def list_claims(table: PlayTable) -> list[str]:
    """Return the numbers of the flags that the reader can claim."""
    return [action.removeprefix("claim ") for action in table.legal if action.startswith("claim ")]


def describe_claims(table: PlayTable, is_late: bool) -> str:
    """Return what can be claimed, in a sentence; empty where nothing can."""
    claims = list_claims(table)
    if not claims:
        return ""
    flags = join_words([str(CLAIMED_FLAGS[flag]) for flag in claims], _("%(first)s and %(last)s"))
    return (_("You may still claim %(flags)s.") if is_late else _("You may also claim %(flags)s.")) % {"flags": flags}


def describe_decision(wording: Wording, table: PlayTable, decision: str) -> TurnCaption:
    """Return what the reader is to do now."""
    view = table.scene.after[table.near]
    if table.chosen:
        return describe_chosen(wording, table)
    if decision == "finish":
        return describe_draw(table)
    if decision == "scout":
        return describe_scout(table)
    if decision == "return":
        left = view["returning"]["left"]
        return ngettext(
            "Put %(count)s card back; it lies on top of its deck.",
            "Put %(count)s cards back; the last one lies on top.",
            left,
        ) % {"count": left}
    other = {"other": wording.seat(1 - table.near)}
    return {
        "play": _("Your turn. Choose a card."),
        "marshes": _("Marshes: choose a troop of yours that leaves its flag."),
        "watchtower": _("Watchtower: choose a troop of %(other)s beside the flag.") % other,
        "draft": _("Pick a tile; the others go to %(other)s.") % other,
        "lay": _("Choose a tile for the next place from the left."),
    }[decision]


def describe_chosen(wording: Wording, table: PlayTable) -> TurnCaption:
    """Return what is to be chosen next, after the words chosen so far."""
    first, *rest = table.chosen
    if first == "play":
        count = len(table.list_next_words())
        sentence = ngettext(
            "Choose a flag for {card}. {count} flag is open to it.",
            "Choose a flag for {card}. {count} flags are open to it.",
            count,
        )
        return format_sentence(sentence, card=wording.token(rest[0]), count=count)
    if first == "lay":
        return format_sentence(_("Lay {tile} face up, or face down as plain ground?"), tile=wording.tile_token(rest[0]))
    if first == "scout":
        return format_sentence(_("{card}: you draw three cards, then put two back."), card=wording.token(first))
    if first == "redeploy" and not rest:
        return format_sentence(_("{card}: choose the card to move."), card=wording.token(first))
    if not rest:
        sentence = _("{card}: choose a card of {other}.")
        return format_sentence(sentence, card=wording.token(first), other=wording.seat(1 - table.near))
    if first == "redeploy":
        return format_sentence(_("Choose the new place of {card}, or the discard."), card=wording.token(rest[0]))
    return format_sentence(_("Choose the new place of {card}."), card=wording.token(rest[0]))


def describe_draw(table: PlayTable) -> str:
    """Return from which decks the reader can draw at the end of the turn."""
    if not any(action.startswith("draw ") for action in table.legal):
        return _("There is nothing to draw.")
    left = table.scene.after[table.near]["decks"]
    if not table.scene.options["tactics"]:
        return _("Draw a card: %(troops)s troops are left.") % {"troops": left["troop"]}
    values = {"troops": left["troop"], "tactics": left["tactic"]}
    return _("Choose a deck: %(troops)s troops, %(tactics)s tactics.") % values


def describe_scout(table: PlayTable) -> str:
    """Return which card of Scout is drawn, or that all are named at once."""
    if table.scene.options["scout"] == "at-once":
        return _("Choose the decks of the cards you draw.")
    drawn = sum(entry.action.startswith("draw ") for entry in table.scene.step.entries)
    return _("Draw card %(number)s of 3: choose a deck.") % {"number": drawn + 1}


def list_options(wording: Wording, table: PlayTable) -> list[Option]:
    """Return what can be done that is neither a card nor a flag nor a deck."""
    names = {
        ("pass",): _("Pass"),
        ("done",): _("End the turn"),
        ("lay", "up"): _("Face up"),
        ("lay", "down"): _("Face down"),
        ("redeploy", "discard"): _("To the discard"),
    }
    options = []
    for words, label in names.items():
        begun = table.chosen[:1] == words[:1] and len(words) > 1
        choice = table.choose_next(words[-1]) if begun else table.choose(*words) if len(words) == 1 else None
        if choice:
            options.append(Option(choice, label))
    if table.chosen == ("scout",) and (choice := table.choose("scout")):
        options.append(Option(choice, format_sentence(_("Play {card}"), card=wording.token("scout"))))
    return options + list_draws_at_once(table)


def list_draws_at_once(table: PlayTable) -> list[Option]:
    """Return the draws of more than one card, where they are named at once."""
    options = []
    for action in table.legal:
        verb, *decks = action.split(" ")
        choice = table.choose(verb, *decks)
        if verb == "draw" and len(decks) > 1 and choice:
            options.append(Option(choice, describe_draws(decks.count("troop"), decks.count("tactic"))))
    return options


def describe_draws(troops: int, tactics: int) -> str:
    """Return how many cards of which deck are drawn."""
    words = []
    if troops:
        words.append(ngettext("%(count)s troop", "%(count)s troops", troops) % {"count": troops})
    if tactics:
        words.append(ngettext("%(count)s tactics card", "%(count)s tactics cards", tactics) % {"count": tactics})
    return ", ".join(words)


# The draft and the laying of tiles at a table at which one plays.


@dataclass(frozen=True, slots=True)
class HeldTile:
    """A tile that the reader can pick or lay, or has picked."""

    tag: GroundTag
    choice: Choice | None
    is_chosen: bool
    key: str


@dataclass(frozen=True, slots=True)
class TileDraft:
    """The row of tiles so far, and the reader's tiles."""

    row: Sequence[TilePlace]
    tiles: Sequence[HeldTile]
    """Those of which one is chosen now."""
    kept: Sequence[GroundTag]
    """Those the reader has picked and not laid yet, while others are picked from."""


def build_draft(wording: Wording, table: PlayTable) -> TileDraft | None:
    """Return the draft as the reader sees it; None once the tiles lie, or where none are drafted."""
    opening = build_opening(wording, table.scene)
    if opening is None:
        return None
    if table.seat is None:
        return TileDraft(opening.row, (), ())
    draft = table.scene.after[table.seat]["draft"]
    verb, tiles = ("pick", draft["choices"]) if draft["choices"] else ("lay", draft["tiles"])
    shown = [
        HeldTile(
            tag=wording.tile(tile),
            choice=table.choose(verb, tile),
            is_chosen=table.chosen == (verb, tile),
            key="" if table.chosen else str(place),
        )
        for place, tile in enumerate(tiles, start=1)
    ]
    kept = [wording.tile(tile) for tile in draft["tiles"]] if verb == "pick" else []
    return TileDraft(opening.row, shown, kept)


# How a play of Battle Line ended, to one who played it.

BREAKTHROUGH_FLAGS = 3


def describe_play_ending(wording: Wording, table: PlayTable, board: LineBoard) -> Ending | None:
    """Return how the play ended; None while it goes on, and for who looks on."""
    if table.seat is None or not table.is_over:
        return None
    result = table.scene.final_result
    winners = [seat for seat, place in enumerate(result["places"]) if place == 1]
    turns = ngettext("It took %(turns)s turn.", "It took %(turns)s turns.", table.scene.turn) % {
        "turns": table.scene.turn
    }
    cause = describe_cause(wording, table, board, winners)
    return Ending(name_result(wording, table.seat, winners, result["reason"]), f"{cause} {turns}")


def describe_cause(wording: Wording, table: PlayTable, board: LineBoard, winners: Sequence[int]) -> str:
    """Return why the play ended as it did, in a sentence."""
    reason = table.scene.final_result["reason"]
    if len(winners) > 1:
        return _("Both passed, and both hold the same number of flags.")
    if reason == "passes":
        return _("Both passed, and the one with more flags wins.")
    if reason == "breakthrough":
        return describe_breakthrough([flag.number for flag in board.flags if flag.owner == winners[0]])
    if reason == "envelopment":
        return _("It takes %(count)s flags to win.") % {"count": table.scene.options["envelopment"]}
    loser = 1 - winners[0]
    if loser == table.seat and reason == "resigned":
        return _("You have resigned.")
    return f"{describe_fault(wording.seat(loser), reason)}."


def name_result(wording: Wording, seat: int, winners: Sequence[int], reason: str) -> str:
    """Return who won and how, as a heading."""
    if len(winners) > 1:
        return _("Drawn game")
    if winners[0] == seat:
        headings = {"breakthrough": _("You win by breakthrough"), "envelopment": _("You win by envelopment")}
        return headings.get(reason, _("You win"))
    headings = {
        "breakthrough": _("%(name)s wins by breakthrough"),
        "envelopment": _("%(name)s wins by envelopment"),
    }
    return headings.get(reason, _("%(name)s wins")) % {"name": wording.seat(winners[0])}


def describe_breakthrough(numbers: Sequence[int]) -> str:
    """Return which flags stand side by side."""
    runs = [numbers[place : place + BREAKTHROUGH_FLAGS] for place in range(len(numbers))]
    run = next((one for one in runs if len(one) == BREAKTHROUGH_FLAGS and one[-1] - one[0] == len(one) - 1), numbers)
    flags = join_words([str(number) for number in run], _("%(first)s and %(last)s"))
    return _("Flags %(flags)s stand side by side.") % {"flags": flags}


# The flags of a table at which one plays: cards that can be picked there, places for a card, claims and why not.

WEATHER_TACTICS = ("fog", "mud")
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

    side: FlagSide
    cards: Sequence[LyingCard]
    coming: Sequence[Face] = ()
    """Cards that would refute the claim one asks about, in places that are free."""

    @property
    def free(self) -> range:
        """Return places still free, one number for each, without those in which a card is drawn."""
        return range(max(0, len(self.side.free) - len(self.coming)))


@dataclass(frozen=True, slots=True)
class CardPlace:
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
    place: CardPlace | None
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


def list_flags(wording: Wording, table: PlayTable, board: LineBoard, names: CardNames) -> list[PlayFlag]:
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
    names: CardNames
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

    def find_hinted_card(self, near: FlagSide) -> Face | None:
        """Return the card that a hint would play on the reader's side of this flag."""
        verb, *words = self.table.hinted or ("",)
        if verb != "play" or words[1] != str(self.flag.number) or words[0] in WEATHER_TACTICS or not near.free:
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

    def list_cards(self, side: FlagSide, whose: str) -> list[LyingCard]:
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

    def build_place(self) -> CardPlace | None:
        """Return where the chosen card can go here; None where it can't."""
        chosen = self.table.chosen
        is_moving = len(chosen) == 3 and chosen[0] in SIDE_BY_CARD
        choice = self.table.choose_next(str(self.flag.number)) if is_moving or chosen[:1] == ("play",) else None
        if choice is None or len(chosen) < 2:
            return None
        card, values = chosen[1], {"card": self.wording.card(chosen[1]), "flag": self.flag.number}
        if card in WEATHER_TACTICS:
            tag = self.wording.weather(card)
            spoken = _("Lay %(card)s on flag %(flag)s") % values
            return CardPlace(choice, tag.icon, tag.name, "", spoken, is_on_flag=True)
        icon, name, result = self.preview(card)
        spoken = _("Play %(card)s at flag %(flag)s: %(result)s") % {
            **values,
            "result": f"{name.lower()} {result}".strip(),
        }
        return CardPlace(choice, icon, name, f"{result}?" if name else result, spoken, is_on_flag=False)

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

    def describe_claim(self, near: FlagSide) -> str:
        """Return what is read aloud of a claim."""
        values = {"flag": self.flag.number, "formation": near.formation_name.lower(), "sum": near.total}
        return _("Claim flag %(flag)s: %(formation)s %(sum)s") % values

    def answer_why(self) -> tuple[Sentence | str, Sequence[Face]]:
        """Return why this flag can't be claimed yet, and the cards that would beat the reader's side."""
        explanation = self.table.explain(self.claim_action)
        if explanation is None or explanation["holds"] or self.table.refuse(self.claim_action) is None:
            refusal = self.table.refuse(self.claim_action)
            return render_message(refusal) if refusal else "", ()
        case = ClaimCase(self.wording, explanation, self.view, self.names)
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


# The reader's hand and the decks of a table at which one plays.

GUILE_CARDS = ("scout", "redeploy", "deserter", "traitor")
CARD_DECISIONS = ("play", "return")
"""What is decided with a card of the hand."""
DECK_KEYS = {"troop": "t", "tactic": "y"}


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A card of the reader's hand."""

    face: Face
    choice: Choice | None
    is_chosen: bool
    is_faded: bool
    """It can't be played, where others can."""
    spoken: str
    """Its name, its place in the hand, and why it can't be played where it can't."""
    key: str
    """The digit that chooses it; empty while digits choose something else."""
    deck: str
    """The deck it was drawn from."""
    drops: str
    """The flags on which it can be dragged, by their numbers."""

    @property
    def drag(self) -> str:
        """Return the words that a flag completes; empty where none does."""
        return self.choice.text if self.choice and self.drops else ""


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck beside the hand."""

    name: str
    title: str
    left: int
    choice: Choice | None
    spoken: str
    is_hinted: bool = False

    @property
    def key(self) -> str:
        """Return the key that draws from it."""
        return DECK_KEYS[self.name]


def list_held_cards(wording: Wording, table: PlayTable) -> list[HeldCard]:
    """Return the reader's hand, in the order in which hands are shown."""
    view = table.scene.after[table.near]
    cards = sorted(view["hand"], key=get_hand_sort_key)
    new = find_new_card_places(cards, table.scene.before[table.near]["hand"]) if table.scene.number else frozenset()
    chosen = find_chosen_place(table, cards)
    return [
        build_held_card(wording, table, cards, place, is_new=place in new, is_chosen=place == chosen)
        for place in range(len(cards))
    ]


def find_chosen_place(table: PlayTable, cards: Sequence[str]) -> int | None:
    """Return the place of the chosen card in the hand."""
    return next(
        (place for place, card in enumerate(cards) if table.chosen and is_begun_with(table, list_words(card))), None
    )


def is_begun_with(table: PlayTable, words: tuple[str, ...]) -> bool:
    """Return whether these words are the first of those chosen."""
    return table.chosen[: len(words)] == words


def list_words(card: str) -> tuple[str, ...]:
    """Return the words with which the actions begin that play a card."""
    return (card,) if card in GUILE_CARDS else ("play", card)


def build_held_card(
    wording: Wording, table: PlayTable, cards: Sequence[str], place: int, is_new: bool, is_chosen: bool
) -> HeldCard:
    """Return a card of the hand with what can be done with it."""
    card, decision = cards[place], table.scene.after[table.near]["decision"]
    face = wording.face(card, is_new=is_new)
    words = ("return", card) if decision == "return" else list_words(card)
    if table.hinted[: len(words)] == words:
        face = replace(face, is_better=True)
    choice = table.choose(*words)
    values = {"card": face.name, "place": place + 1, "count": len(cards)}
    spoken = _("%(card)s, card %(place)s of %(count)s") % values
    if choice is None and table.is_own_turn:
        spoken = f"{spoken}. {describe_idle(wording, table, card)}"
    return HeldCard(
        face=face,
        choice=choice,
        is_chosen=is_chosen,
        is_faded=choice is None and table.is_own_turn and decision == "play",
        spoken=spoken,
        key="" if table.chosen or decision not in CARD_DECISIONS else str((place + 1) % 10),
        deck="tactic" if is_tactic(card) else "troop",
        drops=" ".join(list_drops(table, words)),
    )


def list_drops(table: PlayTable, words: tuple[str, ...]) -> list[str]:
    """Return the flags that complete an action of these words."""
    if words[0] != "play":
        return []
    start = " ".join(words) + " "
    return [action.removeprefix(start) for action in table.legal if action.startswith(start)]


def describe_idle(wording: Wording, table: PlayTable, card: str) -> str:
    """Return why a card of the hand can't be played now."""
    view, options = table.scene.after[table.near], table.scene.options
    if view["decision"] != "play":
        return _("You have played a card in this turn.")
    if card not in find_unplayable_tactics(options, view, table.near):
        return _("It can't be played anywhere now.")
    ahead = len(view["tactics_played"][table.near]) > len(view["tactics_played"][1 - table.near])
    if ahead or card not in LEADER_CARDS:
        other = wording.seat(1 - table.near)
        return _("You are one tactics card ahead; %(other)s must play one first.") % {"other": other}
    return _("One leader a game, and you have played yours.")


def list_decks(table: PlayTable) -> list[Deck]:
    """Return the decks of the edition, those with a choice from which the reader can draw now."""
    left = table.scene.after[table.near]["decks"]
    decks = [("troop", _("Troops"), _("Draw a troop, %(left)s left"))]
    if table.scene.options["tactics"]:
        decks.append(("tactic", _("Tactics"), _("Draw a tactics card, %(left)s left")))
    return [
        Deck(
            name=name,
            title=title,
            left=left[name],
            choice=find_draw(table, name),
            spoken=spoken % {"left": left[name]},
            is_hinted=table.hinted == ("draw", name),
        )
        for name, title, spoken in decks
    ]


def find_draw(table: PlayTable, deck: str) -> Choice | None:
    """Return the choice to draw one card of a deck; None where it can't be drawn, or only together with others."""
    choice = table.choose("draw", deck)
    return choice if choice and choice.is_action else None


# The table at which people play Battle Line: what the templates `play*.html` show of it.

SHOWN_FORMATIONS = ("wedge", "phalanx", "battalion", "skirmish", "host")


@dataclass(frozen=True, slots=True)
class LinePlay:
    """Everything the templates of the table show."""

    bar: Bar
    why_not: WhyNot | None
    board: LineBoard
    flags: Sequence[PlayFlag]
    front: str
    """The front line, with the reader's side below, as path data."""
    width: int
    hand: Sequence[HeldCard]
    near_backs: Sequence[Face]
    """The hand of the seat below where the reader doesn't play it."""
    backs: Sequence[Face]
    """The hand of the seat above."""
    decks: Sequence[Deck]
    draft: TileDraft | None
    formations: Sequence[tuple[str, str, str]]
    """Icon, name and meaning of each formation, strongest first."""
    aim: str
    """What wins, in a sentence."""
    far: int
    """The seat above."""
    ending: Ending | None
    """None while the play goes on, and where nobody looks on from a seat."""

    @property
    def depth(self) -> int:
        """Return how many cards lie, or may lie, on both sides together of the flag that takes most."""
        sides = (flag.flag.sides for flag in self.flags)
        return max(sum(len(side.faces) + len(side.free) for side in both) for both in sides)

    @property
    def far_flags(self) -> list[int]:
        """Return the numbers of the flags that the seat above has won."""
        return [flag.flag.number for flag in self.flags if flag.flag.owner == self.far]

    @property
    def near_flags(self) -> list[int]:
        """Return the numbers of the flags that the seat below has won."""
        return [flag.flag.number for flag in self.flags if flag.flag.owner == 1 - self.far]

    @property
    def focus(self) -> str:
        """Return where the focus goes: to the decks, to the tiles, to the board, or to the hand."""
        if any(deck.choice for deck in self.decks):
            return "decks"
        if self.draft and self.draft.tiles:
            return "tiles"
        is_on_board = any(card.choice for flag in self.flags for card in (*flag.far.cards, *flag.near.cards))
        return "board" if is_on_board else "hand"


def build_play(wording: Wording, table: PlayTable) -> LinePlay:
    """Return the table as its reader sees it."""
    scene, near = table.scene, table.near
    board = build_board(wording, scene)
    flags = list_flags(wording, table, board, CARD_NAMES_BY_COLOURS[scene.options["colours"]])
    owners = [None if flag.owner is None else int(flag.owner != near) for flag in board.flags]
    return LinePlay(
        bar=build_bar(wording, table),
        why_not=build_why_not(wording, table, flags),
        board=board,
        flags=flags,
        front=draw_front_line(owners),
        width=FLAG_COLUMN_WIDTH * len(flags),
        hand=list_held_cards(wording, table) if table.seat is not None else (),
        near_backs=build_hand(wording, scene, near) if table.seat is None else (),
        backs=build_hand(wording, scene, 1 - near),
        decks=list_decks(table),
        draft=build_draft(wording, table),
        formations=list_formations(wording),
        aim=describe_aim(scene.options["envelopment"], bool(scene.options["breakthrough"])),
        far=1 - near,
        ending=describe_play_ending(wording, table, board),
    )


def list_formations(wording: Wording) -> list[tuple[str, str, str]]:
    """Return icon, name and meaning of each formation, strongest first."""
    meanings = {
        "wedge": _("colour and sequence"),
        "phalanx": _("same value"),
        "battalion": _("same colour"),
        "skirmish": _("sequence"),
        "host": _("anything else"),
    }
    return [(kind, wording.formation(kind), meanings[kind]) for kind in SHOWN_FORMATIONS]


def describe_aim(envelopment: int, has_breakthrough: bool) -> str:
    """Return what wins."""
    sentence = (
        _("Win three flags side by side, or any %(count)s.") if has_breakthrough else _("Win any %(count)s flags.")
    )
    return sentence % {"count": envelopment}
