"""Restrict this process and run a bot's program in it.

Only a little of the standard library is imported: each import delays a bot's first answer. The process receives two
descriptors: one for its job, which may arrive much later, and one for its report. A step that fails ends the process
with a sentence in the report. READY in the report means that all restrictions hold, and nothing after it that the
program ran.

A bot in Python runs in the interpreter of this process: starting another would take longer than all other steps.
"""

import ctypes
import marshal
import os
import resource
import sys

READY = b"ready"
FAILURE_EXIT_CODE, NOT_EXECUTABLE_EXIT_CODE = 70, 126
ADD_RULE, RESTRICT_SELF = 445, 446
CREATE_RULESET = 444
BENEATH = 1
SET_PDEATHSIG, SET_SECCOMP, SET_NO_NEW_PRIVS = 1, 22, 38
FILTER_MODE = 2
CAPABILITY_VERSION = 0x20080522
SIGKILL = 9
IGNORED_BY_PYTHON = (13, 25)
"""SIGPIPE and SIGXFSZ: what a process ignores, the program it becomes ignores too."""
SET_MASK = 2
FIRST_OF_PAIR = 62
"""A script in Python has a pair of sockets from here on: see `python_start`."""
UINT, SIZE, POINTER = ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p

libc = ctypes.CDLL(None, use_errno=True)


class Job:
    """Everything a launcher needs to run a bot."""

    limits: dict[str, int]
    """Resource limits."""
    user: int | None
    """User and group id of the bot; None for those of the launcher."""
    parent: int
    """Process id of the arena: the bot is killed when it ends."""
    folder: str
    ruleset: bytes
    """struct landlock_ruleset_attr"""
    rules: list[tuple[str, int]]
    """Folders, each with the rights of Landlock beneath it."""
    filter: bytes
    """An array of struct sock_filter."""
    argv: list[str]
    """Arguments of the program; with `script` they are only shown to the bot as `sys.orig_argv`."""
    environment: dict[str, str]
    script: str
    """Path of a program in Python; empty for one of another language."""

    def dumps(self) -> bytes:
        """Return the job as bytes."""
        return marshal.dumps(vars(self))

    @classmethod
    def loads(cls, data: bytes) -> "Job":
        """Return the job that was dumped."""
        job = cls()
        vars(job).update(marshal.loads(data))
        return job


class BeneathAttribute(ctypes.Structure):
    """The C structure landlock_path_beneath_attr."""

    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("folder", ctypes.c_int32)]


class Filter(ctypes.Structure):
    """The C structure sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("code", POINTER)]


def check_result(result: int, step: str) -> int:
    """Return the result of a call into the C library. Raises OSError where it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{step}: {os.strerror(ctypes.get_errno())}")
    return result


def change_user(user: int | None) -> None:
    """Change to another user and drop all groups and capabilities."""
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        if os.getresuid() != (user, user, user) or os.getresgid() != (user, user, user):
            raise OSError("the user did not change")
    check_result(libc.capset((UINT * 2)(CAPABILITY_VERSION, 0), (UINT * 6)()), "to hold no capability")
    if 0 in os.getresuid():
        raise OSError("a bot never runs as root")


def die_with_arena(parent: int) -> None:
    """Have the kernel kill this process with the arena. The kernel forgets this when the user changes."""
    check_result(libc.prctl(SET_PDEATHSIG, SIGKILL, 0, 0, 0), "to die with the arena")
    if os.getppid() != parent:
        raise OSError("the arena is gone")


def restrict_files(attribute: bytes, rules: list[tuple[str, int]]) -> None:
    """Keep only these rights beneath these folders."""
    ruleset = check_result(
        libc.syscall(CREATE_RULESET, attribute, SIZE(len(attribute)), UINT(0)), "a ruleset of Landlock"
    )
    for path, rights in rules:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        beneath = ctypes.byref(BeneathAttribute(rights, folder))
        check_result(libc.syscall(ADD_RULE, ruleset, BENEATH, beneath, UINT(0)), f"a rule of Landlock for {path}")
        os.close(folder)
    check_result(libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    check_result(libc.syscall(RESTRICT_SELF, ruleset, UINT(0)), "Landlock")
    os.close(ruleset)


def restore_default_signals() -> None:
    """Restore the default of the signals that Python ignores."""
    for number in IGNORED_BY_PYTHON:
        libc.signal(number, None)


def unblock_signals() -> None:
    """Unblock all signals."""
    none = (ctypes.c_ubyte * 128)()
    check_result(libc.sigprocmask(SET_MASK, none, None), "the signal mask")


def install_filter(code: bytes) -> None:
    """Install a filter of system calls for this process."""
    program = Filter(len(code) // 8, ctypes.cast(ctypes.c_char_p(code), POINTER))
    check_result(libc.prctl(SET_SECCOMP, FILTER_MODE, ctypes.byref(program), 0, 0), "the filter of system calls")


def launch(job: Job, report: int) -> None:
    """Apply all restrictions. A program that is not in Python runs from here on; for the rest see `script`."""
    for name, limit in job.limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (limit, limit))
    change_user(job.user)
    die_with_arena(job.parent)
    unblock_signals()
    os.chdir(job.folder)
    restrict_files(job.ruleset, job.rules)
    os.closerange(report + 1, FIRST_OF_PAIR if job.script else os.sysconf("SC_OPEN_MAX"))
    os.closerange(FIRST_OF_PAIR + 2, os.sysconf("SC_OPEN_MAX"))
    install_filter(job.filter)
    if job.script:
        os.write(report, READY)
        os.close(report)
    else:
        restore_default_signals()
        os.write(report, READY)
        exec_program(job)


def exec_program(job: Job) -> None:
    """Replace this process by the program. A file of the bot that can't be executed is the bot's fault."""
    try:
        os.execve(job.argv[0], job.argv, job.environment)
    except OSError as error:
        if os.path.dirname(job.argv[0]) != job.folder:
            raise
        os.write(2, f"{os.path.basename(job.argv[0])}: {error.strerror}\n".encode())
        os._exit(NOT_EXECUTABLE_EXIT_CODE)


def set_up_interpreter(job: Job) -> None:
    """Make this interpreter look as if Python had been started with the script."""
    os.environ.clear()
    os.environ.update(job.environment)
    sys.orig_argv[:] = job.argv
    sys.path.remove(os.path.dirname(__file__))
    del sys.modules[__name__]


def main(source: int, report: int) -> tuple[str, str]:
    """Return the path and the folder of a script in Python, for the caller to run; exit where that fails."""
    os.set_inheritable(report, False)
    try:
        with open(source, "rb") as coming:
            job = Job.loads(coming.read())
        if job.script:
            set_up_interpreter(job)
        launch(job, report)
    except Exception as error:
        os.write(report, str(error).encode())
        os._exit(FAILURE_EXIT_CODE)
    return job.script, job.folder
