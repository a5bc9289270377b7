"""Hostile clients of the remote-bot server get what they should, and disturb nobody."""

from pathlib import Path

import pytest

from tests.full import default_and_full
from tests.hostile.clients import carry_all_out, print_findings

MAX_MEDIAN_MS = 150.0
"""Of a calm bot's latency while the server is attacked, on a busy machine."""


@pytest.mark.parametrize("is_full", default_and_full([False], [True]))
def test_hostile_clients_are_refused_and_disturb_nobody(empty_database: Path, is_full: bool) -> None:
    findings = carry_all_out(empty_database, is_full=is_full)
    print_findings(findings)
    assert [f"{one.attack.name}: {one.came}" for one in findings.outcomes if not one.is_right] == []
    assert findings.problems == []
    assert findings.figures["calm bots, median ms during"] < MAX_MEDIAN_MS
