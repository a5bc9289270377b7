"""The table at which people play Battle Line: its bar, flags, hand, draft and end, as `play*.html` show them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.core.messages import gettext as _
from arena.core.messages import ngettext, pgettext, render_message
from arena.pages.formatting import join_words
from arena.pages.games.battleline.board import (
    WEATHER_CARDS,
    CardPlace,
    ClaimCase,
    Flag,
    FlagChoices,
    FlagSide,
    LineBoard,
    TakenCard,
    add_ghost,
    build_board,
    build_proof,
    find_unplayable_tactics,
    get_hand_sort_key,
    read_ground_flags,
)
from arena.pages.games.battleline.known_cards import TACTIC_HELP, KnownCards, list_known_cards
from arena.pages.games.battleline.words import CLAIMED_FLAGS, LEADER_CARDS, GroundTag, Wording, is_tactic
from arena.pages.games.cards import Face
from arena.pages.games.presentation import describe_fault
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.play.parts import Bar, Ending, Option, Stage, WhyNot, describe_waiting
from arena.pages.play.table import CHOSEN, Choice, PlayTable, starts_with
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, CardNames
from engine.games.battleline.formations import GROUND_SUM_ONLY, describe_formation

# The bar above the reader's hand: the parts of the turn, what to do now, and what can be done besides.

TurnCaption = Sentence | str
GUILE_CARDS = ("scout", "redeploy", "deserter", "traitor")
"""Tactics cards whose name is the first word of their action."""


def build_bar(wording: Wording, table: PlayTable) -> Bar:
    """Return the bar."""
    if not table.is_own_turn:
        return Bar(describe_waiting(table))
    decision = table.scene.after[table.near]["decision"]
    caption = describe_decision(wording, table, decision)
    claims = describe_claims(table, is_late=decision == "finish")
    return Bar(
        caption=format_sentence("{caption} {claims}", caption=caption, claims=claims) if claims else caption,
        stages=list_stages(table, decision),
        options=list_options(wording, table),
        back=f"?{CHOSEN}={table.chosen[0]}"
        if table.chosen[:1] in (("redeploy",), ("traitor",)) and len(table.chosen) > 1
        else "",
    )


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
    return (_("You can still claim %(flags)s.") if is_late else _("You can also claim %(flags)s.")) % {"flags": flags}


def describe_decision(wording: Wording, table: PlayTable, decision: str) -> TurnCaption:
    """Return what the reader is to do now."""
    view = table.scene.after[table.near]
    if len(table.chosen) > 1 or set(table.chosen) & set(GUILE_CARDS):
        return describe_chosen(wording, table)
    if decision == "finish":
        return describe_draw(table)
    if decision == "scout":
        return describe_scout(wording, table)
    if decision == "return":
        left = view["returning"]["left"]
        sentence = ngettext(
            "{card}: put {count} card back. It goes on top of its deck and ends your turn.",
            "{card}: put {count} cards back. The last goes on top.",
            left,
        )
        return format_sentence(sentence, card=wording.token("scout"), count=left)
    other = {"other": wording.seat(1 - table.near)}
    return {
        "play": _("Your turn. Choose a card."),
        "marshes": _("Marshes: remove one of your troops. Which one?"),
        "watchtower": _("Watchtower: remove one of %(other)s's troops next to the flag. Which one?") % other,
        "draft": _("Pick a tile; the rest go to %(other)s.") % other,
        "lay": _("Choose a tile for the next place from the left."),
    }[decision]


def describe_chosen(wording: Wording, table: PlayTable) -> TurnCaption:
    """Return what is to be chosen next, after the words chosen so far."""
    first, *rest = table.chosen
    if first == "play":
        values = {"card": wording.token(rest[0]), "count": len(table.list_next_words())}
        if is_tactic(rest[0]):
            template = _("{card}. {effect} Choose a flag ({count} possible).")
            return format_sentence(template, **values, effect=TACTIC_HELP[rest[0]])
        return format_sentence(_("Choose a flag for {card} ({count} possible)."), **values)
    if first == "return":
        return format_sentence(_("Put {card} back? It ends your turn."), card=wording.token(rest[0]))
    if first == "lay":
        return format_sentence(
            _("Play {tile} face up, or face down as plain ground?"), tile=wording.tile_token(rest[0])
        )
    if first == "scout":
        return format_sentence(_("{card}: draw three cards, then put two back."), card=wording.token(first))
    if first == "redeploy" and not rest:
        return format_sentence(
            _("{card}: move one of your cards from an open flag to another, or discard it. Which card?"),
            card=wording.token(first),
        )
    if not rest:
        sentence = {
            "deserter": _("{card}: remove one of {other}'s cards from an open flag. Which card?"),
            "traitor": _(
                "{card}: take one of {other}'s troops from an open flag and play it on your side. Which troop?"
            ),
        }[first]
        return format_sentence(sentence, card=wording.token(first), other=wording.seat(1 - table.near))
    return format_sentence(_("Move {card} to which flag?"), card=wording.token(rest[0]))


def describe_draw(table: PlayTable) -> str:
    """Return from which decks the reader can draw at the end of the turn."""
    if not any(action.startswith("draw ") for action in table.legal):
        return _("Nothing to draw.")
    left = table.scene.after[table.near]["decks"]
    if not table.scene.options["tactics"]:
        return _("Draw a card (%(troops)s troops left).") % {"troops": left["troop"]}
    values = {"troops": left["troop"], "tactics": left["tactic"]}
    return _("Choose a deck: %(troops)s troops, %(tactics)s tactics.") % values


def describe_scout(wording: Wording, table: PlayTable) -> Sentence:
    """Return which card of Scout is drawn, or that all are named at once."""
    card = wording.token("scout")
    if table.scene.options["scout"] == "at-once":
        return format_sentence(_("{card}: choose which decks to draw from."), card=card)
    drawn = sum(entry.action.startswith("draw ") for entry in table.scene.step.entries)
    return format_sentence(_("{card}: draw card {number} of 3. Choose a deck."), card=card, number=drawn + 1)


def list_options(wording: Wording, table: PlayTable) -> list[Option]:
    """Return what can be done that is neither a card nor a flag nor a deck."""
    names = {
        ("pass",): _("Pass"),
        ("done",): _("End turn"),
        ("lay", "up"): _("Face up"),
        ("lay", "down"): _("Face down"),
        ("redeploy", "discard"): _("Discard it"),
    }
    options = []
    for words, label in names.items():
        begun = table.chosen[:1] == words[:1] and len(words) > 1
        choice = table.choose_next(words[-1]) if begun else table.choose(*words) if len(words) == 1 else None
        if choice:
            options.append(Option(choice, label))
    if table.chosen == ("scout",) and (choice := table.choose("scout")):
        options.append(Option(choice, format_sentence(_("Play {card}"), card=wording.token("scout"))))
    if table.chosen[:1] == ("return",) and (choice := table.choose(*table.chosen)):
        options.append(Option(choice, format_sentence(_("Put {card} back"), card=wording.token(table.chosen[1]))))
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


def list_tiles(wording: Wording, table: PlayTable) -> list[HeldTile]:
    """Return the tiles of which the reader chooses one now."""
    draft = table.scene.after[table.near].get("draft")
    if draft is None or table.seat is None:
        return []
    verb, tiles = ("pick", draft["choices"]) if draft["choices"] else ("lay", draft["tiles"])
    return [
        HeldTile(
            tag=wording.tile(tile),
            choice=table.choose(verb, tile),
            is_chosen=table.chosen == (verb, tile),
            key="" if table.chosen else str(place),
        )
        for place, tile in enumerate(tiles, start=1)
    ]


# How a play of Battle Line ended, to one who played it.

BREAKTHROUGH_FLAGS = 3
LEFT_REASONS = ("resigned", "abandoned")
"""Why a play ended whose board does not show who has won."""


def describe_play_ending(wording: Wording, table: PlayTable, board: LineBoard) -> Ending | None:
    """Return how the play ended; None while it goes on, and for who looks on."""
    if table.seat is None or not table.is_over:
        return None
    result = table.scene.final_result
    winners = [seat for seat, place in enumerate(result["places"]) if place == 1]
    cause = describe_cause(wording, table, board, winners)
    if len(winners) == 1 and result["reason"] in LEFT_REASONS:
        cause = " ".join([cause, *describe_lead(wording, table.seat, board)])
    return Ending(name_result(wording, table.seat, winners, result["reason"]), cause)


def describe_lead(wording: Wording, seat: int, board: LineBoard) -> list[str]:
    """Return who had won more flags, as a sentence; nothing where nobody had."""
    own, other = (len(board.seats[one].flags) for one in (seat, 1 - seat))
    if own == other:
        return []
    score = f"{max(own, other)} : {min(own, other)}"
    if own > other:
        return [_("You led %(score)s.") % {"score": score}]
    return [_("%(name)s led %(score)s.") % {"name": wording.seat(1 - seat), "score": score}]


def describe_cause(wording: Wording, table: PlayTable, board: LineBoard, winners: Sequence[int]) -> str:
    """Return why the play ended as it did, in a sentence."""
    reason, turn = table.scene.final_result["reason"], table.scene.turn
    if len(winners) > 1:
        return _("Both passed on turn %(turn)s with equal flags.") % {"turn": turn}
    if reason == "passes":
        return _("Both passed on turn %(turn)s; more flags win.") % {"turn": turn}
    values = {"name": wording.seat(winners[0]), "turn": turn}
    is_own = winners[0] == table.seat
    if reason == "breakthrough":
        text = (
            _("You completed the row of flags %(flags)s on turn %(turn)s.")
            if is_own
            else _("%(name)s completed the row of flags %(flags)s on turn %(turn)s.")
        )
        return text % {**values, "flags": list_row(board.seats[winners[0]].flags)}
    if reason == "envelopment":
        ordinals = {3: _("third"), 4: _("fourth"), 5: _("fifth"), 6: _("sixth")}
        count = table.scene.options["envelopment"]
        text = (
            _("You took your %(count)s flag on turn %(turn)s.")
            if is_own
            else _("%(name)s took its %(count)s flag on turn %(turn)s.")
        )
        return text % {**values, "count": ordinals.get(count, count)}
    return describe_leaving(wording, table, 1 - winners[0])


def describe_leaving(wording: Wording, table: PlayTable, loser: int) -> str:
    """Return how a seat left the play, in a sentence."""
    reason, is_own = table.scene.final_result["reason"], loser == table.seat
    if reason not in LEFT_REASONS:
        return f"{describe_fault(wording.seat(loser), reason)}."
    if reason == "resigned":
        text = _("You resigned on turn %(turn)s.") if is_own else _("%(name)s resigned on turn %(turn)s.")
    else:
        own, other = _("Your time ran out on turn %(turn)s."), _("%(name)s's time ran out on turn %(turn)s.")
        text = own if is_own else other
    return text % {"name": wording.seat(loser), "turn": table.scene.turn}


def name_result(wording: Wording, seat: int, winners: Sequence[int], reason: str) -> str:
    """Return who won and how, as a heading."""
    if len(winners) > 1:
        return _("It's a draw")
    if winners[0] == seat:
        headings = {"breakthrough": _("You win by breakthrough"), "envelopment": _("You win by envelopment")}
        return headings.get(reason, _("You win"))
    headings = {
        "breakthrough": _("%(name)s wins by breakthrough"),
        "envelopment": _("%(name)s wins by envelopment"),
        "resigned": _("You resigned"),
        "abandoned": _("You lost on time"),
    }
    return headings.get(reason, _("%(name)s wins")) % {"name": wording.seat(winners[0])}


def list_row(numbers: Sequence[int]) -> str:
    """Return in words which flags stand side by side."""
    runs = [numbers[place : place + BREAKTHROUGH_FLAGS] for place in range(len(numbers))]
    run = next((one for one in runs if len(one) == BREAKTHROUGH_FLAGS and one[-1] - one[0] == len(one) - 1), numbers)
    return join_words([str(number) for number in run], _("%(first)s and %(last)s"))


# The flags of a table at which one plays: cards that can be picked there, places for a card, claims and why not.

OWN_SIDE, OTHER_SIDE = "own", "other"
SIDE_BY_CARD = {"redeploy": OWN_SIDE, "deserter": OTHER_SIDE, "traitor": OTHER_SIDE}
SIDE_BY_DECISION = {"marshes": OWN_SIDE, "watchtower": OTHER_SIDE}
"""On which side a card of the board is picked: by the tactics card chosen, and by what is decided."""


def offer_choices(wording: Wording, table: PlayTable, board: LineBoard) -> LineBoard:
    """Return the board with the reader's side below, and with what the reader can do at the flags."""
    names, views = CARD_NAMES_BY_COLOURS[table.scene.options["colours"]], table.scene.after[table.near]["flags"]
    taken = find_taken_cards(wording, table)
    flags = []
    for view, flag in zip(views, board.flags, strict=True):
        built = FlagBuilder(wording, table, names, view, flag).build()
        sides = tuple(replace(side, taken=taken.get((flag.number, side.seat))) for side in built.sides)
        flags.append(replace(built, sides=sides) if taken else built)
    return replace(board, near=table.near, flags=flags)


