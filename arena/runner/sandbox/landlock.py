"""Run bots with Landlock, on machines without namespaces: a bot shares the file system but can't open most files."""

import contextlib
import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import stat
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from arena.runner.bot_packages import choose_run
from arena.runner.languages import BOT, KIT, Run, Toolchain
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import (
    ENVIRONMENT,
    SYSTEM_FOLDERS,
    NoSandboxError,
    SandboxError,
    build_run_command,
    check_language,
    check_packages,
    map_trees,
    translate_paths,
)
from arena.runner.sandbox.bwrap import LANGUAGE, is_suitable
from arena.runner.sandbox.exec_bot import READY, Job
from arena.runner.sandbox.files import (
    MAX_TASKS_OF_USER,
    MAX_THREADS,
    BotGroup,
    ResidentMemory,
    cap_limit,
    compute_limits,
    compute_resident_limit,
    count_threads_of_user,
    move_to_own_group,
)
from arena.runner.sandbox.process import ChildProcess
from arena.runner.sandbox.seccomp import build_filter, choose_purpose
from engine.message import gettext_noop, message

# Define what Landlock can restrict, by the ABI version of the kernel: 1 since Linux 5.13.
#
# The numbers are those of include/uapi/linux/landlock.h.

CREATE_RULESET = 444
"""System call, the same number on every architecture."""
VERSION_FLAG = 1

EXECUTE = 1 << 0
READ_FILE = 1 << 2
READ_DIR = 1 << 3
RUN_RIGHTS = EXECUTE | READ_FILE | READ_DIR
READ_RIGHTS = READ_FILE | READ_DIR
FILE_RIGHT_COUNTS = ((1, 13), (2, 14), (3, 15), (5, 16))
"""Number of known file rights from each ABI on, as lowest bits. Added were moving between folders (2), truncating (3)
and control of devices (5)."""
NETWORK_SINCE, NETWORK_RIGHTS = 4, 0b11
"""Binding and connecting of TCP sockets."""
SCOPES_SINCE, SCOPES = 6, 0b11
"""Abstract Unix sockets and signals to processes outside."""
NEWEST_KNOWN_ABI = 7
"""Later versions are used like this one."""


def kernel_abi() -> int:
    """Return the ABI version of Landlock in the running kernel; 0 if there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))))


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What a ruleset restricts, as bit sets: the fields of struct landlock_ruleset_attr."""

    files: int
    network: int
    scopes: int

    @property
    def attribute(self) -> bytes:
        """The struct up to its last field in use: older kernels refuse fields they don't know."""
        words = (self.files, self.network, self.scopes)
        used = max(index for index, word in enumerate(words) if word) + 1
        return b"".join(word.to_bytes(8, sys.byteorder) for word in words[:used])


def find_restrictions(abi: int) -> Restrictions:
    """Return everything that a kernel of this ABI can restrict."""
    if abi < 1:
        raise ValueError("there is no Landlock before ABI 1")
    rights = max(count for since, count in FILE_RIGHT_COUNTS if since <= abi)
    return Restrictions(
        (1 << rights) - 1,
        NETWORK_RIGHTS if abi >= NETWORK_SINCE else 0,
        SCOPES if abi >= SCOPES_SINCE else 0,
    )


# Reserve a slot for each bot of the Landlock sandbox: a number, the user with that number, and a folder.
#
# The arena owns the folder and no bot can write to it, so filling and removing it from outside is safe. A slot is held
# by a file lock, which the kernel releases when its process ends, even when it is killed. Files that a killed process
# left behind are removed by the next process that takes the slot.

FIRST_SLOT_USER_ID = 60100
"""User id of the first slot. No file of the machine should belong to this or the following MAX_SLOTS ids."""
MAX_SLOTS = 256


@dataclass(frozen=True, slots=True)
class Slot:
    """A number, its user and its folder, held by one bot."""

    number: int
    folder: Path
    """Folder for the bot's files, which only the slot's user and the current one may enter."""
    lock: int

    @property
    def user_id(self) -> int:
        """Return the user and group id of the bot, where the arena runs as root."""
        return FIRST_SLOT_USER_ID + self.number

    def write_files(self, files: Mapping[str, bytes]) -> None:
        """Write the bot's files. Raises OSError."""
        self.folder.mkdir(mode=0o700)
        for path, content in files.items():
            copy = self.folder / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            with copy.open("xb") as out:
                out.write(content)
                os.fchmod(out.fileno(), 0o555)
        for folder, _, _ in os.walk(self.folder):
            os.chmod(folder, 0o755)
        if os.geteuid() == 0:
            os.chown(self.folder, -1, self.user_id)
            self.folder.chmod(0o750)
        else:
            self.folder.chmod(0o700)

    def clear(self) -> None:
        """Remove the bot's files. Raises OSError."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def release(self) -> None:
        """Clear and unlock the slot, once its bot has ended. Raises OSError."""
        try:
            self.clear()
        finally:
            os.close(self.lock)


class Slots:
    """All slots that the current user's arenas share on this machine."""

    def __init__(self, parent: Path) -> None:
        self._folder = parent / f"pennant-slots-{os.geteuid()}"
        self._next = secrets.randbelow(MAX_SLOTS)

    def take(self) -> Slot:
        """Return the free slot that this process has not used for the longest time.

        Raises SandboxError and OSError.
        """
        self._create_folder()
        for offset in range(MAX_SLOTS):
            number = (self._next + offset) % MAX_SLOTS
            lock = self._lock(number)
            if lock is not None:
                self._next = number + 1
                slot = Slot(number, self._folder / str(number), lock)
                slot.clear()
                return slot
        raise SandboxError(f"all {MAX_SLOTS} slots for bots on this machine are taken")

    def _create_folder(self) -> None:
        """Create the folder of all slots, writable by the current user and searchable by everybody."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        found = self._folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise SandboxError(f"{self._folder} belongs to somebody else")
        self._folder.chmod(0o711)

    def _lock(self, number: int) -> int | None:
        fd = os.open(self._folder / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        return fd


# A bot can read the folders that its program needs and open nothing else. A filter of system calls refuses processes,
# sockets, signals and writing, and resource limits apply. An arena that runs as root also gives each bot a user of its
# own. A bot can still tell whether a path exists.

LAUNCHER_CODE = """\
import sys
sys.path.append({folder!r})
from exec_bot import main
main({job}, {report})
"""
PYTHON_LAUNCHER_CODE = """\
import sys
import pennant_start
sys.path.append({folder!r})
from exec_bot import main
pennant_start.make_pair()
script, folder = main({job}, {report})
names = pennant_start.set_up_main_module(script, folder)
pennant_start.prepare_interpreter(script)
with open(script, "rb") as file:
    source = file.read()
