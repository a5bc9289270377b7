from arena.bots.models import BotVersion
from arena.matches.models import Match
from arena.matches.services import claim_next, queue_match
from arena.matches.turns import take_turn, virtual_time


class Flow:
    """Queues matches of one length."""

    def __init__(self, version: BotVersion, name: str, seconds: float, priority: int = 0) -> None:
        self.version, self.name, self.seconds, self.priority, self.next = version, name, seconds, priority, 0.0

    def queue(self, latest: float = 0.0) -> Match:
        turn, self.next = take_turn(
            priority=self.priority, after=self.next, latest=max(latest, self.next), seconds=self.seconds
        )
        return queue_match(
            versions=[self.version] * 2, game="battleline", edition="standard", priority=self.priority, turn=turn
        )


def finish(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED)


def test_where_nothing_waits_all_are_even(db):
    assert virtual_time(0, 12.0) == 12.0
    assert take_turn(priority=0, after=3.0, latest=12.0, seconds=5.0) == (12.0, 17.0)


def test_a_flow_that_joins_does_so_where_the_others_are(version):
    long = Flow(version, "long", 5.0)
    for _ in range(5):
        long.queue()
    assert virtual_time(0, long.next) == 0.0
    for _ in range(3):
        match = claim_next(worker="w").match
        assert virtual_time(0, long.next) == match.turn
        finish(match)
    assert virtual_time(0, long.next) == 15.0
    assert Flow(version, "short", 1.0).queue(long.next).turn == 15.0


def test_each_priority_has_its_own_time(version):
    for _ in range(3):
        match = Flow(version, "ladder", 5.0).queue(100.0)
    assert match.turn == 100.0
    assert virtual_time(-10, 7.0) == 7.0


def test_two_flows_get_the_same_time_whatever_their_matches_take(version):
    slow, fast = Flow(version, "slow", 12.0), Flow(version, "fast", 3.0)
    whose = {flow.queue(max(slow.next, fast.next)).pk: flow for flow in [slow] * 10 + [fast] * 2}
    played = {slow: 0.0, fast: 0.0}
    for _ in range(20):
        match = claim_next(worker="w").match
        flow = whose[match.pk]
        played[flow] += flow.seconds
        finish(match)
        whose[flow.queue(max(slow.next, fast.next)).pk] = flow
    assert abs(played[slow] - played[fast]) <= 12.0
