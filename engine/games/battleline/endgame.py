"""Solve endgames: who wins if both sides play their best, and which moves keep that.

A position is solved where neither seat has anything left to learn: both decks are empty, so each seat knows the other's
hand from the cards that it doesn't see. The search plays by the rules themselves: claims in every order, passes, forced
moves, and two passes in a row (BL-24). Where a few cards are still hidden, `expect` gives the mean over all that a seat
must reckon with. That is an expectation and no solution: both sides play each case as if they saw every card.

Budgets are counted in positions, not in seconds, so that the same question has the same answer on every machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Final

from engine.core import Outcome
from engine.games.battleline.cards import (
    DESERTER,
    FIRST_TACTIC,
    REDEPLOY,
    TACTIC_DECK,
    TRAITOR,
    TROOP_DECK,
    card_set,
    is_troop,
)
from engine.games.battleline.formations import find_best_reach
from engine.games.battleline.legal import compute_side_strength, is_claim_provable, wins_with_both_complete
from engine.games.battleline.position import AT_MARSHES, AT_WATCHTOWER, FINISH, PLAY, Position, Trace
from engine.games.battleline.state import BREAKTHROUGH_FLAGS, BattleLineState
from engine.games.battleline.tiles import MARSHES, TOWN, TOWN_FLAG_COUNT, WATCHTOWER

WIN: Final = 1
DRAW: Final = 0
LOSS: Final = -1
"""What a position or a move is worth to a seat."""
SOLVING_BUDGET: Final = 10_000
"""Positions looked at before a question is given up: about half a second."""
CHANGING_TILES: Final = (MARSHES, WATCHTOWER)
"""Tiles that take a troop off another flag."""
LIFTERS: Final = (REDEPLOY, DESERTER, TRAITOR)
"""Tactics that take a card off its flag."""
RATING_BUDGETS: Final = 2
"""The budget for rating every move of a position, in budgets for its value alone."""
SURE_FLAG_PROMISE: Final = 4
"""How much more than an open flag a sure one counts where the search chooses what to look at first."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solved position is worth to the seat that is to act, and what each of its moves is worth to it."""

    value: int
    moves: dict[int, int]

    @property
    def best_moves(self) -> list[int]:
        """Return the moves that keep the value."""
        return [move for move, value in self.moves.items() if value == self.value]


def is_open(state: BattleLineState) -> bool:
    """Return whether neither seat has anything left to learn, and somebody is to act.

    Cards that a seat puts back are hidden from the other one, even while the decks are empty.
    """
    return state.to_act is not None and not any(state.decks) and not state.fields_left and not state.scouted


def solve(state: BattleLineState, budget: int = SOLVING_BUDGET) -> Solution | None:
    """Return the solution of a position; None where something is hidden, or the budget isn't enough."""
    if not is_open(state):
        return None
    try:
        return Solver(state, budget).rate_moves(state)
    except OutOfBudgetError:
        return None


def find_sure_move(state: BattleLineState, budget: int = SOLVING_BUDGET) -> tuple[int, int] | None:
    """Return a move that keeps the value of a position, and the value. It takes a part of the time of `solve`.

    None where `solve` would give None, and where the position is lost.
    """
    if not is_open(state):
        return None
    try:
        return Solver(state, budget).find_sure_move(state)
    except OutOfBudgetError:
        return None


def solve_line(
    states: Sequence[BattleLineState], played: Sequence[int | None], budget: int = SOLVING_BUDGET
) -> list[Solution | None]:
    """Return the solutions of the positions of a leg. Their moves are rated only where the one played is not the best.

    The last positions are solved first, which makes the earlier ones cheap, each within the budget. Those that come
    before the first that can't be solved are None.
    """
    found: list[Solution | None] = [None] * len(states)
    solver, after = Solver(states[-1], budget), None
    for number in reversed(range(len(states))):
        state, move = states[number], played[number]
        if not is_open(state):
            break
        solver.left = budget
        try:
            value = solver.find_value(state)
            if move is None or value == (solver.find_value(play_on(state, move)) if after is None else after):
                found[number] = Solution(-value if state.to_act else value, {})
            else:
                solver.left = RATING_BUDGETS * budget
                found[number] = solver.rate_moves(state)
        except OutOfBudgetError:
            break
        after = value
    return found


