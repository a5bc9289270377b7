"""Two tournaments while their worker is killed again and again, beside the same two that nobody disturbs."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from random import Random
from time import monotonic, sleep

import pytest

from arena.cli.campaign import Workers, play_due
from arena.contests.tournaments.document import Course, ScheduledMatch
from arena.contests.tournaments.formats import find_format
from arena.contests.tournaments.formats.base import Entrant
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import MatchResult, rank
from arena.operations.management.supervisor import ManagedProcess
from arena.runner.match import MatchSpec
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_unsandboxed
from engine.registry import find_game
from engine.season import Season
from tests.story.installation import SCHEDULER_COMMAND, WORKER_COMMAND, Installation
from tests.story.two_tournaments import EDITION, GAME, ROUNDS, SIZES, source

KILLS = 5
PATIENCE_S = 900.0
OVER = (
    "select count(*) from matches_match m join tournaments_pairingmatch p on p.match_id = m.id where state = 'finished'"
)
NO_LADDERS = {"PENNANT_LADDER_NEWCOMER_MATCHES": "0", "PENNANT_LADDER_MATCHES_PER_HOUR": "0"}


def play_undisturbed(format: str, secret: str, lots: str, sandbox: Sandbox) -> list[dict]:
    """The standings, of matches played in this process and its children, without a site."""
    settings = Settings(format=format, rounds=ROUNDS if format == "swiss" else None, seed=lots)
    course = Course(find_format(format), [Entrant(number) for number in range(1, SIZES[format] + 1)], settings)
    game, season = find_game(GAME), Season(secret, GAME, EDITION, 1)
    options = game.options(EDITION)

    def spec(scheduled: ScheduledMatch) -> MatchSpec:
        programs = [
            Program(f"Fixed {one}", 1, {"bot.py": source(one)}) for one in course.find_pairing(scheduled).entrants
        ]
        deal, salts = season.deal(game, options, 2, scheduled.deal_number), season.salts(2, scheduled.deal_number)
        return MatchSpec(GAME, EDITION, options, deal, tuple(salts), Limits(), tuple(programs))

    with Workers(sandbox, SIZES[format]) as workers:
        for scheduled, match in play_due(course.list_due, spec, workers):
            course.add_result(scheduled, MatchResult(match.points, match.scores))
    return [asdict(standing) for standing in rank(course.format, course.entrants, course.rounds, settings)]


@contextmanager
def running(arena: Installation) -> Iterator[ManagedProcess]:
    """A worker and a scheduler, both gone in the end. The worker."""
    logs = arena.data / "logs"
    worker = ManagedProcess("worker", WORKER_COMMAND, logs / "worker.log")
    scheduler = ManagedProcess("scheduler", SCHEDULER_COMMAND, logs / "scheduler.log")
    worker.log.parent.mkdir(exist_ok=True)
    try:
        for child in (worker, scheduler):
            child.start(arena.env)
        yield worker
    finally:
        for child in (worker, scheduler):
            child.process.kill()
            child.process.wait()


def kill_at_random(arena: Installation, worker: ManagedProcess, at: list[int]) -> int:
    """Kill the worker when so many matches are over, until both tournaments are, and start it again each time. Once
    all messages are lost, too. How many matches were lost in the middle."""
    deadline = monotonic() + PATIENCE_S
    while arena.query("select count(*) from tournaments_tournament where state = 'running'") != [(0,)]:
        assert monotonic() < deadline, worker.said()
        if at and arena.query(OVER)[0][0] >= at[0]:
            at.pop(0)
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
            if len(at) == 2:
                for message in (arena.data / "broker").glob("*.msg"):
                    message.unlink(missing_ok=True)
            worker.start(arena.env)
        sleep(0.1)
    return arena.query("select count(*) from matches_attempt where ending = 'lost'")[0][0]


@pytest.mark.full
def test_a_killed_worker_changes_no_standing(embedded: Installation) -> None:
    embedded.more = NO_LADDERS
    embedded.manage("prepare")
    secrets = json.loads(embedded.run("tests.story.two_tournaments", "begin"))
    at = sorted(Random(str(secrets)).sample(range(3, 90), KILLS))
    with running(embedded) as worker:
        lost = kill_at_random(embedded, worker, at)
    assert at == []
    assert embedded.query("select distinct state from tournaments_tournament") == [("finished",)]
    print(f"{lost} matches were lost in the middle and played again")
    found = json.loads(embedded.run("tests.story.two_tournaments", "standings"))
    assert embedded.query("select count(*) from matches_match where state = 'void'") == [(0,)]
    for format in SIZES:
        alone = play_undisturbed(format, *secrets[format], find_unsandboxed({"python"}))
        assert found[format] == json.loads(json.dumps(alone))
