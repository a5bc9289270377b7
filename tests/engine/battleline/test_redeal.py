"""Leaks, looked for by dealing anew what a seat can't know: nothing it sees may change, and all else should."""

from collections import Counter
from random import Random
from typing import cast

import pytest

from engine.contract.checks import check_redeal
from engine.core import Json, State
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from tests.engine.battleline.staging import EDITION_CASES, GUILE, begin, hand, is_troop, legal, play, stage
from tests.engine.battleline.worlds import Knowledge
from tests.engine.plays import any_move, how_many, run
from tests.engine.plays import begin as begin_play
from tests.full import is_full_run

GAME = GAMES["battleline"]
REDEALT = how_many(50 if is_full_run() else 12)
each_edition = pytest.mark.parametrize("edition", EDITION_CASES)


@each_edition
def test_redealing_changes_no_view_and_no_event_of_the_seat(edition: str) -> None:
    """One play after another, at plies spread over them, for both seats; the redealt play holds the same cards."""
    changed: Counter[str] = Counter()
    for seed in range(REDEALT):
        rng = Random(seed)
        stops = {rng.randint(0, 130) for _ in range(8)} | {rng.randint(0, 17)}
        first = cast(BattleLineState, begin_play(GAME, edition, seed))
        cards, knowledge = all_cards(first), [Knowledge(first, seat) for seat in (0, 1)]
        for state in run(first, rng, likes_scout):
            for known in knowledge:
                known.follow(first)
            if state.ply in stops:
                for seat in (0, 1):
                    twin = cast(BattleLineState, check_redeal(state, seat, rng))
                    assert all_cards(twin) == cards
                    check_cards(first, twin, seat, changed)
                    assert knowledge[seat].allows(first) and knowledge[seat].allows(twin), (seed, state.ply, seat)
                    changed["worlds"] += len(knowledge[seat].worlds) > 1
    assert changed["hand"] > REDEALT and changed["decks"] > REDEALT, "hidden cards really change"
    if GAME.options(edition)["tactics"]:
        assert changed["kept"] > REDEALT // 4, "cards that the seat put back lay in a deck"
        assert changed["traced"] > REDEALT // 4, "cards that the seat put back had been drawn by the other"
    if edition == "hundred-years":
        assert changed["worlds"] > REDEALT // 20, "a card might be here or there"


def likes_scout(state: State, rng: Random) -> int:
    scouts = [move for move in state.moves() if state.text(move) == "scout"]
    return scouts[0] if scouts else any_move(state, rng)


def check_cards(state: BattleLineState, twin: BattleLineState, seat: int, changed: Counter[str]) -> None:
    assert twin.view(1 - seat)["hand_sizes"] == state.view(1 - seat)["hand_sizes"]
    assert sorted(map(is_troop, hand(twin, 1 - seat))) == sorted(map(is_troop, hand(state, 1 - seat)))
    assert twin.view(seat)["decks"] == state.view(seat)["decks"]
    for deck, place in state.knowledge[seat].own_places:
        changed["kept"] += 1
        assert twin.decks[deck][place] == state.decks[deck][place]
    changed["traced"] += bool(state.knowledge[seat].traces)
    changed["hand"] += hand(twin, 1 - seat) != hand(state, 1 - seat)
    changed["decks"] += twin.decks != state.decks


def all_cards(state: BattleLineState) -> Counter[str]:
    """Every card of the play, wherever it is."""
    view, names = state.view(0), state.names.of
    found = Counter(names[card] for cards in (*state.hands, *state.decks) for card in cards)
    for flag in view["flags"]:
        found.update(card for side in flag["cards"] for card in side)
        found.update(["fog"] * flag["fog"] + ["mud"] * flag["mud"])
    found.update(card for cards in view["discards"] for card in cards)
    found.update(card for cards in view["tactics_played"] for card in cards if card in GUILE)
    return found


def scouted(returned: str = "return R1,return R2") -> State:
    """Seat 0 has put back two cards by a Scout, R2 on top; seat 1 is asked."""
    state = stage("", "", holds=("R1 R2 scout", ""))
    return play(state, "scout", "draw troop", "draw troop", "draw troop", *returned.split(","), "done")


def first_play(state: State) -> str:
    return legal(state, "play")[0]


def test_a_card_put_back_stays_where_the_seat_knows_it_to_be() -> None:
    state = scouted()
    for seed in range(50):
        twin = state.redeal(0, Random(seed))
        play(twin, first_play(twin), "draw troop")
        assert hand(twin, 1)[-1] == "R2"


def test_a_card_put_back_and_drawn_by_the_other_stays_in_its_hand() -> None:
    state = scouted()
    play(state, first_play(state), "draw troop")
    hands = [hand(state.redeal(0, Random(seed)), 1) for seed in range(50)]
    assert all("R2" in cards for cards in hands)
    assert len({tuple(sorted(cards)) for cards in hands}) > 40


