from arena.bots.models import BotVersion
from arena.matches.fair_share import MAX_CHARGED_S, schedule_next_match, virtual_time
from arena.matches.models import Match
from arena.matches.services import claim_next, queue_match


class Flow:
    """Queues matches of one length, and is charged for them by its weight."""

    def __init__(self, version: BotVersion, seconds: float, priority: int = 0, weight: float = 1.0) -> None:
        self.version, self.seconds, self.priority, self.weight, self.next = version, seconds, priority, weight, 0.0

    def queue(self) -> Match:
        start, self.next = schedule_next_match(
            priority=self.priority, after=self.next, seconds=self.seconds / self.weight
        )
        return queue_match(
            versions=[self.version] * 2,
            game="battleline",
            edition="standard",
            priority=self.priority,
            virtual_start=start,
        )


def finish(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED)


def share(one: Flow, other: Flow, matches: int) -> tuple[float, float]:
    """How long each is played where both always have something waiting."""
    whose = {flow.queue().pk: flow for flow in [one] * 10 + [other] * 2}
    played = {one: 0.0, other: 0.0}
    for _ in range(matches):
        match = claim_next(worker="w").match
        flow = whose[match.pk]
        played[flow] += flow.seconds
        finish(match)
        whose[flow.queue().pk] = flow
    return played[one], played[other]


def test_where_nothing_was_played_everybody_begins_at_the_start(db):
    assert virtual_time(0) == 0.0
    assert schedule_next_match(priority=0, after=3.0, seconds=5.0) == (3.0, 8.0)


def test_a_flow_that_joins_does_so_where_the_others_are(version):
    long = Flow(version, 5.0)
    for _ in range(5):
        long.queue()
    assert virtual_time(0) == 0.0
    for start in (0.0, 5.0, 10.0):
        match = claim_next(worker="w").match
        assert virtual_time(0) == match.virtual_start == start
        finish(match)
    assert virtual_time(0) == 15.0
    assert Flow(version, 1.0).queue().virtual_start == 15.0


def test_after_a_pause_nobody_is_held_to_be_behind(version):
    busy = Flow(version, 50.0)
    for _ in range(4):
        busy.queue()
        finish(claim_next(worker="w").match)
    rested = Flow(version, 1.0)
    assert rested.queue().virtual_start == 150.0 and busy.queue().virtual_start == 200.0


def test_each_priority_has_its_own_time(version):
    ladder = Flow(version, 5.0)
    for _ in range(3):
        ladder.queue()
    finish(claim_next(worker="w").match)
    assert virtual_time(0) == 5.0 and virtual_time(-10) == 0.0


def test_two_flows_get_the_same_time_whatever_their_matches_take(version):
    slow, fast = share(Flow(version, 12.0), Flow(version, 3.0), 20)
    assert abs(slow - fast) <= 12.0


def test_a_flow_of_a_quarters_weight_gets_a_quarter_and_is_not_starved(version):
    full, quarter = share(Flow(version, 4.0), Flow(version, 4.0, weight=0.25), 40)
    assert quarter > 0 and abs(full - 4 * quarter) <= 20.0


def test_matches_that_seemed_endless_make_nobody_wait_for_minutes(version):
    slow, quick = Flow(version, 600.0), Flow(version, 5.0)
    finish(slow.queue())
    assert slow.queue().virtual_start <= MAX_CHARGED_S
    assert quick.queue().virtual_start <= slow.next <= 2 * MAX_CHARGED_S
