"""Puzzles on the board of Battle Line: a claim to judge or a card to find, as a question and with the solution."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.core.messages import gettext as _
from arena.core.messages import ngettext
from arena.pages.games.battleline.board import (
    WEATHER_CARDS,
    ClaimProof,
    FlagChoices,
    GroundNote,
    LineBoard,
    add_ghost,
    build_board,
    build_proof,
    read_ground_flags,
)
from arena.pages.games.battleline.known_cards import KnownCard, KnownCards, list_known_cards
from arena.pages.games.battleline.play import HeldCard, LinePlay, build_play, list_formations
from arena.pages.games.battleline.words import CLAIMED_FLAGS, WORDINGS_BY_EDITION, Wording, is_tactic, name_choice
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene, StepBuilder
from arena.pages.play.table import Player, lay_table
from engine.core import Json, State
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.games.battleline.formations import GROUND_SUM_ONLY, describe_formation
from engine.replay import states

# The position in which a puzzle is asked.

CHOICES_SHOWN = 4
"""Choices listed in a solution; the reader's and the one that was played are always shown."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a recorded leg, in which one seat is asked."""

    wording: Wording
    record: Json
    """The leg up to here, as one that is being played."""
    seat: int
    scene: Scene
    state: State

    def allows(self, given: Json) -> bool:
        """Return whether this could be an answer here: a claim, a troop, or a legal action."""
        if "action" in given:
            return given["action"] in self.state.actions()
        card = given.get("card")
        return card is None or (
            not is_tactic(card) and card in CARD_NAMES_BY_COLOURS[self.scene.options["colours"]].card
        )


def read_position(record: Json, seat: int, *, has_hand: bool) -> Position:
    """Return the position at the end of a record without a result, with the hand of the seat asked or of nobody."""
    builder = StepBuilder(seat if has_hand else PUBLIC_ONLOOKER)
    for state, entry in zip(states(record), [None, *record["actions"]], strict=True):
        builder.add(state, entry)
    scene = replace(builder.finish_open(record, state), near=seat)
    # Nothing is marked as just played: what matters is what is there.
    return Position(WORDINGS_BY_EDITION[record["edition"]], record, seat, replace(scene, before=scene.after), state)


def close_flags(board: LineBoard, seat: int) -> LineBoard:
    """Return the board as at a table at which nothing can be done, with this seat at the lower edge."""
    nothing = FlagChoices(None, None, "", "")
    return replace(board, near=seat, flags=[replace(flag, choices=nothing) for flag in board.flags])


# What the things on the table are, for people who don't know this edition.


@dataclass(frozen=True, slots=True)
class Legend:
    """What is explained next to a question."""

    side: str
    """Whose side of the table is below."""
    formations: Sequence[tuple[str, str, str]]
    """Icon, name and meaning of each, strongest first."""
    known: KnownCards
    deck: str
    """Which troops the deck has."""


def build_legend(position: Position, *, has_hand: bool) -> Legend:
    """Return what is explained next to a question, with the reader's hand or as everybody sees the cards."""
    wording, options = position.wording, position.scene.options
    known = list_known_cards(wording, options, position.scene.after[position.seat], has_hand=has_hand)
    cards = known.troops[0][1]
    words = {
        "troops": len(known.troops) * len(cards) * options["copies"],
        "suits": len(known.troops),
        "lowest": cards[0].face.number,
        "highest": cards[-1].face.number,
    }
    deck = _("%(troops)s troops in %(suits)s colours, %(lowest)s to %(highest)s.") % words
    return Legend(
        side=_("You see the table from %(seat)s's side.") % {"seat": wording.seat(position.seat)},
        formations=list_formations(wording),
        known=known,
        deck=f"{deck} {_('Two of each.')}" if options["copies"] > 1 else deck,
    )


def list_shown_tactics(position: Position, *, has_hand: bool) -> list[KnownCard]:
    """Return the tactics cards at the flags, and in the hand where it is shown, with what they do."""
    view = position.scene.after[position.seat]
    known = list_known_cards(position.wording, position.scene.options, view, has_hand=has_hand)
    shown = {card for flag in view["flags"] for side in flag["cards"] for card in side}
    shown |= {card for flag in view["flags"] for card in WEATHER_CARDS if flag[card]}
    shown |= set(view["hand"]) if has_hand else set()
    return [one for _title, cards in known.tactics for one in cards if one.face.key in shown]