def find_taken_cards(wording: Wording, table: PlayTable) -> dict[tuple[int, int], TakenCard]:
    """Return by flag and seat what the other player took in their last turn, until the reader's own turn is done."""
    scene, near = table.scene, table.near
    last = next((step for step in reversed(scene.steps) if step.seat == 1 - near), None)
    if table.seat is None or table.is_over or last is None or (last is not scene.step and not table.is_own_turn):
        return {}
    taken = {}
    for event in last.events:
        verb, *words = event.get("action", "").split() or [""]
        if verb not in SIDE_BY_CARD or event["seat"] == near:
            continue
        card, number, seat = words[0], int(words[1]), near if SIDE_BY_CARD[verb] == OTHER_SIDE else 1 - near
        lay = scene.states[last.number - 1].view(near)["flags"][number - 1]["cards"][seat]
        face = replace(wording.face(card), key="")
        taken[number, seat] = TakenCard(face, lay.index(card), replace(wording.face(verb), key=""))
    return taken


@dataclass(frozen=True, slots=True)
class FlagBuilder:
    """Builds what can be done at one flag."""

    wording: Wording
    table: PlayTable
    names: CardNames
    view: Json
    flag: Flag

    def build(self) -> Flag:
        """Return the flag with what the reader can do there."""
        table, number, seat = self.table, str(self.flag.number), self.table.near
        near, far = self.flag.sides[seat], self.flag.sides[1 - seat]
        place, claim = self.build_place(), table.choose("claim", number)
        is_on_flag = place is not None and not place.result
        answer, coming = self.answer_why() if self.might_claim and table.why == self.claim_action else ("", ())
        near = replace(near, picks=self.list_picks(near, OWN_SIDE), place=None if is_on_flag else place)
        far = replace(far, picks=self.list_picks(far, OTHER_SIDE), coming=tuple(coming))
        flag = replace(
            self.flag,
            sides=(far, near) if seat else (near, far),
            choices=FlagChoices(
                place=place if is_on_flag else None,
                claim=Option(claim, self.describe_claim(near), is_hinted=table.hinted == ("claim", number))
                if claim
                else None,
                why_url=table.ask_why(self.claim_action) if self.might_claim and not claim else "",
                answer=answer,
            ),
        )
        return flag if place else add_ghost(self.wording, flag, seat, table.hinted)

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

    def list_picks(self, side: FlagSide, whose: str) -> tuple[Option | None, ...]:
        """Return of each card of a side how it can be picked."""
        spoken = _("Choose %(card)s at flag %(flag)s")
        choices = (self.choose_card(card, whose) for card in self.view["cards"][side.seat])
        return tuple(
            Option(choice, spoken % {"card": face.name, "flag": self.flag.number}) if choice else None
            for choice, face in zip(choices, side.faces, strict=True)
        )

    def choose_card(self, card: str, whose: str) -> Choice | None:
        """Return the choice of a card that lies here; None where it can't be picked."""
        chosen, decision = self.table.chosen, self.table.scene.after[self.table.near]["decision"]
        if SIDE_BY_DECISION.get(decision) == whose:
            return self.table.choose("remove", card, str(self.flag.number))
        if len(chosen) == 1 and SIDE_BY_CARD.get(chosen[0]) == whose:
            return self.table.choose_next(card, str(self.flag.number))
        return None

    def build_place(self) -> CardPlace | None:
        """Return where the chosen card can go here; None where it can't."""
        chosen = self.table.chosen
        is_moving = len(chosen) == 3 and chosen[0] in SIDE_BY_CARD
        choice = self.table.choose_next(str(self.flag.number)) if is_moving or chosen[:1] == ("play",) else None
        if choice is None or len(chosen) < 2:
            return None
        return self.describe_place(choice, chosen[1])

    def describe_place(self, choice: Choice, card: str) -> CardPlace:
        """Return what a card would make here."""
        values = {"card": self.wording.card(card), "flag": self.flag.number}
        is_hinted = self.table.hinted == choice.words
        if card in WEATHER_CARDS:
            tag, spoken = self.wording.weather(card), _("Play %(card)s at flag %(flag)s") % values
            return CardPlace(choice, tag.icon, tag.name, "", spoken, is_hinted)
        icon, name, result = self.preview(card)
        values["result"] = f"{name.lower()} {result}".strip()
        spoken = _("Play %(card)s at flag %(flag)s: %(result)s") % values
        return CardPlace(choice, icon, name, f"{result}?" if name else result, spoken, is_hinted)

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
            return "fog", _("Total"), total
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
            more = _("{answer} You hold {cards}, but only face-up cards count towards a claim.")
            answer = format_sentence(more, answer=answer, cards=self.wording.tokens(held))
        return answer, [self.wording.face(card) for card in cards if not is_tactic(card)]


