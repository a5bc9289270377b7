"""Find puzzles in records: "Can this seat claim this flag?", with an answer that two proofs agree on.

A flag makes a puzzle where the claimant's side is complete, the other side lacks one troop, and some troop would beat
the claim or come near. Either no unseen troop beats it, and the claim holds; or exactly one does, and refutes it. So
nobody can answer without looking closely, and nobody has to guess.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.core import Json
from engine.games.battleline.cards import add_card, is_troop, list_cards
from engine.games.battleline.formations import STRENGTH_RANK_BITS, compute_strength
from engine.games.battleline.game import list_troops
from engine.games.battleline.legal import compute_side_strength, find_refutation, is_claim_provable
from engine.games.battleline.plain_proof import prove
from engine.games.battleline.position import FINISH, PLAY
from engine.games.battleline.state import BattleLineState
from engine.replay import states

GAME_KEY = "battleline"
EASIEST, HARDEST = 1, 5
MAX_MEASURED_WATCHED = 3
"""More troops to look for on the table than this make a puzzle no harder."""
NEAR_MISS_SUM = 3
"""A troop comes near where it makes the same formation with a sum that is lower by this much at most, or equal."""
FAR = 100
"""The difference that one formation more makes: greater than any of sums."""


class ProofsDisagree(Exception):
    """The two proofs of a claim give different answers: one of them is wrong."""


@dataclass(frozen=True, slots=True)
class ClaimPuzzle:
    """A flag of a record, at which it isn't obvious whether a seat can claim it."""

    turn: int
    """The number of actions before the position."""
    seat: int
    flag: int
    """Counted from 1."""
    card: str | None
    """The unseen troop that refutes the claim; None where the claim holds."""
    watched: int
    """The number of troops that would beat the claim, wherever they lie."""
    difficulty: int
    """From EASIEST to HARDEST."""
    position_hash: str
    """Hash of what lies face up, as the seat sees it: equal for equal positions."""

    @property
    def question(self) -> Json:
        """Return what is asked."""
        return {"flag": self.flag}

    @property
    def solution(self) -> Json:
        """Return the answer: `claim`, and `card` where the claim fails."""
        return {"claim": True} if self.card is None else {"claim": False, "card": self.card}


def find_claim_puzzles(record: Json) -> Iterator[ClaimPuzzle]:
    """Yield the puzzles of a record in order, each checked by both proofs. Raise ProofsDisagree.

    Of a flag and a seat there is at most one puzzle with each answer: the hardest one, the first of equally hard ones.
    """
    hardest: dict[tuple[int, int, bool], ClaimPuzzle] = {}
    for puzzle in list_positions(record):
        key = puzzle.seat, puzzle.flag, puzzle.card is None
        if key not in hardest or puzzle.difficulty > hardest[key].difficulty:
            hardest[key] = puzzle
    seen = set()
    for puzzle in sorted(hardest.values(), key=lambda one: (one.turn, one.flag)):
        if puzzle.position_hash not in seen:
            seen.add(puzzle.position_hash)
            yield puzzle


def list_positions(record: Json) -> Iterator[ClaimPuzzle]:
    """Yield every flag that makes a puzzle, at every decision of a record."""
    if record["game"] != GAME_KEY or record["options"]["tiles"] != "none":
        return
    for turn, state in enumerate(states(record)):
        assert isinstance(state, BattleLineState)
        yield from list_puzzles_at(record["options"], state, turn)


def list_puzzles_at(options: Json, state: BattleLineState, turn: int) -> Iterator[ClaimPuzzle]:
    """Yield the puzzles of a position, after so many actions."""
    seat = state.to_act
    if seat is None or not (state.decision == PLAY or (state.decision == FINISH and state.rules.claims_any_time)):
        return
    for flag in state.unclaimed:
        if (
            len(state.sides[seat][flag]) == state.slots[seat][flag]
            and len(state.sides[1 - seat][flag]) == state.slots[1 - seat][flag] - 1
            and (puzzle := make_puzzle(options, state, turn, flag)) is not None
        ):
            yield puzzle


