"""What is promised of a whole arena holds when it is killed, frozen and starved at random."""

from random import Random

import pytest

from tests.chaos.__main__ import print_report
from tests.chaos.events import EVENTS
from tests.chaos.run import choose_event, run_chaos
from tests.servers import NoServer

SECONDS = 300.0
SEED = 7


def test_the_seed_decides_which_events_happen() -> None:
    one, other = (
        [choose_event(list(EVENTS), random).kind for _ in range(200)] for random in (Random(SEED), Random(SEED))
    )
    assert one == other
    assert set(one) == {event.kind for event in EVENTS}


@pytest.mark.full
@pytest.mark.servers
def test_five_minutes_of_chaos_break_no_promise(sandbox: None) -> None:
    try:
        report = run_chaos(seconds=SECONDS, seed=SEED, say=True)
    except NoServer as missing:
        pytest.skip(str(missing))
    print_report(report)
    assert report.is_fine, report.problems
    assert report.figures["matches rated"]
    assert report.figures["uploads acknowledged"]