def build_why_not(wording: Wording, table: PlayTable, flags: Sequence[Flag]) -> WhyNot | None:
    """Return the question that the panel answers: about the flag one asks about, or the first that can't be claimed."""
    choices = [
        (flag.number, flag.choices) for flag in flags if flag.choices and (flag.choices.why_url or flag.choices.answer)
    ]
    if not choices:
        return None
    number, asked = min(choices, key=lambda one: not one[1].answer)
    explanation = table.explain(f"claim {number}") if asked.answer else None
    return WhyNot(
        question=_("Why can't I claim flag %(flag)s?") % {"flag": number},
        url=asked.why_url,
        proof=build_proof(wording, table.scene, explanation) if explanation else None,
    )


# The reader's hand and the decks of a table at which one plays.

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
    help: str
    """What it does, where it is a tactics card, and why it can't be played."""
    key: str
    """The digit that chooses it; empty while digits choose something else."""
    deck: str
    """The deck it was drawn from."""
    drops: str
    """The flags on which it can be dragged, by their numbers."""
    idle: str = ""
    """Why it can't be played now, where it can't."""
    is_asked_again: bool = False
    """Choosing it asks whether it is meant, as it ends the turn."""
    is_gone: bool = False
    """It was put back in this turn, and its place stays free until the turn ends."""

    @property
    def is_button(self) -> bool:
        """Return whether choosing it is all of an action: it is put back."""
        is_returned = self.choice is not None and self.choice.is_action and self.choice.words[0] == "return"
        return is_returned and not self.is_asked_again

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
    idle: str = ""
    """Why it can't be drawn from now, where it can't."""

    @property
    def key(self) -> str:
        """Return the key that draws from it."""
        return DECK_KEYS[self.name]