def make_puzzle(options: Json, state: BattleLineState, turn: int, flag: int) -> ClaimPuzzle | None:
    """Return the puzzle of a flag whose other side lacks one troop; None where it makes none."""
    seat = state.to_act
    assert seat is not None
    unseen = set(list_cards(state.unseen))
    gains = measure_gains(state, seat, flag)
    watched = [card for card, gain in gains.items() if gain > 0]
    refuters = [card for card in watched if card in unseen]
    is_near = any(-NEAR_MISS_SUM <= gain for gain in gains.values())
    if not is_near or len(refuters) > 1 or not unseen:
        return None
    card = state.names.of[refuters[0]] if refuters else None
    check_both_proofs(options, state, flag, card)
    return ClaimPuzzle(
        turn=turn,
        seat=seat,
        flag=flag + 1,
        card=card,
        watched=len(watched),
        difficulty=rate_difficulty(state, flag, gains),
        position_hash=hash_position(state, seat),
    )


def measure_gains(state: BattleLineState, seat: int, flag: int) -> dict[int, int]:
    """Return by troop that doesn't lie at this flag how much stronger than the claimant's side it makes the other.

    Within a formation that is the difference of the sums; another formation is far away.
    """
    mine = compute_side_strength(state, seat, flag)
    side, ground = state.sets[1 - seat][flag], state.grounds[1 - seat][flag]
    here = Counter((*state.sides[0][flag], *state.sides[1][flag]))
    elsewhere = [card for card in list_troops(state.rules) if here[card] < state.rules.copies]
    return {card: measure_gain(compute_strength(add_card(side, card), ground), mine) for card in elsewhere}


def measure_gain(strength: int, mine: int) -> int:
    """Return the difference of two strengths; at least FAR for another formation."""
    kinds = (strength >> STRENGTH_RANK_BITS) - (mine >> STRENGTH_RANK_BITS)
    return strength - mine if not kinds else FAR * kinds


def check_both_proofs(options: Json, state: BattleLineState, flag: int, card: str | None) -> None:
    """Raise ProofsDisagree unless both proofs find this answer, and no second one."""
    seat = state.to_act
    assert seat is not None
    plain = prove(options, state.view(seat), seat, flag + 1)
    expected = () if card is None else ((card,),)
    refutation = find_refutation(state, seat, flag)
    named = None if refutation is None else tuple(state.names.of[one] for one in list_cards(refutation))
    by_rules = is_claim_provable(state, seat, flag), () if named is None else (named,)
    if (plain.holds, plain.refutations) != (card is None, expected) or by_rules != (card is None, expected):
        raise ProofsDisagree(f"flag {flag + 1}: {expected}, but {by_rules} by the rules and {plain} by trying")


def rate_difficulty(state: BattleLineState, flag: int, gains: dict[int, int]) -> int:
    """Return how hard it is to see the answer.

    It grows with the troops that have to be looked for, where they make different formations, where a troop comes near
    and doesn't suffice, and with cards that change the comparison.
    """
    watched = [gain for gain in gains.values() if gain > 0]
    is_mixed = len({gain // FAR for gain in watched}) > 1
    has_near_miss = any(-NEAR_MISS_SUM <= gain <= 0 for gain in gains.values())
    lies = (*state.sides[0][flag], *state.sides[1][flag])
    is_special = state.fog[flag] or state.mud[flag] or any(not is_troop(card) for card in lies)
    points = max(0, min(len(watched), MAX_MEASURED_WATCHED) - 1) + is_mixed + has_near_miss + is_special
    return min(HARDEST, EASIEST + points)


def hash_position(state: BattleLineState, seat: int) -> str:
    """Return the hash of what lies face up, seen from a seat: the order of cards and who sits first don't matter."""
    names = state.names.of
    flags = [
        [
            None if state.owner[flag] is None else int(state.owner[flag] == seat),
            [sorted(names[card] for card in state.sides[side][flag]) for side in (seat, 1 - seat)],
            state.fog[flag],
            state.mud[flag],
        ]
        for flag in range(state.rules.flags)
    ]
    discards = [sorted(names[card] for card in state.discards[side]) for side in (seat, 1 - seat)]
    shown = [state.rules.colours, state.rules.copies, state.rules.values, flags, discards]
    return hashlib.sha256(json.dumps(shown, separators=(",", ":")).encode()).hexdigest()


def balance(puzzles: Iterable[ClaimPuzzle]) -> list[ClaimPuzzle]:
    """Return as many puzzles whose claim holds as others, without the last ones of the more frequent answer."""
    found = list(puzzles)
    most = min(sum(one.card is None for one in found), sum(one.card is not None for one in found))
    kept, counts = [], Counter[bool]()
    for puzzle in found:
        counts[puzzle.card is None] += 1
        if counts[puzzle.card is None] <= most:
            kept.append(puzzle)
    return kept