class OutOfBudgetError(Exception):
    """The budget is used up before the question is answered."""


class Solver:
    """Search positions of one leg by alpha-beta, and remember what was found in all of them.

    Values inside are those of seat 0: it maximizes them, and seat 1 minimizes them.
    """

    def __init__(self, root: Position, budget: int) -> None:
        flags, tiles = root.rules.flags, root.tiles
        self.left = budget
        """Positions that may still be looked at."""
        self.bounds: dict[object, tuple[int, int]] = {}
        """By key of a position: its least and greatest value, as far as they are known."""
        self.reaches: dict[tuple[int, int, int, int], int] = {}
        """By side, free slots, troops to come and ground: the best strength."""
        counts = [TOWN_FLAG_COUNT if tile == TOWN else 1 for tile in tiles]
        rows = [
            7 << flag
            for flag in range(flags - BREAKTHROUGH_FLAGS + 1)
            if root.rules.breakthrough and TOWN not in tiles[flag : flag + BREAKTHROUGH_FLAGS]
        ]
        masks = range(1 << flags)
        self.counts = [sum([counts[flag] for flag in range(flags) if mask >> flag & 1]) for mask in masks]
        """By mask of flags: how many they count as."""
        self.wins = [
            self.counts[mask] >= root.rules.envelopment or any([mask & row == row for row in rows]) for mask in masks
        ]
        """By mask of flags: whether a seat that owns them has won (BL-21)."""

    def rate_moves(self, state: BattleLineState) -> Solution:
        """Return the solution of a position in which every card counts as seen. Raises OutOfBudgetError."""
        seat = state.to_act
        assert seat is not None
        sign = -1 if seat else 1
        value = sign * self.find_value(state)
        rated = {}
        for move in state.moves():
            rated[move] = LOSS if value == LOSS else sign * self.find_value(play_on(state, move))
        return Solution(value, rated)

    def find_sure_move(self, state: BattleLineState) -> tuple[int, int] | None:
        """Return a move that keeps the value, and the value; None in a lost position. Raises OutOfBudgetError."""
        value = self.find_value(state)
        if value == (WIN if state.to_act else LOSS):
            return None
        for move in state.moves():
            child = Node(self, play_on(prepare(state), move))
            low, high = self.bounds.get(child.key, child.bounds)
            # The search has proved one of them to be as good as the whole.
            if high <= value if state.to_act else low >= value:
                return move, -value if state.to_act else value
        raise AssertionError("no move keeps the value")

    def find_value(self, state: BattleLineState) -> int:
        """Return the value of a position for seat 0. Raises OutOfBudgetError."""
        node = Node(self, prepare(state))
        return WIN if self.is_reached(node, WIN) else DRAW if self.is_reached(node, DRAW) else LOSS

    def is_reached(self, node: "Node", goal: int) -> bool:
        """Return whether the value of a node is the goal or more."""
        low, high = self.bounds.get(node.key, node.bounds)
        if low >= goal or high < goal:
            return low >= goal
        state = node.state
        wanted = state.to_act == 0
        """What the seat that is to act wants the answer to be."""
        answer = not wanted
        children: list[Node] = []
        for move in state.moves():
            if not self.left:
                raise OutOfBudgetError
            self.left -= 1
            child = Node(self, play_on(state, move))
            least, greatest = self.bounds.get(child.key, child.bounds)
            if least < goal <= greatest:
                children.append(child)
            elif (least >= goal) == wanted:
                answer = wanted
                break
        if answer != wanted:
            children.sort(key=lambda child: child.promise, reverse=wanted)
            answer = wanted if any(self.is_reached(child, goal) == wanted for child in children) else not wanted
        self.bounds[node.key] = (goal, high) if answer else (low, goal - 1)
        return answer