# Can the seat claim the flag?


@dataclass(frozen=True, slots=True)
class ClaimQuestion:
    """A flag that is perhaps safe to claim."""

    board: LineBoard
    flag: int
    heading: str
    lead: str
    formation: str
    """The formation in question; "fog" where only the total counts."""
    known: KnownCards
    """All cards as everybody knows them."""


def ask_claim(position: Position, flag: int) -> ClaimQuestion:
    """Return whether a full side at a flag can be claimed, as a question."""
    wording, scene, seat = position.wording, position.scene, position.seat
    board = close_flags(build_board(wording, scene), seat)
    near, far = (board.flags[flag - 1].sides[one] for one in (seat, 1 - seat))
    free = len(far.free)
    lead = ngettext(
        "%(other)s has %(count)s free place at flag %(flag)s.",
        "%(other)s has %(count)s free places at flag %(flag)s.",
        free,
    ) % {"other": wording.seat(1 - seat), "count": free, "flag": flag}
    if not free:
        lead = _("%(other)s's side is full, too.") % {"other": wording.seat(1 - seat)}
    words = {"seat": wording.seat(seat), "formation": near.formation_name.lower(), "sum": near.total}
    return ClaimQuestion(
        board=board,
        flag=flag,
        heading=_("%(seat)s has %(formation)s %(sum)s. Is it safe?") % words,
        lead=lead,
        formation=near.formation,
        known=list_known_cards(wording, scene.options, scene.after[seat], has_hand=False),
    )


def name_claim(edition: str, seat: int, flag: int) -> str:
    """Return the question as a heading."""
    return _("Can %(seat)s claim %(flag)s?") % {
        "seat": WORDINGS_BY_EDITION[edition].seat(seat),
        "flag": CLAIMED_FLAGS[str(flag)],
    }


@dataclass(frozen=True, slots=True)
class SolvedClaim:
    """The answer to whether a flag can be claimed, with its proof."""

    board: LineBoard
    flag: int
    refutation: str
    """What refutes the claim, in a few words within a sentence; empty where nothing does."""
    proof: ClaimProof


def solve_claim(position: Position, flag: int, card: str) -> SolvedClaim:
    """Return a claim with its proof. `card` is the troop that refutes it, shown as a ghost; empty where none does."""
    wording, seat = position.wording, position.seat
    explanation = position.state.explain(f"claim {flag}")
    assert explanation is not None
    board = close_flags(build_board(wording, position.scene), seat)
    if card:
        board = add_coming_card(board, flag, replace(wording.face(card), key=""))
    return SolvedClaim(
        board=board,
        flag=flag,
        refutation=describe_refutation(position, flag, card) if card else "",
        proof=add_tie_note(build_proof(wording, position.scene, explanation), explanation),
    )


def add_tie_note(proof: ClaimProof, explanation: Json) -> ClaimProof:
    """Return the proof with a note where the other side could at best draw level: that isn't enough for it."""
    is_tied = any(reply["cards"] and reply["why"] == "equal" for reply in explanation["replies"])
    if not explanation["holds"] or not is_tied:
        return proof
    words = {"claimant": proof.claimant, "other": proof.other}
    text = _("A tie is enough for %(claimant)s: %(other)s would place the last card, and that loses a tie.") % words
    return replace(proof, notes=[*proof.notes, GroundNote(text, "BL-18")])


def add_coming_card(board: LineBoard, number: int, face: Face) -> LineBoard:
    """Return the board with a card to come on the far side of a flag."""
    far, flags = 1 - board.near, list(board.flags)
    flag = flags[number - 1]
    sides = tuple(replace(side, coming=(face,)) if side.seat == far else side for side in flag.sides)
    flags[number - 1] = replace(flag, sides=sides)
    return replace(board, flags=flags)


def describe_refutation(position: Position, flag: int, card: str) -> str:
    """Return what a card would make on the far side of a flag, as a part of a sentence."""
    wording, scene, other = position.wording, position.scene, 1 - position.seat
    view, names = scene.after[0]["flags"][flag - 1], CARD_NAMES_BY_COLOURS[scene.options["colours"]]
    cards = [*view["cards"][other], card]
    words: dict[str, object] = {"card": wording.card(card)}
    if len(cards) < view["needs"][other]:
        return _("%(card)s would help to beat it") % words
    ground = read_ground_flags(view, other)
    made = describe_formation([names.card[one] for one in cards], names.of, ground)
    words |= {"formation": wording.formation(str(made["formation"])).lower(), "sum": made["sum"]}
    if ground & GROUND_SUM_ONLY:
        return _("%(card)s would make a total of %(sum)s") % words
    return _("%(card)s would make %(formation)s %(sum)s") % words


