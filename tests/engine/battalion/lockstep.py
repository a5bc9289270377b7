"""The engine and the second referee play the same random play, and are compared before every decision."""

from collections import Counter
from random import Random

from engine.core import Json, Outcome, State
from tests.engine.battalion.referee import Referee
from tests.engine.battalion.staging import DICE, GAME, any_deployment, any_reforming

FORFEITS = 0.004
"""Share of decisions at which the seat that is asked fails instead, with three seats or four."""


def random_options(rng: Random) -> Json:
    """Those of the edition in half the plays, shorter ones in the others."""
    if rng.random() < 0.5:
        return {}
    return {"quiet_rounds": rng.randint(1, 8), "round_limit": rng.randint(1, 40)}


class Lockstep:
    """One play of both. `seen` counts what happened in it."""

    def __init__(self, seats: int, seed: int, seen: Counter[str]) -> None:
        self.rng, self.seen = Random(seed), seen
        self.gentle = self.rng.random() < 0.7
        """Guards are attacked seldom, so that the play goes on until cards run out."""
        changes = random_options(self.rng)
        dice = [self.rng.randint(1, 6) for _ in range(DICE)]
        self.state = GAME.start(GAME.options("standard", **changes), seats, {"dice": dice})
        self.referee = Referee(seats, dice, **changes)
        self.compared: list[int] = [0] * (seats + 1)
        """Events compared so far, by seat, and of all."""

    def play_out(self) -> State:
        while self.referee.to_act is not None:
            self.compare()
            self.step()
        self.compare()
        places, scores, reason = self.referee.result or ((), (), "")
        assert self.state.outcome == Outcome(tuple(places), tuple(scores), reason)
        self.seen[f"end {reason}"] += 1
        self.seen["rounds"] += self.referee.round
        return self.state

    def step(self) -> None:
        state, referee = self.state, self.referee
        assert referee.to_act is not None
        if state.seats > 2 and self.rng.random() < FORFEITS:
            self.seen["forfeit"] += 1
            referee.forfeit(referee.to_act, "timeout")
            state.forfeit(state.to_act, "timeout")
            return
        action = self.choose()
        move = state.parse(action)
        assert state.text(move) == action
        state.play(move)
        referee.play(action)
        self.seen[action.split()[0]] += 1
        if action.startswith("attack"):
            event = [event for event in referee.events(None) if "result" in event][-1]
            self.seen[f"result {event['result']}"] += 1

    def choose(self) -> str:
        """A kind of action first, then one of its kind, so that rare kinds are seen; fights are sought."""
        referee, rng = self.referee, self.rng
        if referee.deploying:
            return any_deployment(rng)
        kinds: dict[str, list[str]] = {}
        for action in sorted(referee.legal()):
            kinds.setdefault(action.split()[0], []).append(action)
        if self.gentle and rng.random() < 0.97:
            kinds["attack"] = [action for action in kinds.get("attack", ()) if not action.endswith(":g")]
        names = [kind for kind in sorted(kinds) if kinds[kind]] + ["attack"] * 2 * bool(kinds.get("attack"))
        kind = rng.choice(names + ["reform"] * (referee.may_reform() and rng.random() < 0.2))
        action = any_reforming(referee, rng) if kind == "reform" else rng.choice(kinds[kind])
        self.note(action)
        return action

    def note(self, action: str) -> None:
        """Count what is rare."""
        words = action.split()
        names = {"enters guard cell": words[0] in ("move", "reinforce") and words[2] == "g"}
        names["leaves guard cell"] = words[0] in ("move", "attack") and words[1] == "g"
        names["hand="] = len(words) == 3 and words[2].startswith("hand=")
        self.seen.update(name for name, happens in names.items() if happens)

    def compare(self) -> None:
        state, referee = self.state, self.referee
        assert state.to_act == referee.to_act
        for seat in range(state.seats):
            assert state.view(seat) == referee.view(seat)
        self.compare_events()
        if state.to_act is not None:
            self.compare_actions()

    def compare_actions(self) -> None:
        state, referee = self.state, self.referee
        texts = [state.text(move) for move in state.moves()]
        listed = {text for text in texts if text.split()[0] not in ("deploy", "reform")}
        assert listed == referee.legal() and len(set(texts)) == len(texts)
        wide = referee.deploying or referee.may_reform()
        assert (state.open_grammar is not None) == wide == (len(texts) > len(listed))

    def compare_events(self) -> None:
        """In order; but what was told of deployments, once all have deployed, in any order."""
        if self.referee.deploying:
            return
        for seat in range(self.state.seats + 1):
            viewer = None if seat == self.state.seats else seat
            since = self.compared[seat]
            mine, theirs = self.referee.events(viewer)[since:], self.state.events(viewer)[since:]
            if since == 0:
                mine, theirs = sorted(mine, key=str), sorted(theirs, key=str)
            assert mine == theirs
            self.compared[seat] += len(mine)
