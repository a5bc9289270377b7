"""Run bots with Landlock, on machines without namespaces: a bot shares the file system but can't open most files.

It can read the folders that its program needs and open nothing else. A filter of system calls refuses processes,
sockets, signals and writing, and resource limits apply. An arena that runs as root also gives each bot a user of its
own. A bot can still tell whether a path exists.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from arena.runner.languages.base import BOT, KIT, Run, Toolchain
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import NoSandboxError, SandboxError
from arena.runner.sandbox.exec_bot import READY, Job
from arena.runner.sandbox.landlock import READ_RIGHTS, RUN_RIGHTS, find_restrictions, kernel_abi
from arena.runner.sandbox.mounts import (
    ENVIRONMENT,
    SYSTEM_FOLDERS,
    build_run_command,
    check_language,
    map_trees,
    translate_paths,
)
from arena.runner.sandbox.process import ChildProcess
from arena.runner.sandbox.resident_memory import ResidentMemory
from arena.runner.sandbox.rlimits import (
    MAX_THREADS,
    cap_limit,
    compute_limits,
    compute_resident_limit,
    count_threads_of_user,
)
from arena.runner.sandbox.seccomp import build_filter
from arena.runner.sandbox.slots import Slot, Slots
from arena.runner.sandbox.warm_pool import LANGUAGE, is_suitable
from engine.message import gettext_noop, message

LAUNCHER_CODE = """\
import sys
sys.path.append({folder!r})
from exec_bot import main
script, names = main({job}, {report})
try:
    with open(script, "rb") as file:
        source = file.read()
    exec(compile(source, script, "exec", dont_inherit=True), names)
except BaseException as error:
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
    raise
"""
"""Code of a launcher. The imported module is compiled once, and the first entry of a traceback is not the bot's."""
OWN_PYTHON = (os.path.realpath(sys.executable), "-I", "-S")
MISSING_OPENSSL_CONFIG = "no-openssl.cnf"
"""OpenSSL ignores a configuration file that doesn't exist, but fails on one that it can't read, like the machine's."""