def test_the_other_does_not_learn_what_was_put_back() -> None:
    state = scouted()
    tops = {state.redeal(1, Random(seed)).decks[0][-1] for seed in range(100)}  # type: ignore[attr-defined]
    assert len(tops) > 15


def fields_put_back() -> State:
    """Seat 0 has claimed Fields and put back R1 and R2 (BL-65), R2 on top; seat 1, which holds the Scout, is asked."""
    state = stage("R10 1, R9 1, R8 1", "", holds=("R1 R2", "scout"), row="fields 1, town 9")
    play(state, "claim 1", "return R1", "return R2")
    return play(state, first_play(state), "done")


def test_a_card_put_back_for_fields_is_remembered_like_any_card() -> None:
    state = fields_put_back()
    for seed in range(30):
        twin = cast(BattleLineState, state.redeal(0, Random(seed)))
        assert [twin.names.of[card] for card in twin.decks[0][-2:]] == ["R1", "R2"]
    tops = {state.redeal(1, Random(seed)).decks[0][-1] for seed in range(100)}  # type: ignore[attr-defined]
    assert len(tops) > 15
    play(state, first_play(state), "draw troop")
    assert hand(state, 1)[-1] == "R2"


def test_a_card_that_the_other_may_have_put_back_in_turn_may_be_in_any_of_its_places() -> None:
    """Seat 1 draws R2 and R1, scouts, and puts two troops back: each may be either of these, or still be held."""
    state = fields_put_back()
    play(state, first_play(state), "draw troop")
    play(state, first_play(state), "draw tactic")
    play(state, "scout", "draw troop", "draw troop", "draw troop")
    others = [card for card in hand(state, 1) if is_troop(card) and card not in ("R1", "R2")]
    play(state, f"return {others[0]}", "return R2", "done")
    where: Counter[tuple[str, str]] = Counter()
    for seed in range(200):
        twin = cast(BattleLineState, state.redeal(0, Random(seed)))
        top, second = (twin.names.of[card] for card in twin.decks[0][:-3:-1])
        held = hand(twin, 1)
        where.update((card, "held") for card in ("R1", "R2") if card in held)
        where.update({(top, "top"), (second, "second")})
    for card in ("R1", "R2"):
        assert min(where[card, place] for place in ("held", "top", "second")) > 5, where
        assert sum(where[card, place] for place in ("held", "top", "second")) == 200


def test_of_two_equal_cards_that_the_other_drew_one_shown_leaves_the_other_known() -> None:
    """Seat 0 puts back both copies of S1, seat 1 draws both and plays one."""
    state = begin(
        "S1 S1 S2 H2 H4 D2 C9", "H7 D7 C7 S7 H8 D8 C8", "S9 H9", "scout fog", edition="long"
    )  # fmt: skip
    play(state, "play S2 1", "draw tactic", "play H7 1", "draw troop")
    play(state, "scout", "draw troop", "draw troop", "draw troop", "return S1", "return S1", "done")
    play(state, "play D7 1", "draw troop", "play H2 1", "draw tactic")
    play(state, "play C7 1", "draw troop", "play H4 1", "draw tactic")
    assert hand(state, 1).count("S1") == 2
    play(state, "play S1 4", "draw tactic")
    twins = [hand(state.redeal(0, Random(seed)), 1) for seed in range(60)]
    assert all(cards.count("S1") == 1 for cards in twins)


def test_the_king_that_the_other_was_dealt_is_known_to_be_in_its_hand() -> None:
    """BL-70."""
    state = begin_play(GAME, "hundred-years", 3)
    for seed in range(30):
        assert "leader-2" in hand(state.redeal(0, Random(seed)), 1)
        assert "leader-1" in hand(state.redeal(1, Random(seed)), 0)


class LeaksHand(BattleLineState):
    __slots__ = ()

    def view(self, seat: int) -> Json:
        return super().view(seat) | {"advice": f"beware of {self.names.of[max(self.hands[1 - seat])]}"}


class LeaksDraw(BattleLineState):
    __slots__ = ()

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        top = [{"event": "hint", "troops": len([card for card in self.decks[0][-9:] if card < 30])}]
        return super().events(seat, since) + top


class LeaksPick(BattleLineState):
    __slots__ = ()

    def view(self, seat: int) -> Json:
        return super().view(seat) | ({"theirs": sorted(self.draft.kept[1 - seat])} if self.draft is not None else {})


@pytest.mark.parametrize(
    ("leaky", "edition"), [(LeaksHand, "standard"), (LeaksDraw, "standard"), (LeaksPick, "hundred-years")]
)
def test_the_check_notices_a_leak(leaky: type[BattleLineState], edition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.games.battleline.game.BattleLineState", leaky)
    state = begin_play(GAME, edition, 1)
    assert isinstance(state, leaky)
    if edition == "hundred-years":
        state.play(state.moves()[0])
    with pytest.raises(AssertionError, match="can't know"):
        for seed in range(10):
            check_redeal(state, 1, Random(seed))