def list_held_cards(wording: Wording, table: PlayTable, hand: Sequence[Face]) -> list[HeldCard]:
    """Return the reader's hand with what can be done with each card."""
    drawn = find_drawn_cards(table)
    hand = [replace(face, is_new=face.is_new or face.key in drawn) for face in hand]
    gone = [wording.face(card) for card in list_cards_put_back(table)]
    places = sorted([*hand, *gone], key=lambda face: get_hand_sort_key(face.key)) if gone else hand
    begun = (table.chosen[: len(words)] == words for words in (list_words(table, face.key) for face in places))
    chosen = next((place for place, is_begun in enumerate(begun) if is_begun), None)
    held = [build_held_card(wording, table, places, place, is_chosen=place == chosen) for place in range(len(places))]
    return [replace(card, is_gone=any(face is one for one in gone)) for card, face in zip(held, places, strict=True)]


def list_cards_put_back(table: PlayTable) -> list[str]:
    """Return what the reader has put back while more is to be put back: the other cards keep their places meanwhile."""
    if not table.is_own_turn or table.scene.after[table.near]["decision"] != "return":
        return []
    actions = (entry.action.split() for entry in table.scene.step.entries)
    return [words[1] for words in actions if words[0] == "return"]


def find_drawn_cards(table: PlayTable) -> set[str]:
    """Return what the reader drew in the last turn, until the reader acts again."""
    steps, near = table.scene.steps, table.near
    own = next((step for step in reversed(steps) if any(entry.seat == near for entry in step.entries)), None)
    if own is None or own is table.scene.step:
        return set()
    return {event["card"] for event in own.events if event.get("event") == "draw" and event["seat"] == near}