class Node:
    """A position of the search in which there is a choice, or at the end of the leg."""

    __slots__ = ("bounds", "key", "promise", "state")

    def __init__(self, solver: Solver, state: BattleLineState) -> None:
        """Take a state of its own, and play on to the next choice."""
        while len(moves := state.moves()) == 1:
            state.play(moves[0])
        self.state = state
        self.key: object = None
        """What the value depends on; None where it is known."""
        self.bounds = (LOSS, WIN)
        """The least and the greatest value that the flags allow."""
        self.promise = 0
        """The greater, the more likely seat 0 is to win."""
        if state.outcome is not None:
            value = value_outcome(state.outcome)
            self.bounds = value, value
        else:
            self.survey(solver)

    def survey(self, solver: Solver) -> None:
        """Look at the flags: who has them for sure, who can still get them, and whether that decides the leg."""
        state = self.state
        lasting = is_lasting(state)
        sure, possible = [mask_flags(state, seat) for seat in (0, 1)], [0, 0]
        hands = card_set(state.hands[0]), card_set(state.hands[1])
        codes: list[int] = []
        for flag in state.unclaimed:
            winner = find_sure_winner(state, flag)
            if winner is None:
                codes.append((state.sets[0][flag] | state.sets[1][flag] << 128) << 12 | flag << 8 | 255)
                for seat in (0, 1):
                    if not lasting or is_within_reach(solver, state, seat, flag):
                        possible[seat] |= 1 << flag
            else:
                sure[winner] |= 1 << flag
                other = 1 - winner
                codes.append(flag << 8 | winner << 4 | state.slots[other][flag] - len(state.sides[other][flag]))
        counts = solver.counts
        self.promise = SURE_FLAG_PROMISE * (counts[sure[0]] - counts[sure[1]])
        self.promise += counts[possible[0]] - counts[possible[1]]
        winner = find_winner(solver, state, sure, possible if lasting else None)
        if winner is not None:
            self.bounds = (LOSS, LOSS) if winner else (WIN, WIN)
        elif lasting:
            turn = state.to_act, state.decision, state.passed, state.claimed_before_play
            self.key = turn, hands, state.owner, tuple(codes), tuple(state.decks[0])
        else:
            self.key = build_key(state)


def prepare(state: BattleLineState) -> BattleLineState:
    """Return a copy that is cheaper to copy on: without its log, and without what the seats know."""
    twin = state.copy()
    twin.log, twin.log_size, twin.tracks_knowledge = [], 0, False
    return twin


def play_on(state: BattleLineState, move: int) -> BattleLineState:
    """Return the state after a move."""
    after = state.copy()
    after.play(move)
    return after


def mask_flags(state: BattleLineState, seat: int) -> int:
    """Return the mask of the flags that a seat has claimed."""
    return sum([1 << flag for flag, owner in enumerate(state.owner) if owner == seat])


def value_outcome(outcome: Outcome) -> int:
    """Return the value of an outcome for seat 0."""
    own, other = outcome.places
    return (own < other) - (own > other)


def is_lasting(state: BattleLineState) -> bool:
    """Return whether what can be proved now can be proved ever after: no tactic and no tile can change a flag."""
    if state.decks[1] or state.decision not in (PLAY, FINISH):
        return False
    for hand in state.hands:
        for card in hand:
            if card >= FIRST_TACTIC:
                return False
    for flag in state.unclaimed:
        if state.tiles[flag] in CHANGING_TILES:
            return False
    return True


def find_sure_winner(state: BattleLineState, flag: int) -> int | None:
    """Return the seat that could claim a flag now, were it its turn; None where neither could."""
    complete = [len(state.sides[seat][flag]) == state.slots[seat][flag] for seat in (0, 1)]
    if complete[0] and complete[1]:
        return 0 if wins_with_both_complete(state, 0, flag) else 1
    for seat in (0, 1):
        if complete[seat] and is_claim_provable(state, seat, flag):
            return seat
    return None


def is_within_reach(solver: Solver, state: BattleLineState, seat: int, flag: int) -> bool:
    """Return whether the seat could still win an open flag with the troops in its hand and in the deck."""
    free = state.slots[seat][flag] - len(state.sides[seat][flag])
    cards = state.hands[seat] + state.decks[0]
    if free > len(cards):
        return False
    if len(state.sides[1 - seat][flag]) < state.slots[1 - seat][flag]:
        return True
    key = state.sets[seat][flag], free, card_set(cards), state.grounds[seat][flag]
    reach = solver.reaches.get(key)
    if reach is None:
        reach = solver.reaches[key] = find_best_reach(*key)[0]
    # The side that places the last card loses a tie (BL-15).
    return reach > compute_side_strength(state, 1 - seat, flag)


