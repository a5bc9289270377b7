"""What nobody but its seat is told: deployments before all have deployed, cards of the hand; and a Jack's look."""

from random import Random

from engine.core import PUBLIC_ONLOOKER, State
from tests.engine.battalion.staging import begin, cards, play, undeployed


def tell(state: State, reader: int | None, since: int = 0) -> list[str]:
    return [event.get("action") or event["event"] for event in state.events(reader, since)]


def test_a_deployment_is_told_when_all_have_deployed_and_then_without_its_cards() -> None:
    first, second = "deploy 0=A,2=9 guard=5", "deploy 0=K guard=2"
    state = play(undeployed(2), first)
    assert tell(state, 0) == [first]
    for reader in (1, PUBLIC_ONLOOKER):
        assert state.events(reader) == []
    assert state.view(1)["seats"][0]["rows"] == []
    play(state, second)
    assert tell(state, 1) == [second, "deploy 0=?,2=? guard=?"]
    assert tell(state, PUBLIC_ONLOOKER) == ["deploy 0=?,2=? guard=?", "deploy 0=? guard=?"]


def test_a_forfeit_while_seats_deploy_tells_no_other_deployment() -> None:
    state = play(undeployed(3), "deploy 0=A,2=9 guard=5")
    state.forfeit(1, "timeout")
    assert not any("deploy" in text for text in tell(state, 2) + tell(state, PUBLIC_ONLOOKER))


def test_a_card_from_the_hand_is_told_to_its_seat_alone() -> None:
    state = begin("0=A,2=9/0=8 guard=5", "0=2 guard=3")
    play(state, "attack 1a 1:1a", "pass")
    since = state.log_length
    play(state, "move 2a 1a", "reinforce 7 2a")
    assert tell(state, 0, since)[-1] == "reinforce 7 2a" == tell(state, None, since)[-1]
    assert tell(state, 1, since)[-1] == "reinforce ? 2a" == tell(state, PUBLIC_ONLOOKER, since)[-1]
    assert cards(state, 0, 1)["2a"] == "?"


def test_a_card_that_a_jack_looked_at_is_shown_to_all_and_no_other() -> None:
    """Public until it is wounded or dies (BT-26), so no redeal changes it."""
    state = begin("0=J,2=9 guard=5", "0=K,2=8 guard=3", "0=4 guard=2")
    since = state.log_length
    play(state, "attack 1a 1:1b")
    for reader in (0, 1, 2, PUBLIC_ONLOOKER):
        assert state.events(reader, since)[0]["target"] == "8"
    for viewer in (0, 2):
        assert cards(state, 1, viewer) == {"1a": "?", "1b": "8!", "g": "?"}
        twins = [cards(state.redeal(viewer, Random(seed)), 1) for seed in range(30)]
        assert {twin["1b"] for twin in twins} == {"8!"} and len({twin["1a"] for twin in twins}) > 1


def test_the_explanation_of_an_attack_uses_the_two_cards_that_all_see_then() -> None:
    state = begin("0=A,2=9 guard=5", "0=10,2=8 guard=3")
    said = str(state.explain("attack 1a 1:1a"))
    assert "'A'" in said and "'10'" in said and "'8'" not in said and "'9'" not in said
