"""The filters in the running kernel: a process installs one and makes calls by number."""

import base64
import errno
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from arena.runner.sandbox.seccomp import MACHINES, PURPOSES, build_filter, list_decisions, read_numbers

CALLER = Path(__file__).with_name("caller.py").read_text()
HERE = platform.machine()
pytestmark = pytest.mark.skipif(HERE not in MACHINES, reason=f"no filter for {HERE}")

UNFILTERED = {335, 336} if HERE == "x86_64" else set()
"""uretprobe and uprobe: since Linux 6.12 they bypass filters, and kill with SIGILL outside a probe."""

Call = tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    results: list[tuple[int, int]]
    """Return value and errno of each call; none if the process was killed."""
    status: int


def attempt(purpose: str | None, calls: Sequence[Call]) -> Outcome:
    """Make the calls in a process of user nobody, with or without a filter."""
    python = [sys.executable, "-I", "-S", "-c", CALLER]
    with subprocess.Popen(python, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        program = None if purpose is None else base64.b64encode(build_filter(purpose, HERE, child.pid)).decode()
        said, _ = child.communicate(json.dumps({"filter": program, "calls": calls}) + "\n", timeout=20)
    return Outcome([(result, code) for result, code in json.loads(said)] if said else [], child.returncode)


def number(name: str) -> int:
    return read_numbers(HERE)[name]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_refused_number_gives_its_errno(purpose: str) -> None:
    named = {
        read_numbers(HERE)[name]: decision
        for name, decision in list_decisions(purpose).items()
        if name in read_numbers(HERE)
    }
    numbered = set(range(600)) - UNFILTERED
    refused = {at: named.get(at, errno.ENOSYS) for at in numbered if isinstance(named.get(at, 0), int)}
    outcome = attempt(purpose, [(at, 0, 0, 0, 0, 0, 0) for at in refused])
    assert outcome.status == 0
    differing = {
        at: (result, code)
        for (at, expected), (result, code) in zip(refused.items(), outcome.results, strict=True)
        if (result, code) != (-1, expected)
    }
    assert len(refused) > 300 and differing == {}


WITHOUT_A_FILTER = {
    "socket": (1, 1, 0),
    "memfd_create": ("x", 0),
    "flock": (1, 2),
    "inotify_init1": (0,),
    "sysinfo": (None,),
    "timer_create": (0, 0, None),
    "setsid": (),
    "kill": (0, 0),
    "sched_setaffinity": (0, 128, None),
    "mmap": (0, 4096, 3, 0x21, -1, 0),
    "mlock": (None, 4096),
    "userfaultfd": (1,),
    "openat": (-100, "/dev/null", os.O_RDWR),
    "umask": (0o22,),
}
"""Calls that succeed without a filter, or fail for other reasons."""


def test_the_same_calls_are_not_refused_without_a_filter() -> None:
    """Check that the test above would fail without a filter."""
    calls = [(number(name), *arguments) for name, arguments in WITHOUT_A_FILTER.items()]
    free, held = attempt(None, calls), attempt("play", calls)
    worked = {name for name, (result, _) in zip(WITHOUT_A_FILTER, free.results, strict=True) if result >= 0}
    assert worked >= {"socket", "memfd_create", "inotify_init1", "sysinfo", "timer_create", "kill", "mmap", "openat"}
    assert {name for name, (result, _) in zip(WITHOUT_A_FILTER, held.results, strict=True) if result >= 0} == {"umask"}


ARGUMENTS: list[tuple[str, Call, int]] = [
    ("mmap", (0, 4096, 3, 0x22, -1, 0), 0),
    ("mmap", (0, 4096, 3, 0x122, -1, 0), errno.EPERM),
    ("mmap", (0, 4096, 3, 0x2022, -1, 0), errno.EPERM),
    ("openat", (-100, "/", os.O_RDONLY), 0),
    ("openat", (-100, "/nothing-there", os.O_RDONLY), errno.ENOENT),
    ("openat", (-100, "/nothing-there", os.O_WRONLY | os.O_CREAT), errno.EROFS),
    ("openat", (-100, "/tmp", os.O_TMPFILE | os.O_RDWR), errno.EROFS),
    ("clock_gettime", (0, None), 0),
    ("clock_gettime", (((~1) << 3) | 2, None), errno.EINVAL),
    ("socketpair", (1, 1, 0, None), errno.EPERM),
    ("prlimit64", (0, 7, 0, None), 0),
    ("prlimit64", (1, 7, 0, None), errno.EPERM),
    ("tgkill", (1, 1, 0), errno.EPERM),
    ("futex", (None, 1, 1), errno.EPERM),
    ("futex", (None, 129, 1), 0),
    ("fcntl", (1, 3), 0),
    ("fcntl", (1, 1032), errno.EPERM),
    ("madvise", (0, 0, 4), 0),
    ("madvise", (0, 0, 12), errno.EINVAL),
    ("prctl", (21,), 0),
    ("prctl", (4, 0), errno.EPERM),
    ("membarrier", (0, 0), 0),
    ("membarrier", (1, 0), errno.EINVAL),
    ("clone", (17,), errno.EPERM),
    ("clone3", (None, 64), errno.ENOSYS),
]


def test_arguments_decide() -> None:
    outcome = attempt("play", [(number(name), *arguments) for name, arguments, _ in ARGUMENTS])
    got = [0 if result >= 0 else code for result, code in outcome.results]
    told = [(name, arguments, code) for (name, arguments, _), code in zip(ARGUMENTS, got, strict=True)]
    assert told == ARGUMENTS


@pytest.mark.skipif(HERE != "x86_64", reason="only there has a processor a second set of calls")
def test_a_call_of_x32_kills() -> None:
    assert attempt(None, [(0x40000000 + number("getpid"),)]).status == 0
    assert attempt("play", [(0x40000000 + number("getpid"),)]) == Outcome([], -signal.SIGSYS)
    assert attempt("play", [(-1,)]) == Outcome([(-1, errno.ENOSYS)], 0)


PROLOGUE = """
import base64, ctypes, os, sys
exec(sys.argv[1])
program = sys.stdin.readline()
if program.strip():
    install(base64.b64decode(program))
"""


def run(source: str, purpose: str | None = "play") -> subprocess.CompletedProcess[str]:
    """Run Python with a filter from its first line on."""
    helpers = CALLER.partition("\ndef main")[0]
    code = PROLOGUE + dedent(source)
    python = [sys.executable, "-c", code, helpers]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(python, text=True, **pipes) as child:
        program = "" if purpose is None else base64.b64encode(build_filter(purpose, HERE, child.pid)).decode()
        out, err = child.communicate(program + "\n", timeout=30)
    return subprocess.CompletedProcess(python, child.returncode, out, err)


I386_CALL = """
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))
code = bytes.fromhex("b814000000cd80c3")  # getpid of i386: mov eax, 20; int 0x80; ret
ctypes.memmove(page, code, len(code))
print(ctypes.CFUNCTYPE(ctypes.c_int)(page)() == os.getpid())
"""


@pytest.mark.skipif(HERE != "x86_64", reason="only there has a processor an older set of calls")
def test_a_call_of_i386_kills() -> None:
    if run(I386_CALL, purpose=None).stdout != "True\n":
        pytest.skip("this kernel has no calls of i386")
    assert run(I386_CALL).returncode == -signal.SIGSYS


def test_threads_and_timers_work() -> None:
    done = run("""
    import signal, threading, time
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(len, ["a", "bc"] * 50)))
    thread = threading.Thread(target=print, args=("in a thread",))
    thread.start()
    thread.join()

    signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
    signal.alarm(1)
    signal.pause()
    print(len(os.listdir("/")) > 0, time.process_time() > 0, os.cpu_count() > 0)
    """)
    assert (done.stdout.split("\n"), done.stderr) == (["150", "in a thread", "alarm", "True True True", ""], "")


def test_what_python_cannot_have_it_says_in_an_exception() -> None:
    done = run("""
    import mmap, multiprocessing, socket, subprocess
    attempts = {
        "subprocess": lambda: subprocess.run(["/bin/true"]),
        "shell": lambda: subprocess.run("true", shell=True),
        "fork": os.fork,
        "multiprocessing": lambda: multiprocessing.Pool(2),
        "socket": socket.socket,
        "write": lambda: open("/tmp/x", "w"),
        "remove": lambda: os.remove("/etc/passwd"),
        "kill": lambda: os.kill(os.getppid(), 0),
        "shared": lambda: mmap.mmap(-1, 4096),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            print(name, "worked")
        except OSError as refused:
            print(name, refused.errno)
    """)
    said = dict(line.split() for line in done.stdout.splitlines())
    read_only, refused = str(errno.EROFS), str(errno.EPERM)
    assert {name: said[name] for name in ("write", "remove")} == {"write": read_only, "remove": read_only}
    assert {name for name, code in said.items() if code == refused} >= {"subprocess", "shell", "fork", "socket", "kill"}
    assert "worked" not in said.values() and len(said) == 9 and done.returncode == 0


def test_an_abort_is_an_abort() -> None:
    assert run("os.abort()").returncode == -signal.SIGABRT


def test_a_sleep_goes_on_after_a_stop() -> None:
    """The kernel makes the call restart_syscall then, which the filter must allow."""
    waiting = "print('ready', flush=True); print(libc.poll(None, 0, 300), ctypes.get_errno())"
    helpers = CALLER.partition("\ndef main")[0]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", PROLOGUE + waiting, helpers], text=True, **pipes) as child:
        assert child.stdin and child.stdout
        child.stdin.write(base64.b64encode(build_filter("play", HERE, child.pid)).decode() + "\n")
        child.stdin.flush()
        assert child.stdout.readline() == "ready\n"
        for _ in range(5):
            child.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED)
            child.send_signal(signal.SIGCONT)
        assert child.stdout.readline() == "0 0\n"


def test_a_stop_cannot_be_undone_from_inside() -> None:
    """A thread that sends SIGCONT all the time would cancel a pending SIGSTOP."""
    done = run("""
    import signal
    tgkill = 234 if os.uname().machine == "x86_64" else 131
    print(libc.syscall(tgkill, os.getpid(), os.getpid(), signal.SIGCONT), ctypes.get_errno())
    print(libc.syscall(tgkill, os.getpid(), os.getpid(), 0))
    """)
    assert done.stdout.splitlines() == [f"-1 {errno.EPERM}", "0"]