class LandlockProcess(ChildProcess):
    """A launcher that waits for its job and then becomes a bot."""

    def __init__(self, python: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the launcher with this command of an interpreter and this environment."""
        self.python = tuple(python)
        self._slot: Slot | None = None
        self._report_text = b""
        with ExitStack() as handed, ExitStack() as kept:
            source, self._job_fd = os.pipe()
            handed.callback(os.close, source)
            kept.callback(os.close, self._job_fd)
            self._report_fd, reporting = os.pipe()
            handed.callback(os.close, reporting)
            kept.callback(os.close, self._report_fd)
            os.set_blocking(self._report_fd, False)
            words = LAUNCHER_CODE.format(folder=os.path.dirname(__file__), job=source, report=reporting)
            super().__init__([*python, "-c", words], environment, (source, reporting))
            kept.pop_all()

    @property
    def launcher_pid(self) -> int:
        """The process id of the launcher, which is also that of the bot."""
        return self._child.pid

    @property
    def is_waiting(self) -> bool:
        """Return whether the launcher is alive and has no job yet."""
        return self._job_fd >= 0 and self._child.poll() is None

    def launch(self, job: Job, slot: Slot, memory_bytes: int) -> None:
        """Send the job of a bot that may hold so much memory. The slot is released when the bot has ended."""
        self._slot = slot
        self._memory = ResidentMemory(memory_bytes)
        with contextlib.suppress(BrokenPipeError):  # why a launcher has ended is reported when it is asked
            os.write(self._job_fd, job.dumps())
        self._close_job()

    def _find_bot(self) -> int | None:
        """Return the id of the launcher, which becomes the bot."""
        return self._child.pid

    def _exit_code(self) -> int:
        with contextlib.suppress(BlockingIOError):
            self._report_text += os.read(self._report_fd, 4096)
        if self._report_text != READY:
            words = self._report_text.removeprefix(READY) + b" " + self._pipes.log
            raise SandboxError(f"the launcher did not get as far as the bot: {words.decode(errors='replace').strip()}")
        return self._child.returncode

    def _kill(self) -> None:
        """Kill the process; it can't have children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)

    def _release(self) -> None:
        super()._release()
        self._close_job()
        os.close(self._report_fd)
        if self._slot is not None and self._child.returncode is not None:
            self._free(self._slot)  # else the slot stays taken until this arena ends

    def _free(self, slot: Slot) -> None:
        try:
            slot.release()
        except OSError as error:
            raise SandboxError(f"the files of a bot can't be removed: {error}") from error

    def _close_job(self) -> None:
        if self._job_fd >= 0:
            os.close(self._job_fd)
            self._job_fd = -1


@dataclass(slots=True)
class LandlockSandbox:
    """A sandbox of Landlock, level C for root and D for others."""

    library: str
    """The folder bots see as /kit. The slots' folders lie beside its parent."""
    languages: Mapping[str, Toolchain]
    abi: int = field(default_factory=kernel_abi)
    """Version of Landlock's interface. Set to less than the kernel's, it restricts only what an older kernel could."""
    name: str = "landlock"
    level: str = field(init=False, default_factory=lambda: "D" if os.geteuid() else "C")
    uses_warm_pool: bool = True
    """Whether the self-test found launchers of the warm pool as secure as others."""
    _slots: Slots = field(init=False)
    _warm_pool: list[LandlockProcess] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        if self.abi < 1:
            template = gettext_noop("The kernel has no Landlock: it needs Linux 5.13 or later, and `lsm=landlock,…`.")
            raise NoSandboxError(message(template))
        build_filter("play", os.uname().machine)
        self._slots = Slots(Path(self.library).parents[1])

    def start(self, program: Program, limits: Limits) -> LandlockProcess:
        """Start a bot. Raises SandboxError."""
        check_language(self.languages, program.language)
        run = self.languages[program.language].run
        try:
            process = self._take_launcher(self._python_command(run) if is_suitable(program) else OWN_PYTHON, run)
            try:
                slot = self._prepare_slot(program)
                job = self._build_job(run, limits, slot, process.launcher_pid)
                job.script = "" if process.python == OWN_PYTHON else job.argv[-1]
                process.launch(job, slot, compute_resident_limit(limits, run))
            except BaseException:
                process.close()
                raise
        except OSError as error:
            raise SandboxError(f"a bot could not be started: {error}") from error
        return process

    def build(self, program: Program) -> tuple[Program, str]:
        """Refuse what must be built: Landlock can't limit a compiler's processes and files."""
        check_language(self.languages, program.language)
        if self.languages[program.language].build is None:
            return program, ""
        raise SandboxError(f"programs in {program.language} can't be built in a sandbox of Landlock")

    def fill_warm_pool(self, language: str, limits: Limits, count: int) -> None:
        """Start launchers, which do their imports and wait."""
        check_language(self.languages, language)
        run = self.languages[language].run
        python = self._python_command(run) if language == LANGUAGE else OWN_PYTHON
        self._remove_dead()
        try:
            while self.uses_warm_pool and sum(process.python == python for process in self._warm_pool) < count:
                self._warm_pool.append(self._start_launcher(python, run))
        except OSError as error:
            raise SandboxError(f"a launcher of the warm pool could not be started: {error}") from error

    def close(self) -> None:
        """End the launchers that wait."""
        while self._warm_pool:
            self._warm_pool.pop().close()

    def _remove_dead(self) -> None:
        """Remove the launchers that died while they waited."""
        for process in [process for process in self._warm_pool if not process.is_waiting]:
            self._warm_pool.remove(process)
            process.close()

    def _take_launcher(self, python: Sequence[str], run: Run) -> LandlockProcess:
        self._remove_dead()
        for process in self._warm_pool:
            if process.python == python:
                self._warm_pool.remove(process)
                return process
        return self._start_launcher(python, run)

    def _start_launcher(self, python: Sequence[str], run: Run) -> LandlockProcess:
        return LandlockProcess(
            python, {} if python == OWN_PYTHON else self._build_environment(run, self._map_paths(run))
        )

    def _python_command(self, run: Run) -> tuple[str, ...]:
        """Return the interpreter of a program in Python, and its options."""
        return tuple(translate_paths(word, self._map_paths(run)) for word in run.argv[:-1])

    def _map_paths(self, run: Run) -> dict[str, str]:
        """Return paths on this machine by the paths that a bot of level A would see."""
        return {KIT: self.library, **map_trees(run.trees)}

    def _build_environment(self, run: Run, places: Mapping[str, str]) -> dict[str, str]:
        environment = {**ENVIRONMENT, "OPENSSL_CONF": f"{KIT}/{MISSING_OPENSSL_CONFIG}", **run.environment}
        return {key: translate_paths(value, places) for key, value in environment.items()}

    def _prepare_slot(self, program: Program) -> Slot:
        slot = self._slots.take()
        try:
            slot.write_files(program.files)
        except BaseException:
            slot.release()
            raise
        return slot

    def _build_job(self, run: Run, limits: Limits, slot: Slot, process: int) -> Job:
        """Build the job for the launcher with this process id."""
        places = {BOT: str(slot.folder), **self._map_paths(run)}
        folders = {os.path.realpath(folder) for folder in SYSTEM_FOLDERS if os.path.isdir(folder)}
        folders.update(places[inside] for inside in places if inside != KIT)
        job = Job()
        job.limits = compute_limits(limits, run)
        if self.level == "D":
            job.limits["nproc"] = cap_limit("nproc", MAX_THREADS + count_threads_of_user(os.getuid()))
        job.parent = os.getpid()
        job.user = slot.user_id if self.level == "C" else None
        job.folder = str(slot.folder)
        job.ruleset = find_restrictions(self.abi).attribute
        job.rules = [(self.library, READ_RIGHTS), *((folder, RUN_RIGHTS) for folder in sorted(folders))]
        job.filter = build_filter("play", os.uname().machine, process)
        job.argv = [translate_paths(word, places) for word in build_run_command(run, limits)]
        job.environment = self._build_environment(run, places)
        return job