def list_words(table: PlayTable, card: str) -> tuple[str, ...]:
    """Return the words with which the actions begin that play a card, or put it back."""
    if table.scene.after[table.near]["decision"] == "return":
        return ("return", card)
    return (card,) if card in GUILE_CARDS else ("play", card)


def build_held_card(wording: Wording, table: PlayTable, hand: Sequence[Face], place: int, is_chosen: bool) -> HeldCard:
    """Return a card of the hand with what can be done with it."""
    card, decision = hand[place].key, table.scene.after[table.near]["decision"]
    words = list_words(table, card)
    # What can't be played says so by itself here.
    face = replace(hand[place], is_idle=False, is_better=table.hinted[: len(words)] == words)
    choice = table.choose(*words)
    values = {"card": face.name, "place": place + 1, "count": len(hand)}
    spoken = _("%(card)s, card %(place)s of %(count)s") % values
    if face.is_new:
        spoken = f"{spoken}, {_('new')}"
    help_text, idle = str(TACTIC_HELP.get(card, "")), ""
    if choice is None and table.is_own_turn:
        idle = describe_idle(wording, table, card)
        spoken, help_text = f"{spoken}. {idle}", f"{help_text} {idle}".strip()
    return HeldCard(
        face=face,
        choice=choice,
        is_chosen=is_chosen,
        is_faded=choice is None and table.is_own_turn and decision == "play",
        spoken=spoken,
        help=help_text,
        idle=idle,
        is_asked_again=ends_turn(table, choice),
        key="" if table.chosen or decision not in CARD_DECISIONS else str((place + 1) % 10),
        deck="tactic" if is_tactic(card) else "troop",
        drops=" ".join(action.split(" ")[2] for action in table.legal if action.startswith(f"play {card} ")),
    )


