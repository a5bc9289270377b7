"""What nobody but its seat is told: cards that a Scout puts back, draws, tiles picked and laid face down."""

from random import Random

from engine.core import PUBLIC_ONLOOKER, Json, State
from engine.registry import GAMES
from tests.engine.battleline.staging import begin, hand, legal, play

GAME = GAMES["battleline"]


def tell(state: State, reader: int | None, since: int = 0) -> list[str]:
    return [event.get("action") or event["event"] for event in state.events(reader, since)]


def test_a_card_put_back_for_a_scout_is_told_to_its_seat_alone() -> None:
    state = begin("R1", "G1", troops="P4 P1 P2 P3", tactics="scout")
    play(
        state, "play R1 1", "draw tactic", "play G1 1", "draw troop", "scout", "draw troop", "draw troop", "draw troop"
    )
    since = state.log_length
    returned = legal(state, "return")[0]
    play(state, returned)
    assert tell(state, 0, since) == [returned] == tell(state, None, since)
    for reader in (1, PUBLIC_ONLOOKER):
        assert state.events(reader, since)[0] == {"seat": 0, "action": "return ?", "deck": "troop"}
        assert returned.split()[1] not in str(state.events(reader))
    card = returned.split()[1]
    play(state, legal(state, "return")[0])
    found = {card in hand(state.redeal(1, Random(seed)), 0) for seed in range(40)}
    assert found == {False, True}, "the other may take it for any card of that hand"


def test_a_drawn_card_is_told_to_its_seat_alone() -> None:
    state = play(begin("R1", "G1", troops="P7"), "play R1 1")
    since = state.log_length
    play(state, "draw troop")
    assert {"seat": 0, "event": "draw", "deck": "troop", "card": "P7"} in state.events(0, since)
    for reader in (1, PUBLIC_ONLOOKER):
        assert state.events(reader, since) == [
            {"seat": 0, "action": "draw troop"},
            {"seat": 0, "event": "draw", "deck": "troop"},
        ]


def test_tiles_picked_and_laid_face_down_are_told_to_their_seat_alone() -> None:
    options = GAME.options("hundred-years")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(3)))
    while state.view(0)["decision"] in ("draft", "lay"):
        actor, since = state.to_act, state.log_length
        assert actor is not None
        action = next((text for text in legal(state) if text.endswith("down")), legal(state)[0])
        play(state, action)
        masked = {"pick": "pick ?", "lay": "lay ? down"}[action.split()[0]] if not action.endswith("up") else action
        assert tell(state, actor, since)[0] == action
        assert tell(state, 1 - actor, since)[0] == masked == tell(state, PUBLIC_ONLOOKER, since)[0]


def test_a_proof_says_nothing_of_what_lies_in_hands_and_decks() -> None:
    """Proofs are by public cards only (BL-16): the same in every redeal, to either seat."""
    state = begin("R10 R9 R8", "G1 G2 B4")
    play(state, "play R10 1", "draw troop", "play G1 9", "draw troop", "play R9 1", "draw troop")
    play(state, "play G2 9", "draw troop", "play R8 1", "draw troop", "play B4 9", "draw troop")
    proof = state.explain("claim 1")
    assert proof is not None
    for seat in (0, 1):
        for seed in range(20):
            twin = state.redeal(seat, Random(seed))
            assert twin.explain("claim 1") == proof and twin.explain("claim 9") == state.explain("claim 9")


def test_the_deal_of_each_hand_is_told_to_its_seat_alone() -> None:
    state = begin("R1 R2", "G1 G2")
    told: list[Json] = state.events(1)
    assert [event["seat"] for event in told] == [1] and state.events(PUBLIC_ONLOOKER) == []