def find_winner(solver: Solver, state: BattleLineState, sure: list[int], possible: list[int] | None) -> int | None:
    """Return the seat that wins for certain by its sure flags; None where that isn't certain.

    `possible` are the flags that each seat can still get; None where even sure flags can be lost.
    """
    wins, counts, to_act = solver.wins, solver.counts, state.to_act
    if to_act is not None and wins[sure[to_act]] and may_claim_all(state, to_act, sure[to_act]):
        return to_act
    if possible is not None:
        for seat in (0, 1):
            other = 1 - seat
            most = sure[other] | possible[other]
            if not wins[most] and (wins[sure[seat]] or counts[most] < counts[sure[seat]]):
                return seat
    return None


def may_claim_all(state: BattleLineState, seat: int, flags: int) -> bool:
    """Return whether the seat may claim all these flags, provable now, before the other seat can do anything.

    One tile that changes other flags may be among them: its flag is claimed last.
    """
    if state.decision == FINISH:
        rules = state.rules
        if not rules.claims_any_time and (not rules.claims_either_time or state.claimed_before_play):
            return False
    elif state.decision != PLAY:
        return False
    return sum([flags >> flag & 1 for flag in state.unclaimed if state.tiles[flag] in CHANGING_TILES]) < 2


def build_key(state: BattleLineState) -> object:
    """Return all that the value of a position can depend on."""
    can_lift = may_lift(state)
    return (
        (state.to_act, state.decision, state.resume, state.at, state.passed, state.claimed_before_play),
        (state.scouted, state.draws_left, state.fields_left),
        len(state.tactics_played[0]) - len(state.tactics_played[1]),
        state.leader_played,
        tuple([tuple(sorted(hand)) for hand in state.hands]),
        tuple([tuple(deck) for deck in state.decks]),
        (state.owner, state.fog, state.mud),
        tuple([list_placings(state, flag) if can_lift else describe_flag(state, flag) for flag in state.unclaimed]),
    )


def may_lift(state: BattleLineState) -> bool:
    """Return whether a card on the table can still be taken off its flag."""
    if state.decision in (AT_MARSHES, AT_WATCHTOWER):
        return True
    if any([state.tiles[flag] in CHANGING_TILES for flag in state.unclaimed]):
        return True
    return any([card in LIFTERS for cards in (*state.hands, state.decks[1]) for card in cards])


def describe_flag(state: BattleLineState, flag: int) -> tuple[int, int, int | None]:
    """Return what counts of an unclaimed flag whose cards stay where they are."""
    complete = all([len(state.sides[seat][flag]) == state.slots[seat][flag] for seat in (0, 1)])
    return state.sets[0][flag], state.sets[1][flag], state.last_seat(flag) if complete else None


def list_placings(state: BattleLineState, flag: int) -> tuple[int, ...]:
    """Return the cards at a flag in the order in which they were placed, those of seat 1 as negative numbers."""
    placed = [
        (stamp, -1 - card if seat else card)
        for seat in (0, 1)
        for stamp, card in zip(state.stamps[seat][flag], state.sides[seat][flag], strict=True)
    ]
    placed.sort()
    return tuple([card for _, card in placed])


# Average over all that a seat must reckon with, where few cards are hidden from it.

MAX_CASES: Final = 120
"""Cases of hidden cards that are looked at, at most."""
EXPECTING_BUDGET: Final = 60_000
"""Positions looked at in all cases together before the question is given up."""
EXPECTING_LINE_BUDGET: Final = 20_000
"""Positions looked at in all turns of a leg together before the earlier ones are left out: about a second."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What each move is worth on average to the seat that is to act: 1 for a win, ½ for a draw."""

    cases: int
    """How many different hands and orders of the decks were looked at."""
    chances: dict[int, float]
    positions: int
    """How many positions of the budget it took."""


