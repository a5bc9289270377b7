"""One play of Battle Line in progress: carry out moves, end the play, and deal anew what a seat can't know."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final, Self

from engine.compiling import mypyc_attr
from engine.core import IllegalAction, Json, Outcome
from engine.deal import shuffle
from engine.games.battleline import view as views
from engine.games.battleline.cards import (
    CARD_NAMES_BY_COLOURS,
    DECK_NAMES,
    FIRST_TACTIC,
    TACTIC_DECK,
    TROOP_DECK,
    is_troop,
    remove_card,
)
from engine.games.battleline.legal import MOVES, explain_claim, explain_refusal, is_claim_provable
from engine.games.battleline.moves import (
    BETRAY,
    CLAIM,
    DESERT,
    DONE,
    DRAW,
    DRAW_MANY,
    LAY,
    PASS,
    PICK,
    PLACE,
    PUT_BACK,
    REDEPLOY_CARD,
    REMOVE,
    SCOUT_OUT,
    decode_move,
    get_action_texts,
    parse_action,
)
from engine.games.battleline.options import Rules
from engine.games.battleline.position import (
    ACTED,
    AT_WATCHTOWER,
    AWARDED,
    DRAFTING,
    FINISH,
    FORFEITED,
    LAYING,
    PLAY,
    RETURNING,
    SCOUTING,
    Position,
    Trace,
)
from engine.games.battleline.tactics import (
    SCOUT_DRAW_COUNT,
    lay_tile,
    pick_tile,
    play_at_flag,
    play_deserter,
    play_redeploy,
    play_scout,
    play_traitor,
    remove_troop,
    trigger_tile,
)
from engine.games.battleline.tiles import TOWN, TOWN_FLAG_COUNT
from engine.message import gettext_noop, message

# End the play: adjacent flags, flags in all, or two passes (BL-21, BL-24, BL-25, BL-64).

WIN_SCORE: Final = 5
"""The score of a won game (BL-25)."""
BREAKTHROUGH_FLAGS: Final = 3


def winning_rule(table: Position, seat: int) -> str | None:
    """Return the rule by which the seat's flags win, or None where they don't (BL-21)."""
    if table.rules.breakthrough and has_breakthrough(table, seat):
        return "breakthrough"
    return "envelopment" if count_flags(table, seat) >= table.rules.envelopment else None


def has_breakthrough(table: Position, seat: int) -> bool:
    """Return whether the seat has enough adjacent flags; a Town is adjacent to none."""
    row = 0
    for flag, owner in enumerate(table.owner):
        row = row + 1 if owner == seat and table.tiles[flag] != TOWN else 0
        if row == BREAKTHROUGH_FLAGS:
            return True
    return False


def count_flags(table: Position, seat: int) -> int:
    """Return the number of a seat's flags, a Town counting two."""
    return sum(
        TOWN_FLAG_COUNT if tile == TOWN else 1
        for owner, tile in zip(table.owner, table.tiles, strict=True)
        if owner == seat
    )


def build_outcome(table: Position, winner: int | None, reason: str) -> Outcome:
    """Return the outcome with `winner` (None: nobody) first. Scores follow BL-25."""
    flags = [count_flags(table, seat) for seat in (0, 1)]
    return Outcome.from_scores([WIN_SCORE if seat == winner else flags[seat] for seat in (0, 1)], reason)


def award_provable_flags(table: Position, first: int) -> Outcome:
    """End the play after two passes in a row (BL-24).

    Each seat in turn gets the flags it can prove, `first` before the other.
    """
    for seat in (first, 1 - first):
        for flag, owner in enumerate(table.owner):
            if owner is None and is_claim_provable(table, seat, flag):
                table.claim(seat, flag)
                table.record(AWARDED, seat, flag)
                reason = winning_rule(table, seat)
                if reason:
                    return build_outcome(table, seat, reason)
    mine, theirs = count_flags(table, 0), count_flags(table, 1)
    return build_outcome(table, None if mine == theirs else 0 if mine > theirs else 1, "passes")


# Carry out each kind of move (BL-1 to BL-5).


def claim(table: Position, seat: int, card: int, flag: int, target: int) -> Outcome | None:
    """Claim a flag."""
    if table.decision == PLAY:
        table.claimed_before_play = True
    table.claim(seat, flag)
    reason = winning_rule(table, seat)
    if reason:
        return build_outcome(table, seat, reason)
    if table.tiles[flag] is not None:
        trigger_tile(table, seat, flag)
    return None


