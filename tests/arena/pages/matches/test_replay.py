from itertools import chain

import pytest

from arena.pages.matches.replay import play_back, play_to
from arena.runner.program import TimeSpent
from engine.replay import states


def test_steps_are_the_turns_of_the_game(record_of):
    scene = play_to(record_of(1), 0)
    turns = [state.view(0)["turn"] for state in states(record_of(1))]
    assert scene.last == len({turn for turn, entry in zip(turns, record_of(1)["actions"], strict=False)})


def test_steps_hold_every_decision_once_and_in_order(record_of):
    record = record_of(1)
    entries = chain.from_iterable(step.entries for step in play_to(record, 0).steps)
    assert [(entry.seat, entry.action) for entry in entries] == [(e["seat"], e["action"]) for e in record["actions"]]


def test_a_step_belongs_to_one_seat(record_of):
    for step in play_to(record_of(1), 0).steps[1:]:
        assert len({entry.seat for entry in step.entries}) == 1


@pytest.mark.parametrize("onlooker", [None, 0])
@pytest.mark.parametrize(("game", "seats"), [("battleline", 2), ("battalion", 3)])
def test_a_step_shows_the_same_alone_as_among_all(record_of, game, seats, onlooker):
    record = record_of(1, "standard", game, seats)
    playback = play_back(record, onlooker)
    for number in (*range(0, playback.last, 7), playback.last):
        assert play_to(record, number, onlooker) == playback.scene(number)


def test_step_zero_is_the_deal(record_of):
    scene = play_to(record_of(1), 0)
    assert scene.step.entries == ()
    assert scene.after == scene.before
    assert scene.after[0]["hand"] == record_of(1)["deal"]["troops"][:7]


@pytest.mark.parametrize(("asked", "shown"), [(-4, 0), (10**9, "last")])
def test_steps_out_of_range_are_brought_into_it(record_of, asked, shown):
    scene = play_to(record_of(1), asked)
    assert scene.number == (scene.last if shown == "last" else shown)


def test_the_last_step_shows_the_end(record_of):
    scene = play_to(record_of(1), 10**9)
    *_, state = states(record_of(1))
    assert scene.is_over
    assert scene.after == [state.view(0), state.view(1)]


def test_what_is_before_a_step_is_what_was_after_the_one_before_it(record_of):
    for number in (1, 2, 7):
        assert play_to(record_of(1), number).before == play_to(record_of(1), number - 1).after


def test_every_claim_of_a_step_is_explained(record_of):
    for step in play_to(record_of(2), 0).steps:
        claims = [entry.action for entry in step.entries if entry.action.startswith("claim")]
        proofs = play_to(record_of(2), step.number).proofs
        assert [f"claim {proof['flag']}" for proof in proofs] == claims
        assert all(proof["holds"] for proof in proofs)


def test_a_seat_is_not_told_what_the_other_draws(record_of):
    for seat in (0, 1):
        for step in play_to(record_of(3), 0, onlooker=seat).steps:
            draws = [event for event in step.events if event.get("event") == "draw"]
            assert all(("card" in draw) == (draw["seat"] == seat) for draw in draws)


def test_time_is_counted_only_where_somebody_was_asked(record_of):
    for step in play_to(record_of(1), 0).steps:
        asked = [entry for entry in step.entries if entry.spent is not None]
        assert step.spent == (TimeSpent(7 * len(asked), 2 * len(asked), 0) if asked else None)


def test_a_forfeit_is_the_last_step(record_of):
    record = record_of(1)
    cut = {**record, "actions": [*record["actions"][:10], {"seat": 1, "action": "forfeit", "verdict": "timeout"}]}
    cut["actions"][10]["seat"] = record["actions"][10]["seat"]
    scene = play_to(cut, 10**9)
    assert scene.step.entries[-1].action == "forfeit"
    assert scene.after[0]["to_move"] is None