pennant_start.run_bot(source, script, names)
"""
"""Code of a launcher that becomes a bot in Python. The imported modules are compiled once."""
OWN_PYTHON = (os.path.realpath(sys.executable), "-I", "-S")
MEMORY_BOUND_FACTOR = 2
MISSING_OPENSSL_CONFIG = "no-openssl.cnf"
"""OpenSSL ignores a configuration file that doesn't exist, but fails on one that it can't read, like the machine's."""


class LandlockProcess(ChildProcess):
    """A launcher that waits for its job and then becomes a bot."""

    def __init__(self, python: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the launcher with this command of an interpreter and this environment."""
        self.python = tuple(python)
        self._slot: Slot | None = None
        self._group: BotGroup | None = None
        self._report_text = b""
        with ExitStack() as handed, ExitStack() as kept:
            source, self._job_fd = os.pipe()
            handed.callback(os.close, source)
            kept.callback(os.close, self._job_fd)
            self._report_fd, reporting = os.pipe()
            handed.callback(os.close, reporting)
            kept.callback(os.close, self._report_fd)
            os.set_blocking(self._report_fd, False)
            code = LAUNCHER_CODE if self.python == OWN_PYTHON else PYTHON_LAUNCHER_CODE
            words = code.format(folder=os.path.dirname(__file__), job=source, report=reporting)
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

    def count_threads_apart(self, memory_bytes: int) -> bool:
        """Have a control group count the threads of this process alone, and return whether one does.

        The bound of memory is the machine's: what the bot may hold is read meanwhile, and is less.
        """
        bound = MEMORY_BOUND_FACTOR * memory_bytes
        self._group = move_to_own_group(self._child.pid, MAX_THREADS, bound)
        return self._group is not None

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
        if self._group is not None:
            self._group.remove()
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
            template = gettext_noop("The kernel has no Landlock. It needs Linux 5.13 or later and `lsm=landlock,…`.")
            raise NoSandboxError(message(template))
        build_filter("play", os.uname().machine)
        self._slots = Slots(Path(self.library).parents[1])

    def start(self, program: Program, limits: Limits) -> LandlockProcess:
        """Start a bot. Raises SandboxError."""
        check_language(self.languages, program.language)
        check_packages(self.languages, program)
        run = choose_run(self.languages[program.language], program.packages)
        try:
            process = self._take_launcher(self._python_command(run) if is_suitable(program) else OWN_PYTHON, run)
            try:
                memory = compute_resident_limit(limits, run)
                is_apart = self.level == "D" and process.count_threads_apart(memory)
                slot = self._prepare_slot(program)
                job = self._build_job(run, limits, slot, process.launcher_pid)
                if is_apart:
                    job.limits["nproc"] = cap_limit("nproc", MAX_TASKS_OF_USER)
                job.script = "" if process.python == OWN_PYTHON else job.argv[-1]
                process.launch(job, slot, memory)
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

    def fill_warm_pool(self, language: str, limits: Limits, count: int, packages: Collection[str] = ()) -> None:
        """Start launchers, which do their imports and wait. They import no packages: here they are the arena's user."""
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
        return {KIT: self.library, **map_trees(run.all_trees)}

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
            # Of these threads others may end while the bot plays, and leave it more: a control group is exact.
            job.limits["nproc"] = cap_limit("nproc", MAX_THREADS + count_threads_of_user(os.getuid()))
        job.parent = os.getpid()
        job.user = slot.user_id if self.level == "C" else None
        job.folder = str(slot.folder)
        job.ruleset = find_restrictions(self.abi).attribute
        job.rules = [(self.library, READ_RIGHTS), *((folder, RUN_RIGHTS) for folder in sorted(folders))]
        job.filter = build_filter(choose_purpose(run), os.uname().machine, process)
        job.argv = [translate_paths(word, places) for word in build_run_command(run, limits)]
        job.environment = self._build_environment(run, places)
        return job