def expect(state: BattleLineState, budget: int = EXPECTING_BUDGET, max_cases: int = MAX_CASES) -> Expectation | None:
    """Return the mean worth of each move over everything that the seat to act can't know.

    All that is consistent with what it has seen counts as equally likely. None where that is too much, where nothing is
    hidden, or while tiles are drafted.
    """
    seat = state.to_act
    if seat is None or is_open(state) or state.draft is not None or count_cases(state, seat) > max_cases:
        return None
    solver = Solver(state, budget)
    totals = dict.fromkeys(state.moves(), 0.0)
    weights = cases = 0
    try:
        for case, weight in list_cases(state, seat):
            for move, value in solver.rate_moves(case).moves.items():
                totals[move] += weight * (value + 1) / 2
            weights += weight
            cases += 1
    except OutOfBudgetError:
        return None
    return Expectation(cases, {move: total / weights for move, total in totals.items()}, budget - solver.left)


def expect_line(states: Sequence[BattleLineState], budget: int = EXPECTING_LINE_BUDGET) -> dict[int, Expectation]:
    """Return by number the expectations of the positions of a leg in which the other seat has just acted.

    The last positions come first, all of them within the budget. From the first that can't be told they are left out,
    and so are those in which nothing is hidden.
    """
    found: dict[int, Expectation] = {}
    for number in reversed(range(1, len(states))):
        state = states[number]
        if is_open(state) or state.to_act == states[number - 1].to_act:
            continue
        expectation = expect(state, budget)
        if expectation is None:
            break
        found[number] = expectation
        budget -= expectation.positions
    return found


def count_cases(state: BattleLineState, seat: int) -> int:
    """Return how many ways there are for what is hidden from the seat, equal cards counted as different ones."""
    count = 1
    for deck in (TROOP_DECK, TACTIC_DECK):
        held, places = find_hidden_spots(state, seat, deck)
        count *= factorial(len(held) + len(places)) // factorial(len(held))
    return count


def find_hidden_spots(state: BattleLineState, seat: int, deck: int) -> tuple[list[int], list[int]]:
    """Return the cards of one deck that the other seat holds, and the places in it whose cards the seat can't know."""
    held = [card for card in state.hands[1 - seat] if is_troop(card) == (deck == TROOP_DECK)]
    own_places = state.knowledge[seat].own_places if state.tracks_knowledge else ()
    return held, [place for place in range(len(state.decks[deck])) if (deck, place) not in own_places]


def list_cases(state: BattleLineState, seat: int) -> Iterator[tuple[BattleLineState, int]]:
    """Yield a state for each hand of the other seat and order of the decks that the seat must reckon with.

    With each comes its weight: the number of ways in which equal cards make it.
    """
    other = 1 - seat
    deals = [list_deals(state, seat, deck) for deck in (TROOP_DECK, TACTIC_DECK)]
    for (troops, troop_deck), weight in deals[TROOP_DECK].items():
        for (tactics, tactic_deck), more in deals[TACTIC_DECK].items():
            case = prepare(state)
            hand = [*troops, *tactics]
            case.hands = (case.hands[seat], hand) if other else (hand, case.hands[seat])
            case.decks = list(troop_deck), list(tactic_deck)
            case.found = None
            yield case, weight * more


Deal = tuple[tuple[int, ...], tuple[int, ...]]
"""Cards of one deck that the other seat holds, in order, and the cards in the deck."""


def list_deals(state: BattleLineState, seat: int, deck: int) -> dict[Deal, int]:
    """Return what the hidden cards of one deck can be, with the number of ways in which equal cards make it."""
    held, places = find_hidden_spots(state, seat, deck)
    cards = state.decks[deck]
    pool = [*held, *[cards[place] for place in places]]
    traces = [trace for trace in state.knowledge[seat].traces if trace.deck == deck] if state.tracks_knowledge else []
    found: dict[Deal, int] = {}
    for drawn in permutations(range(len(pool)), len(places)):
        rest = sorted([card for number, card in enumerate(pool) if number not in drawn])
        lying = cards.copy()
        for place, number in zip(places, drawn, strict=True):
            lying[place] = pool[number]
        if all([is_consistent(trace, traces, rest, lying) for trace in traces]):
            deal = tuple(rest), tuple(lying)
            found[deal] = found.get(deal, 0) + 1
    return found


def is_consistent(trace: Trace, traces: list[Trace], held: list[int], lying: list[int]) -> bool:
    """Return whether a card that a seat knows the other one had is where it can be, with all equal ones."""
    places = [place for place, card in enumerate(lying) if card == trace.card and (trace.deck, place) in trace.places]
    return held.count(trace.card) + len(places) >= sum([other.card == trace.card for other in traces])
