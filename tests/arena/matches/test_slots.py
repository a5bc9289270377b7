"""What a worker process does at the same time, and the least share of its time for each priority."""

from contextlib import ExitStack
from random import Random
from time import monotonic

import pytest

from arena.bots.models import BotVersion
from arena.matches import slots as module
from arena.matches.models import Match
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import claim_next, queue_match
from arena.matches.slots import (
    IDLE_RUNNER_S,
    LEAST_SHARE,
    MAX_CHARGED_S,
    MAX_KEPT_BOTS,
    NEVER_OWED,
    Slot,
    Slots,
    SlotShares,
    schedule_next_match,
    virtual_time,
)


@pytest.fixture
def slots() -> Slots:
    """Three slots of which two may have long work, whose runner processes are not started."""
    return Slots([Slot(RunnerProcess()) for _ in range(3)], long=2)


def test_each_slot_is_taken_once_and_given_back(slots: Slots) -> None:
    with ExitStack() as stack:
        taken = [stack.enter_context(slots.take()) for _ in range(4)]
    assert None not in taken[:3] and len({id(slot) for slot in taken[:3]}) == 3 and taken[3] is None
    with slots.take() as again:
        assert again is not None


def test_long_work_leaves_a_slot_for_short_work(slots: Slots) -> None:
    with slots.take(is_long=True) as first, slots.take(is_long=True) as second:
        assert first is not None and second is not None
        with slots.take(is_long=True) as third:
            assert third is None
        with slots.take() as short:
            assert short is not None
    with slots.take(is_long=True) as after:
        assert after is not None


def test_a_turn_goes_where_its_process_is(slots: Slots) -> None:
    slots.slots[1].kept["7/0"] = monotonic()
    with slots.take(table="7/0") as slot:
        assert slot is slots.slots[1]
        with slots.take(table="7/0") as other:
            assert other is not slot, "it is busy, and a fresh process is started elsewhere"
    with slots.take(table="8/0") as slot:
        assert slot is not slots.slots[1], "a slot that keeps no process comes first"


def test_of_too_many_kept_processes_the_oldest_end(slots: Slots) -> None:
    for number in range(MAX_KEPT_BOTS + 2):
        slots.slots[number % 3].kept[f"{number}/0"] = monotonic() + number
    assert slots.list_surplus_tables() == ["0/0", "1/0"]


def test_kept_processes_take_a_quarter_of_the_memory_at_most(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_memory_limit", lambda: 2 * 1024 * module.MIB)
    for number in range(4):
        slots.slots[0].kept[f"{number}/0"] = monotonic() + number
    assert slots.list_surplus_tables() == ["0/0", "1/0"]


def test_a_runner_process_that_nobody_needs_is_ended() -> None:
    runner = RunnerProcess()
    slots = Slots([Slot(runner)], long=1)
    runner.start()
    try:
        slots.end_idle_runners()
        assert runner.is_alive
        slots.slots[0].used_at -= IDLE_RUNNER_S + 1
        with slots.take():
            slots.end_idle_runners()
        assert runner.is_alive, "it was taken"
        slots.slots[0].used_at -= IDLE_RUNNER_S + 1
        slots.end_idle_runners()
        assert not runner.is_alive
    finally:
        runner.kill()


@pytest.mark.parametrize("seed", range(5))
def test_every_priority_gets_a_twentieth_of_the_time_under_a_load_that_never_ends(seed: int) -> None:
    rng, shares = Random(seed), SlotShares()
    durations = {10: 1.0, 5: 20.0, 3: 4.0, 0: 8.0, -1: 0.5, -5: 1.0}
    played = dict.fromkeys(durations, 0.0)
    for _ in range(20_000):
        owed = shares.choose_owed({priority: shares._used_s.get(priority, 0.0) for priority in durations})
        priority = owed[0] if owed else max(durations)
        seconds = rng.uniform(0.5, 1.5) * durations[priority]
        played[priority] += seconds
        shares.record(priority, seconds)
    total = sum(played.values())
    for priority, seconds in played.items():
        assert (seconds == 0) if priority in NEVER_OWED else (seconds / total > 0.9 * LEAST_SHARE), priority
    assert played[10] / total > 0.7


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