def place(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Place a card at a flag."""
    if card >= FIRST_TACTIC:
        play_at_flag(table, seat, card, flag)
        return
    table.passed = False
    table.decision = FINISH
    table.leave_hand(seat, card)
    table.place(card, seat, flag)


def do_pass(table: Position, seat: int, card: int, flag: int, target: int) -> Outcome | None:
    """Pass; the second pass in a row ends the play (BL-24)."""
    if table.passed:
        return award_provable_flags(table, 1 - seat)
    table.passed = True
    table.decision = FINISH
    return None


def draw(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Draw a card for a Scout or at the end of the turn."""
    table.draw(seat, flag)
    if table.decision == FINISH:
        end_turn(table)
        return
    table.draws_left -= 1
    if not table.draws_left:
        return_or_finish(table, seat)


def draw_many(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Draw all cards of a Scout at once."""
    for deck, count in enumerate((flag, target)):
        for _ in range(count):
            table.draw(seat, deck)
    return_or_finish(table, seat)


def put_back(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Put a card back for a Scout or Fields."""
    table.put_back(seat, card)
    if not table.fields_left:
        return_or_finish(table, seat)
        return
    table.fields_left -= 1
    if not table.fields_left:
        table.decision = table.resume


def return_or_finish(table: Position, seat: int) -> None:
    """Go on to putting cards back, or to the end of the turn."""
    table.decision = RETURNING if len(table.hands[seat]) > table.rules.hand else FINISH


def done(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """End a turn without a draw."""
    end_turn(table)


def end_turn(table: Position) -> None:
    """End the turn; the other seat is to act."""
    table.turn += 1
    table.to_act = 1 - table.turn % 2
    table.decision = PLAY
    table.scouted = table.claimed_before_play = False


EFFECTS: Final[dict[int, Callable[[Position, int, int, int, int], Outcome | None]]] = {
    CLAIM: claim,
    PLACE: place,
    SCOUT_OUT: play_scout,
    REDEPLOY_CARD: play_redeploy,
    DESERT: play_deserter,
    BETRAY: play_traitor,
    PASS: do_pass,
    DRAW: draw,
    DRAW_MANY: draw_many,
    DONE: done,
    PUT_BACK: put_back,
    REMOVE: remove_troop,
    PICK: pick_tile,
    LAY: lay_tile,
}
"""By kind: change the table for `(table, seat, card, flag, target)`; an outcome where that ends the play."""


# Deal anew what a seat can't know, so that it can't distinguish the table from the original.

Spot = tuple[list[int], int]
"""A card's list and its index there."""


def redeal_hidden(table: Position, seat: int, rng: Random, is_sorted: bool = False) -> None:
    """Change `table` in what `seat` can't know: the other's hand, the decks, tiles that lie or are held face down.

    Cards the seat has put back itself stay where it knows them to be, or move only to where they may have gone (BL-35).
    Where `is_sorted`, the cards are in order before they are shuffled, so that the result hangs on nothing hidden.
    """
    knowledge = table.knowledge[seat]
    for deck, cards in enumerate(table.decks):
        hand = table.hands[1 - seat]
        held: list[Spot] = [(hand, place) for place, card in enumerate(hand) if is_troop(card) == (deck == 0)]
        lying: list[Spot] = [(cards, place) for place in range(len(cards)) if (deck, place) not in knowledge.own_places]
        spots = held + lying
        pool = [where[place] for where, place in spots]
        if is_sorted:
            pool.sort()
        shuffle(pool, rng)
        for (where, place), card in zip(spots, pool, strict=True):
            where[place] = card
        kept: set[int] = set()
        # The fewer places a card may have gone to, the sooner it chooses one.
        for trace in sorted(knowledge.traces, key=lambda trace: len(trace.places)):
            if trace.deck == deck:
                allowed = [index for index, spot in enumerate(spots) if is_possible_location(trace, spot, hand, deck)]
                fix_card_at_spot(trace.card, spots, [index for index in allowed if index not in kept], kept, rng)
    if table.draft is not None:
        table.draft.redeal(seat, rng)


def is_possible_location(trace: Trace, spot: Spot, hand: list[int], deck: int) -> bool:
    """Return whether the card of a trace may be at this spot."""
    where, place = spot
    return where is hand or (deck, place) in trace.places


def fix_card_at_spot(card: int, spots: list[Spot], allowed: list[int], kept: set[int], rng: Random) -> None:
    """Bring a card to one of the allowed spots, in exchange for what lies there, and leave it there."""
    at = next(index for index, (where, place) in enumerate(spots) if where[place] == card and index not in kept)
    if at not in allowed:
        target = allowed[int(rng.random() * len(allowed))]
        (where, place), (there, spot) = spots[at], spots[target]
        where[place], there[spot] = there[spot], where[place]
        at = target
    kept.add(at)


# One play of Battle Line in progress: what `State` asks for, on a `Position`.


@mypyc_attr(allow_interpreted_subclasses=True)
class BattleLineState(Position):
    """A play of Battle Line in progress."""

    __slots__ = ("found", "outcome", "words")
    seats = 2

    def __init__(self, rules: Rules, hands: tuple[list[int], list[int]], troops: list[int], tactics: list[int]) -> None:
        super().__init__(rules, hands, troops, tactics)
        self.words = get_action_texts(rules.colours)
        self.outcome: Outcome | None = None
        self.found: list[int] | None = None
        """The legal moves, once computed."""

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = super().copy()
        twin.words, twin.outcome, twin.found = self.words, self.outcome, self.found
        return twin

    def moves(self) -> list[int]:
        """Return the legal moves, computed at the first call."""
        if self.found is None:
            self.found = [] if self.to_act is None else MOVES[self.decision](self, self.to_act)
        return self.found

    def text(self, move: int) -> str:
        """Return the action string of a legal move."""
        return self.words[move]

    def actions(self) -> dict[str, int]:
        """Return the legal moves by their action strings."""
        known = self.words
        return {known[move]: move for move in self.moves()}

    def parse(self, text: str) -> int:
        """Return the legal move with this action string. Raises MalformedAction or IllegalAction."""
        known = self.words
        for move in self.moves():
            if known[move] == text:
                return move
        move = parse_action(text, self.rules.colours, self.rules.flags)
        if self.to_act is None:
            raise IllegalAction(message(gettext_noop("the leg is finished")))
        raise IllegalAction(explain_refusal(self, self.to_act, move).message)

    def play(self, move: int) -> None:
        """Play a move that `moves` or `parse` returned."""
        seat = self.to_act
        assert seat is not None, "the leg is finished"
        self.found = None
        self.ply += 1
        self.record(ACTED, seat, move)
        outcome = EFFECTS[move >> 16](self, seat, move >> 8 & 255, move >> 4 & 15, move & 15)
        if outcome is not None:
            self.finish(outcome)

    def view(self, seat: int) -> Json:
        """Return all that this seat may see now."""
        return views.view(self, seat)

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        """Return what this seat knows from log position `since` on."""
        return views.events(self, seat, since)

    @property
    def log_length(self) -> int:
        """Return the log position after the last event."""
        return self.log_size

    def forfeit(self, seat: int, verdict: str) -> None:
        """End the play: `seat` goes out by a verdict, and the other one is first."""
        self.ply += 1
        self.record(FORFEITED, seat, verdict)
        self.finish(build_outcome(self, 1 - seat, verdict))

    def redeal(self, seat: int, rng: Random) -> Self:
        """Return another state that `seat` can't distinguish from this one."""
        twin = self.copy()
        redeal_hidden(twin, seat, rng)
        twin.found = None
        return twin

    def explain(self, action: str) -> Json | None:
        """Return the proof of a claim (see `legal.explain_claim`), provable or not, or None for other actions."""
        kind, _, flag, _ = decode_move(parse_action(action, self.rules.colours, self.rules.flags))
        return explain_claim(self, self.to_act, flag) if kind == CLAIM and self.to_act is not None else None

    @property
    def open_grammar(self) -> str | None:
        """Return None: `moves` lists every legal action."""
        return None

    def is_out(self, seat: int) -> bool:
        """Return False: no play goes on without a seat."""
        return False

    def forced(self) -> int | None:
        """Return the only legal move, or None where there is a choice."""
        moves = self.moves()
        return moves[0] if len(moves) == 1 else None

    def finish(self, outcome: Outcome) -> None:
        """End the play with this outcome."""
        self.outcome = outcome
        self.to_act = None
        self.found = None


# Make a whole table from what one seat sees, for bots that search: all the rest is dealt at random.


def determinize(rules: Rules, cards: list[int], seat: int, view: Json, rng: Random) -> BattleLineState:
    """Return a state in which `seat` sees `view`. `cards` are all cards of the rules, those dealt to hands included.

    Of what happened before, only what still shows is kept: who placed last at a flag, but not who placed before, and
    the hidden cards that the seat knows of. Raises ValueError while tiles are drafted or laid.
    """
    if view["decision"] in (DRAFTING, LAYING):
        raise ValueError("a draft can't be determinized from a view")
    state = BattleLineState(rules, *deal_hidden(rules, cards, seat, view, rng))
    for flag in view["flags"]:
        restore_flag(state, flag)
    known = state.names.card
    for name in list_troops_on_table(view):
        state.unseen = remove_card(state.unseen, known[name])
    state.tactics_played = read_cards_by_seat(known, view["tactics_played"])
    state.discards = read_cards_by_seat(known, view["discards"])
    state.leader_played = tuple(view["leader_played"])
    restore_turn(state, view)
    if view.get("known"):
        restore_knowledge(state, seat, view["known"], rng)
    state.log, state.log_size = [], 0
    return state


def deal_hidden(
    rules: Rules, cards: list[int], seat: int, view: Json, rng: Random
) -> tuple[tuple[list[int], list[int]], list[int], list[int]]:
    """Return hands and decks: the own hand as seen, all else that is unseen at random."""
    known = CARD_NAMES_BY_COLOURS[rules.colours].card
    own = [known[name] for name in view["hand"]]
    seen = [known[name] for side in view["tactics_played"] for name in side]
    seen += [known[name] for name in list_troops_on_table(view)]
    hidden = list((Counter(cards) - Counter(own) - Counter(seen)).elements())
    shuffle(hidden, rng)
    decks: tuple[list[int], list[int]] = ([], [])
    other: list[int] = []
    for card in hidden:
        deck = TROOP_DECK if card < FIRST_TACTIC else TACTIC_DECK
        room = view["decks"][DECK_NAMES[deck]]
        (decks[deck] if len(decks[deck]) < room else other).append(card)
    return (own, other) if seat == 0 else (other, own), *decks


def read_cards_by_seat(known: dict[str, int], seen: list[list[str]]) -> tuple[tuple[int, ...], ...]:
    """Return cards by seat from their names."""
    return tuple(tuple(known[name] for name in names) for names in seen)


def list_troops_on_table(view: Json) -> list[str]:
    """Return the names of the troops face up on the table."""
    sides = [side for flag in view["flags"] for side in flag["cards"]] + view["discards"]
    return [name for side in sides for name in side if name[1:].isdigit()]


def restore_flag(state: BattleLineState, seen: Json) -> None:
    """Put what a view shows of a flag on the table."""
    flag = seen["flag"] - 1
    if seen["tile"] is not None:
        state.lay_tile(flag, seen["tile"])
    if seen["fog"]:
        state.lay_fog(flag, seen.get("fog_by"))
    if seen["mud"]:
        state.lay_mud(flag, seen.get("mud_by"))
    last = seen["last"] or 0
    for side in (1 - last, last):
        for name in seen["cards"][side]:
            state.place(state.names.card[name], side, flag)
    if seen["owner"] is not None:
        state.claim(seen["owner"], flag)


def restore_knowledge(state: BattleLineState, seat: int, known: list[Json], rng: Random) -> None:
    """Lay the hidden cards that a seat knows of where it knows them to be, or may suppose them."""
    knowledge = state.knowledge[seat]
    state.tracks_knowledge = True
    for seen in known:
        card = state.names.card[seen["card"]]
        deck = TROOP_DECK if card < FIRST_TACTIC else TACTIC_DECK
        places = [(deck, len(state.decks[deck]) - at) for at in seen["in_deck"]]
        if seen["in_hand"]:
            knowledge.traces.append(Trace(card, deck, set(places)))
            continue
        (place,) = places
        lists = (state.decks[deck], state.hands[1 - seat])
        spots = [(cards, at) for cards in lists for at in range(len(cards)) if cards[at] == card]
        where, at = next(
            spot for spot in spots if spot[0] is not lists[0] or (deck, spot[1]) not in knowledge.own_places
        )
        where[at], lists[0][place[1]] = lists[0][place[1]], card
        knowledge.own_places.add(place)
    redeal_hidden(state, seat, rng)


def restore_turn(state: BattleLineState, view: Json) -> None:
    """Set whose decision it is.

    A view doesn't say what a tile has interrupted. Where claims are allowed at any time, the turn goes on after its
    play; otherwise it is known whether the flag was claimed before it (BL-1).
    """
    state.turn, state.to_act, state.decision = view["turn"], view["to_move"], view["decision"]
    rules = state.rules
    state.claimed_before_play = view.get("claimed_this_turn", False)
    at_start = state.claimed_before_play or not (rules.claims_any_time or rules.claims_either_time)
    state.resume = PLAY if at_start else FINISH
    if state.decision == AT_WATCHTOWER:
        state.at = view["at"] - 1
    elif state.decision == SCOUTING:
        state.scouted = True
        drawn = view["hand_sizes"][view["to_move"]] - (rules.hand - 1)
        state.draws_left = min(max(1, SCOUT_DRAW_COUNT - drawn), len(state.decks[0]) + len(state.decks[1]))
    elif "returning" in view:
        fields = view["returning"]["from"] == "fields"
        state.fields_left, state.scouted = (view["returning"]["left"] if fields else 0), not fields
