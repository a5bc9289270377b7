"""Print how many results a second one process stores, rates and follows up, with a report instead of a match.

`throughput` runs it in an arena's environment, whose ladder it finds with matches waiting.
"""

import sys
from time import perf_counter, process_time

import django

django.setup()

from arena.contests.ladders.models import Ladder  # noqa: E402
from arena.matches.play import Play, play_attempt  # noqa: E402
from arena.matches.runner_process import runner_process  # noqa: E402
from arena.matches.services import claim_next  # noqa: E402
from arena.operations import tasks  # noqa: E402 - needs Django
from arena.runner.match import (  # noqa: E402
    Heartbeat,
    MatchReport,
    MatchSpec,
)


def main(seconds: float) -> None:
    reports: list[MatchReport] = []

    def play(spec: MatchSpec, beat: Heartbeat) -> MatchReport:
        if not reports:
            reports.append(runner_process.play(spec, beat))
            runner_process.close()
        return reports[0]

    tasks.pair_all_ladders()
    follow_one(play)
    done = 0
    began, cpu_began = perf_counter(), process_time()
    while perf_counter() - began < seconds:
        follow_one(play)
        done += 1
    took, cpu = perf_counter() - began, process_time() - cpu_began
    print(f"stub matches        {done / took:6.2f} matches/s, {cpu / done * 1000:.0f} ms of this process's CPU each")


def follow_one(play: Play) -> None:
    """Do what `play_next` does for a match."""
    attempt = claim_next(worker="stub")
    assert attempt is not None and play_attempt(attempt=attempt, play=play)
    tasks.settle_match(attempt.match_id)
    tasks.pair_ladders(Ladder.objects.playable().filter(ladder_matches__match=attempt.match_id), only_low=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