def ends_turn(table: PlayTable, choice: Choice | None) -> bool:
    """Return whether a choice is the last card put back, which ends the turn and can't be taken back after it."""
    returning = table.scene.after[table.near].get("returning")
    return choice is not None and choice.words[0] == "return" and returning is not None and returning["left"] == 1


def describe_idle(wording: Wording, table: PlayTable, card: str) -> str:
    """Return why a card of the hand can't be played now."""
    view, options = table.scene.after[table.near], table.scene.options
    if view["decision"] != "play":
        return _("You've already played a card this turn.")
    if card not in find_unplayable_tactics(options, view, table.near):
        return _("It can't be played anywhere now.")
    ahead = len(view["tactics_played"][table.near]) > len(view["tactics_played"][1 - table.near])
    if ahead or card not in LEADER_CARDS:
        other = wording.seat(1 - table.near)
        return _("You're one tactics card ahead; %(other)s must play one first.") % {"other": other}
    return _("You can play one leader per game, and you've played yours.")


def list_decks(table: PlayTable) -> list[Deck]:
    """Return the decks of the edition, those with a choice from which the reader can draw now."""
    view = table.scene.after[table.near]
    left, is_play = view["decks"], table.is_own_turn and view["decision"] == "play"
    decks = [("troop", _("Troops"), _("Draw a troop, %(left)s left"))]
    if table.scene.options["tactics"]:
        decks.append(("tactic", _("Tactics"), _("Draw a tactics card, %(left)s left")))
    return [
        Deck(
            name=name,
            title=title,
            left=left[name],
            # A deck alone is drawn from: not where more than one card is named at once.
            choice=choice if (choice := table.choose("draw", name)) and choice.is_action else None,
            spoken=spoken % {"left": left[name]},
            is_hinted=table.hinted == ("draw", name),
            idle=_("Play a card first, then draw.") if is_play else "",
        )
        for name, title, spoken in decks
    ]


# What the table shows once a card of the hand is chosen. The page has it at hand, so that choosing needs no request.


