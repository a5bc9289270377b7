"""The whole arena with one command: web, worker and scheduler, and all set-up before.

This process is the scheduler: it lives as long as the others do, and a process of its own takes 70 MiB.
"""

import os
import sys
from contextlib import closing
from functools import partial
from time import monotonic

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.core.handover import Channel, open_channel
from arena.matches.models import Attempt, Match
from arena.matches.remote.models import RemoteSeat
from arena.operations.management.chores import LadderProgress, PeriodicTasks, resume_unfinished_work
from arena.operations.management.prepare import (
    ADMIN_USERNAME,
    bracket,
    check_port,
    choose_browser_host,
    create_demo_tournaments,
    is_answering,
    lock_data_folder,
    prepare_installation,
)
from arena.operations.management.supervisor import (
    KeepsFailingError,
    StopSignals,
    Supervisor,
    build_processes,
    share_loaded_modules,
    wait_for_orphans,
)
from arena.runner.compiled_engine import describe_engine
from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.detection import find_sandbox
from arena.runner.sandbox.own_process import adopt_orphans

WATCH_INTERVAL_S = 0.5
PROCESS_ENVIRONMENT = {"CELERY_SKIP_CHECKS": "1"}
"""Django's checks would load every page into the worker, some 14 MiB a process."""
STARTUP_MESSAGE = """
Pennant is at {url}
  {url}ladders/      ladders with running matches
  {url}matches/      all matches, with replays
  {url}tournaments/  a short tournament and a longer one
  {url}start/        how to write a bot and upload it
  {url}queue/        running and queued matches, and workers
  {url}admin/        tools for staff
All data is in {data}. Ctrl-C stops the arena; the next start continues with the same data.
"""


STOPPED_EARLY = "Stopped before the database was ready. To continue, run `up` again."


class Command(BaseCommand):
    """Start the web and the worker, and be their scheduler."""

    help = "Run the arena: web, worker and scheduler. Ctrl-C stops it; the next start continues with the same data."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1", help="Address to listen on. Add it to ALLOWED_HOSTS too.")
        parser.add_argument(
            "--matches",
            type=int,
            metavar="N",
            help="Play N ladder matches as fast as possible, then continue as usual.",
        )
        parser.add_argument("--exit", action="store_true", help="Exit once these N matches are rated.")

    def handle(self, *, host: str, port: int, matches: int | None, exit: bool, **_: object) -> None:
        """Start everything, and wait until it ends or is interrupted."""
        if exit and not matches:
            raise CommandError("--exit needs --matches N")
        stop_signals = StopSignals()
        with closing(lock_data_folder(settings.DATA_DIR / "up.lock")):
            check_port(host, port)
            with stop_signals.raised_as(CommandError(STOPPED_EARLY)):
                password = prepare_installation(partial(print, flush=True))
            progress = LadderProgress(sys.stdout, matches)
            if password is not None:
                progress.say(f"Admin account: {ADMIN_USERNAME}, password {password} (shown only now)")
            self._check_sandbox(progress, needed=exit)
            progress.say(describe_engine())
            if settings.SHOWN_TOURNAMENTS and not exit:
                create_demo_tournaments()
            resume_unfinished_work()
            _set_pace(progress, exit)
            processes = build_processes(
                address=f"{bracket(host)}:{port}",
                logs=settings.DATA_DIR / "logs",
                has_live_worker=settings.LIVE_WORKER and not exit,
                channel=_open_channel(),
            )
            supervisor = Supervisor(processes, os.environ | PROCESS_ENVIRONMENT, progress.say)
            try:
                progress.say("Starting the web and the workers.")
                share_loaded_modules()
                supervisor.start()
                self._watch(supervisor, progress, stop_signals, (host, port), exit)
            except KeepsFailingError as failure:
                raise CommandError(str(failure)) from None
            finally:
                self._stop(supervisor, progress)

    def _check_sandbox(self, progress: LadderProgress, *, needed: bool) -> None:
        try:
            find_sandbox({"python"})
        except NoSandboxError as missing:
            if needed:
                raise CommandError(f"This machine can't play matches. {missing}") from None
            progress.say(f"NO MATCHES CAN BE PLAYED YET, so they wait in the queue. {missing}")

    def _watch(
        self,
        supervisor: Supervisor,
        progress: LadderProgress,
        stop_signals: StopSignals,
        address: tuple[str, int],
        exit: bool,
    ) -> None:
        greeted, periodic_tasks = False, PeriodicTasks()
        while not stop_signals.wait(WATCH_INTERVAL_S):
            supervisor.watch()
            periodic_tasks.send_due()
            if not greeted and is_answering(*address):
                greeted = True
                url = f"http://{choose_browser_host(address[0])}:{address[1]}/"
                progress.say(STARTUP_MESSAGE.format(url=url, data=settings.DATA_DIR))
            if (greeted or exit) and progress.show() and exit:
                return
            if exit and progress.is_stuck:
                raise CommandError(f"No match has been rated for a long time. See the logs in {settings.DATA_DIR}.")
        if exit:
            raise CommandError("Stopped before all matches were played. The next start continues.")

    def _stop(self, supervisor: Supervisor, progress: LadderProgress) -> None:
        progress.say("Stopping.")
        began = monotonic()
        adopt_orphans()
        supervisor.stop(is_busy=_is_match_unfinished)
        wait_for_orphans()
        progress.say(f"Stopped after {monotonic() - began:.1f} s.")


def _open_channel() -> Channel:
    """Open the channel to the server of remote bots, which is started at once where legs of them are unfinished."""
    channel = open_channel()
    if RemoteSeat.objects.filter(has_end=False).exists():
        channel.ask_for_server()
    return channel


def _is_match_unfinished() -> bool:
    """Return whether a match is being played, or its result is not on the ladder yet."""
    return Attempt.objects.open().exists() or Match.objects.unsettled().exists()


def _set_pace(progress: LadderProgress, exits_at_target: bool) -> None:
    """Have just the matches that are asked for played, at once. Workers have the settings of this process."""
    if progress.target is None:
        return
    settings.LADDER_RUSH_UNTIL = progress.before + progress.target
    if exits_at_target:
        settings.LADDER_NEWCOMER_MATCHES = settings.LADDER_MATCHES_PER_HOUR = 0
