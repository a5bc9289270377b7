"""What is said of an attack before it is played: the path, the values, what will happen and by which ruling."""

import re
from collections import Counter

import pytest

from engine.core import Json, State
from engine.message import Message
from tests.engine.battalion.board import GUARDS
from tests.engine.battalion.lockstep import Lockstep
from tests.engine.battalion.referee import Referee
from tests.engine.battalion.staging import begin, play, refusal
from tests.engine.plays import how_many
from tests.full import is_full_run

PLAYS = how_many(12 if is_full_run() else 6)
FIELDS = set("attacker target path skipped values result wounded dead stays out rulings".split())


class Explained(Lockstep):
    """A play in which every attack that could be made is explained, and the one made happens as was said."""

    def step(self) -> None:
        before = self.state.copy()
        attacks = sorted(action for action in self.referee.legal() if action.startswith("attack"))
        for action in self.rng.sample(attacks, min(len(attacks), 3)):
            check_path(self.referee, action, before.explain(action), self.seen)
        length = self.state.log_length
        super().step()
        told = self.state.events(None, length)
        if told and "result" in told[0]:
            check_happened(before, self.state, before.explain(told[0]["action"]), told)


def check_path(referee: Referee, action: str, why: Json | None, seen: Counter[str]) -> None:
    assert why is not None and set(why) == FIELDS
    assert why["rulings"] and all(re.fullmatch(r"BT-\d+", name) for name in why["rulings"])
    _, start, aim = action.split()
    rival, goal = int(aim.split(":")[0]), aim.split(":")[1]
    assert why["attacker"] == {
        "seat": referee.to_act,
        "cell": start,
        "card": referee.slot(referee.to_act, start)["card"],
    }
    assert why["target"] == {"seat": rival, "cell": goal, "card": referee.slot(rival, goal)["card"]}
    seen[f"explained {why['result']}{' over one' if why['skipped'] else ''}"] += 1
    if why["attacker"]["card"] == "K":
        assert why["path"] is None and why["skipped"] is None
        return
    names = [(int(cell.split(":")[0]), cell.split(":")[1]) for cell in why["path"]]
    assert names[0] == (referee.to_act, start) and names[-1] == (rival, goal) and len(set(names)) == len(names)
    field = referee.field()
    places = [referee.place(*name) for name in names]
    assert all(field.connected(one, other) for one, other in zip(places, places[1:], strict=False))
    full = [cell for cell, place in zip(why["path"][1:-1], places[1:-1], strict=True) if place in field.occupied]
    assert full == ([why["skipped"]] if why["skipped"] else [])
    assert not any(name == "g" for _, name in names[1:-1])
    assert bool(full) == (0 not in field.skips(places[0], places[-1]))


def check_happened(before: State, after: State, why: Json | None, told: list[Json]) -> None:
    assert why is not None
    event = told[0]
    assert (why["attacker"]["card"], why["target"]["card"]) == (event["attacker"], event["target"])
    assert why["result"] == event["result"]
    assert (why["values"] is None) == ("values" not in event)
    if why["values"]:
        assert [value["value"] for value in why["values"]] == event["values"]
        assert all(value["printed"] + value["modification"] == value["value"] for value in why["values"])
    out = [other["seat"] for other in told if other.get("event") == "out"]
    assert ([why["out"]] if why["out"] is not None else []) == out
    for name in ("wounded", "dead"):
        for seat in range(after.seats):
            came = [card["card"] for card in why[name] if card["seat"] == seat]
            pile = told[-1]["cards"][name] if seat in out else after.view(0)["seats"][seat][name]
            assert before.view(0)["seats"][seat][name] + came == pile
    if why["stays"]:
        seat, cell = why["stays"].split(":")
        assert cell == "g" and after.view(0)["seats"][int(seat)]["guard"]["card"] in GUARDS


def test_what_is_said_of_an_attack_is_what_happens() -> None:
    seen: Counter[str] = Counter()
    for seed in range(PLAYS):
        explained = Explained(2 + seed % 3, seed, seen)
        while explained.referee.to_act is not None:
            explained.step()
    results = ("wins", "loses", "tie", "look", "strike", "emperor", "wins over one", "loses over one", "look over one")
    assert not [name for name in results if not seen[f"explained {name}"]], seen


def test_an_attack_by_a_skipping_queen_is_explained() -> None:
    state = begin("0=3,2=4/0=Q,2=7 guard=5", "0=2,2=9 guard=6", dice=(5,))
    play(state, "modify", "pass")
    why = state.explain("attack 2a 1:1b")
    assert why is not None and set(why["rulings"]) >= {"BT-20", "BT-22", "BT-30"}
    del why["rulings"]
    assert why == {
        "path": ["0:2a", "0:1a", "1:1b"],
        "attacker": {"seat": 0, "cell": "2a", "card": "Q"},
        "target": {"seat": 1, "cell": "1b", "card": "9"},
        "skipped": "0:1a",
        "values": [{"printed": 8, "modification": 2, "value": 10}, {"printed": 9, "modification": 0, "value": 9}],
        "result": "wins",
        "wounded": [{"seat": 0, "card": "Q"}],
        "dead": [{"seat": 1, "card": "9"}],
        "stays": None,
        "out": None,
    }


@pytest.mark.parametrize(
    ("action", "ruling"),
    [("attack 2b 1:1a", "BT-20"), ("attack 1a 0:1b", "BT-20"), ("attack 2a 1:2a", "BT-22"), ("attack g 1:1a", "BT-17")],
)
def test_a_refused_attack_is_explained_by_its_sentence_and_ruling(action: str, ruling: str) -> None:
    state = begin("0=3,2=4/0=Q,2=7 guard=5", "0=2,2=9/0=8 guard=6")
    why = state.explain(action)
    assert why is not None and set(why) == {"refused", "rulings"}
    assert ruling in why["rulings"]
    assert refusal(state, action) == f"{Message.from_json(why['refused'])} ({', '.join(why['rulings'])})"


def test_nothing_else_is_explained() -> None:
    state = begin("0=3 guard=5", "0=2 guard=6")
    for action in ("pass", "modify", "move 1a 1b", "reform 0=3", "deploy 0=A guard=5"):
        assert state.explain(action) is None


def test_an_explanation_changes_nothing() -> None:
    lock = Lockstep(3, 5, Counter())
    for _ in range(30):
        if lock.referee.to_act is not None:
            for action in sorted(lock.referee.legal()):
                lock.state.explain(action)
            lock.compare()
            lock.step()