def name_claim_answer(position: Position, given: Json) -> str:
    """Return an answer to whether a claim holds, in words."""
    if given.get("claim"):
        return _("Yes, it can")
    return _("No, because of %(card)s") % {"card": position.wording.card(given["card"])}


# Which card is best, and where?


@dataclass(frozen=True, slots=True)
class BestQuestion:
    """A hand from which one choice is clearly best."""

    board: LineBoard
    play: LinePlay
    """The table, at which the reader sits on the seat asked."""
    hand: Sequence[HeldCard]
    names: Sequence[tuple[str, Sentence | str]]
    """Every action that can be chosen, with its name."""
    chosen: str
    """The words chosen so far."""
    action: str
    """The action chosen; empty where it isn't complete."""
    name: Sentence | str
    """Its name."""
    heading: str


def ask_best(position: Position, chosen: str, action: str) -> BestQuestion:
    """Return which card to play as a question, with the words chosen so far and the action they led to."""
    wording, seat = position.wording, position.seat
    legal = list(position.state.actions())
    action = action if action in legal else ""
    begun = " ".join(action.split()[:-1]) if action.startswith("play ") else action
    players = [Player(wording.seat(one)) for one in range(2)]
    table = lay_table(position.record, (position.scene, position.state), players, seat, chosen or begun)
    play = build_play(wording, table)
    flags = [
        replace(flag, choices=replace(flag.choices, why_url="") if flag.choices else None) for flag in play.board.flags
    ]
    return BestQuestion(
        board=replace(play.board, flags=flags),
        play=play,
        hand=play.hand,
        names=[(one, name_choice(wording, one)) for one in legal],
        chosen=" ".join(table.chosen),
        action=action,
        name=name_choice(wording, action) if action else "",
        heading=_("%(seat)s to play: which card, at which flag?") % {"seat": wording.seat(seat)},
    )


@dataclass(frozen=True, slots=True)
class RatedChoice:
    """A choice with the chances after it."""

    name: Sentence | str
    percent: int
    is_best: bool
    is_played: bool
    """It was played in the leg."""
    is_given: bool
    """It is the reader's answer."""


@dataclass(frozen=True, slots=True)
class SolvedBest:
    """The best choice, next to others."""

    board: LineBoard
    hand: Sequence[HeldCard]
    heading: Sentence
    choices: Sequence[RatedChoice]
    explanation: Sentence
    flag: int | None
    """The flag at which the best choice is played."""


def solve_best(position: Position, solution: Json, given: str) -> SolvedBest:
    """Return the best choice on the board, and what the others were worth."""
    wording, seat = position.wording, position.seat
    best, played, chances = str(solution["best"]), str(solution["played"]), solution["chances"]
    ranked = sorted(chances, key=lambda action: -chances[action])
    wanted = {best, played, given} & chances.keys()
    wanted |= set([action for action in ranked if action not in wanted][: CHOICES_SHOWN - len(wanted)])
    board = close_flags(build_board(wording, position.scene), seat)
    board = replace(board, flags=[add_ghost(wording, flag, seat, tuple(best.split())) for flag in board.flags])
    lost = percent_of(chances[best]) - percent_of(chances[played])
    values = {"best": name_choice(wording, best), "played": name_choice(wording, played), "seat": wording.seat(seat)}
    heading = ngettext("{best} was better by {count} point", "{best} was better by {count} points", lost)
    return SolvedBest(
        board=board,
        hand=ask_best(position, "", "").hand,
        heading=format_sentence(heading, **values, count=lost),
        choices=[
            RatedChoice(name_choice(wording, one), percent_of(chances[one]), one == best, one == played, one == given)
            for one in ranked
            if one in wanted
        ],
        explanation=format_sentence(
            _("{seat}'s winning chances after each choice, ± {error}. In the match, {seat} chose {played}."),
            **values,
            error=max(1, percent_of(solution["error"])),
        ),
        flag=int(best.split()[-1]) if best.startswith("play ") else None,
    )


def percent_of(chance: float) -> int:
    """Return a chance from 0 to 1 in percent."""
    return round(100 * chance)