@dataclass(frozen=True, slots=True)
class Preview:
    """The table with some words chosen, as far as it differs from the table with none."""

    words: str
    caption: Sentence | str
    options: Sequence[Option]
    places: Sequence[tuple[int, CardPlace]]
    """By the number of its flag: where the card can go."""
    picks: Sequence[tuple[str, Option]]
    """By the key of a card on the board: how it can be picked."""


def list_previews(wording: Wording, table: PlayTable, board: LineBoard) -> list[Preview]:
    """Return the table with each card of the hand chosen that leads to a further choice; none while one is chosen."""
    if table.chosen or not table.is_own_turn or table.scene.after[table.near]["decision"] not in CARD_DECISIONS:
        return []
    return [
        build_preview(wording, table, board, words)
        for words in dict.fromkeys(list_words(table, face.key) for face in board.near_row.hand)
        if (choice := table.choose(*words)) and (words[0] != "return" or ends_turn(table, choice))
    ]


def build_preview(wording: Wording, table: PlayTable, board: LineBoard, words: tuple[str, ...]) -> Preview:
    """Return the table with the first words of an action chosen."""
    # Only what begins with these words can still be chosen: the rest would be searched again for every flag.
    chosen = replace(table, chosen=words, legal=tuple(action for action in table.legal if starts_with(action, words)))
    names, views = CARD_NAMES_BY_COLOURS[table.scene.options["colours"]], table.scene.after[table.near]["flags"]
    places, picks = [], []
    for view, flag in zip(views, board.flags, strict=True):
        builder = FlagBuilder(wording, chosen, names, view, flag)
        if place := builder.build_place():
            places.append((flag.number, place))
        for seat, whose in ((table.near, OWN_SIDE), (1 - table.near, OTHER_SIDE)):
            picked = zip(view["cards"][seat], builder.list_picks(flag.sides[seat], whose), strict=True)
            picks += [(card, pick) for card, pick in picked if pick]
    return Preview(
        words=" ".join(words),
        caption=describe_chosen(wording, chosen),
        options=list_options(wording, chosen),
        places=places,
        picks=picks,
    )


# The table at which people play Battle Line: what the templates `play*.html` show of it.

SHOWN_FORMATIONS = ("wedge", "phalanx", "battalion", "skirmish", "host")


@dataclass(frozen=True, slots=True)
class LinePlay:
    """Everything the templates of the table show."""

    bar: Bar
    why_not: WhyNot | None
    board: LineBoard
    hand: Sequence[HeldCard]
    """Empty where nobody looks on from a seat."""
    decks: Sequence[Deck]
    tiles: Sequence[HeldTile]
    """Those of which one is chosen now."""
    formations: Sequence[tuple[str, str, str]]
    """Icon, name and meaning of each formation, strongest first."""
    aim: str
    """What wins, in a sentence."""
    previews: Sequence[Preview]
    known: KnownCards | None
    """All cards as the reader knows them; None after the end."""
    ending: Ending | None
    """None while the play goes on, and where nobody looks on from a seat."""

    @property
    def focus(self) -> str:
        """Return where the focus goes: to the decks, to the tiles, to the board, or to the hand."""
        if any(deck.choice for deck in self.decks):
            return "decks"
        if self.tiles:
            return "tiles"
        is_on_board = any(any(side.picks) for flag in self.board.flags for side in flag.sides)
        return "board" if is_on_board else "hand"


def build_play(wording: Wording, table: PlayTable) -> LinePlay:
    """Return the table as its reader sees it."""
    board = offer_choices(wording, table, build_board(wording, table.scene))
    options = table.scene.options
    aim = (
        _("Win three flags side by side, or any %(count)s.")
        if options["breakthrough"]
        else _("Win any %(count)s flags.")
    )
    return LinePlay(
        bar=build_bar(wording, table),
        why_not=build_why_not(wording, table, board.flags),
        board=board,
        hand=list_held_cards(wording, table, board.near_row.hand) if table.seat is not None else (),
        decks=list_decks(table),
        tiles=list_tiles(wording, table),
        formations=list_formations(wording),
        aim=aim % {"count": options["envelopment"]},
        previews=list_previews(wording, table, board),
        known=None
        if table.is_over
        else list_known_cards(wording, options, table.scene.after[table.near], has_hand=table.seat is not None),
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
