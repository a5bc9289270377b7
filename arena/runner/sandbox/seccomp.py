"""Decide which system calls bots and compilers can make: filters for seccomp, and a limit on the pipes they create."""

import ctypes
import errno
import os
import platform
import select
import signal
import struct
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fcntl import ioctl
from functools import cache
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from random import SystemRandom
from time import sleep

from arena.runner.languages import Run
from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.warm_start import INSTRUCTION, FilterProgram
from engine.message import gettext_noop, message

# Compile decisions on system calls to a program of classic BPF for seccomp.
#
# The number of a call is found by binary search, so a program for hundreds of calls takes about ten steps. Since
# version 5.11 the kernel remembers which calls are allowed whatever their arguments, and runs no program for those.
# Source: Documentation/userspace-api/seccomp_filter.rst, linux/filter.h, linux/seccomp.h.

LOAD_WORD = 0x20
"""BPF_LD | BPF_W | BPF_ABS: a word of struct seccomp_data."""
AND = 0x54
JUMP = 0x05
JUMP_IF_EQUAL = 0x15
JUMP_IF_AT_LEAST = 0x35
RETURN = 0x06

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
NOTIFY = 0x7FC00000
"""SECCOMP_RET_USER_NOTIF: the kernel asks the process that holds the listener."""
KILL_PROCESS = 0x80000000

NUMBER_OFFSET = 0
ARCHITECTURE_OFFSET = 4
ARGUMENTS_OFFSET = 16
"""Byte offset of the arguments in struct seccomp_data."""
WORD_MASK = 0xFFFFFFFF
MAX_CONDITIONAL_JUMP = 255

Instruction = tuple[int, int, int, int]
"""Code, steps to jump if true, steps to jump if false, operand: struct sock_filter."""


@dataclass(frozen=True, slots=True)
class ArgumentCheck:
    """Holds if the low 32 bits of an argument, masked, are one of the values.

    The low half is enough where the kernel itself takes an int, and wrong for pointers and sizes.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = WORD_MASK


@dataclass(frozen=True, slots=True)
class Rule:
    """A call that is allowed if all checks hold, and fails with the errno `refusal` otherwise."""

    checks: tuple[ArgumentCheck, ...] = ()
    refusal: int = 0


Decision = Rule | int
"""A rule, or the errno of a call that is always refused."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The numbers that identify the system calls of an architecture."""

    audit: int
    """The constant AUDIT_ARCH_… of linux/audit.h."""
    foreign: int | None = None
    """First number of a second set of calls with the same constant, such as those of x32."""


def compile_filter(decisions: Mapping[int, Decision], unknown: Decision, machine: Machine) -> bytes:
    """Return an array of struct sock_filter. `unknown` is the decision for every other number.

    Calls of another architecture kill the process.
    """
    program = [
        _load(ARCHITECTURE_OFFSET),
        (JUMP_IF_EQUAL, 1, 0, machine.audit),
        _return(KILL_PROCESS),
        _load(NUMBER_OFFSET),
    ]
    if machine.foreign is not None:
        # -1 is no call of x32: programs use it to see how the kernel refuses an unknown call.
        program += [(JUMP_IF_EQUAL, 2, 0, WORD_MASK), (JUMP_IF_AT_LEAST, 0, 1, machine.foreign), _return(KILL_PROCESS)]
    program += _choose(_spans(decisions, unknown))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def compile_notifier(numbers: Sequence[int], machine: Machine) -> bytes:
    """Return a filter that asks about some calls and allows all others, those of other architectures as well."""
    program = [_load(ARCHITECTURE_OFFSET), (JUMP_IF_EQUAL, 1, 0, machine.audit), _return(ALLOW), _load(NUMBER_OFFSET)]
    program += [(JUMP_IF_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    program += [_return(ALLOW), _return(NOTIFY)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _spans(decisions: Mapping[int, Decision], unknown: Decision) -> list[tuple[int, Decision]]:
    """Return the first number and the decision of each range of numbers with the same decision, from 0."""
    last = max(decisions) + 1
    every = [(number, decisions.get(number, unknown)) for number in range(last)] + [(last, unknown)]
    return [next(run) for _, run in groupby(every, key=lambda pair: pair[1])]


def _choose(spans: Sequence[tuple[int, Decision]]) -> list[Instruction]:
    if len(spans) == 1:
        return _decide(spans[0][1])
    middle = len(spans) // 2
    low, high = _choose(spans[:middle]), _choose(spans[middle:])
    start = spans[middle][0]
    if len(low) <= MAX_CONDITIONAL_JUMP:
        return [(JUMP_IF_AT_LEAST, len(low), 0, start), *low, *high]
    return [(JUMP_IF_AT_LEAST, 0, 1, start), (JUMP, 0, 0, len(low)), *low, *high]


def _decide(decision: Decision) -> list[Instruction]:
    if isinstance(decision, int):
        return [_return(ERRNO | decision)]
    steps = [step for check in decision.checks for step in _check(check, decision.refusal)]
    return [*steps, _return(ALLOW)]


def _check(check: ArgumentCheck, refusal: int) -> list[Instruction]:
    steps = [_load(ARGUMENTS_OFFSET + 8 * check.argument)]
    if check.mask != WORD_MASK:
        steps.append((AND, 0, 0, check.mask))
    for left, value in zip(reversed(range(len(check.values))), check.values, strict=True):
        steps.append((JUMP_IF_EQUAL, left + 1, 0, value))
    return [*steps, _return(ERRNO | refusal)]


def _load(offset: int) -> Instruction:
    return (LOAD_WORD, 0, 0, offset)


def _return(value: int) -> Instruction:
    return (RETURN, 0, 0, value)


# The numbers of system calls by name.

SYSCALL_TABLE = Path(__file__).with_name("syscalls.txt")
"""Table of system calls from libseccomp and unistd.h: name, number on x86_64, on aarch64; "-" if there is none."""
MACHINE_COLUMNS = ("x86_64", "aarch64")


@cache
def read_numbers(machine: str) -> dict[str, int]:
    """Return the numbers of the calls that a machine of MACHINES has, by name."""
    column = 1 + MACHINE_COLUMNS.index(machine)
    rows = [line.split() for line in SYSCALL_TABLE.read_text().splitlines()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


# Define which system calls bots and compilers may make. All calls that are not listed fail with ENOSYS.
#
# The most important rule is that a bot can start threads but no processes: one limit then applies to all its memory,
# one signal stops it, and nothing of it remains. Refused calls fail with an error instead of killing the process,
# since libraries try out what a kernel supports; only calls of another architecture kill.

MACHINES = {"x86_64": Machine(0xC000003E, foreign=0x40000000), "aarch64": Machine(0xC00000B7)}
OWN_MACHINE = platform.machine()
INIT_CHILD = 2
"""Process id of a bot in its own process namespace, in which bubblewrap is 1."""


class NoFilterError(NoSandboxError):
    """The system calls of this processor are not listed."""


ALLOWED = """
    read write readv writev pread64 pwrite64 preadv pwritev lseek close dup dup2 dup3
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    eventfd eventfd2 sendto recvfrom
    stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getcwd chdir fchdir getdents getdents64 umask
    brk munmap mprotect mremap
    execve exit exit_group wait4 waitid set_tid_address set_robust_list rseq
    getpid gettid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid getgroups
    sched_yield sched_get_priority_max sched_get_priority_min
    getrlimit setrlimit getrusage times
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause
    restart_syscall
    alarm getitimer time gettimeofday nanosleep
    getcpu uname getrandom
""".split()
"""Calls allowed with any arguments. Only bubblewrap's process 1 has children for wait4. The kernel uses restart_syscall
to continue a sleep after SIGCONT."""

FORBIDDEN = """
    fork vfork execveat setsid setpgid kill tkill rt_sigqueueinfo rt_tgsigqueueinfo
    pidfd_open pidfd_getfd pidfd_send_signal
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp
    pipe pipe2 socketpair
    socket bind connect listen accept accept4 getsockname getpeername getsockopt setsockopt shutdown
    sendmsg recvmsg sendmmsg recvmmsg
    memfd_create mlock mlock2 mlockall munlockall mincore shmget shmat shmctl shmdt semget semop semtimedop semctl
    msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
    add_key request_key keyctl
    setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete
    flock inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark
    splice vmsplice tee sendfile copy_file_range readahead
    sync syncfs mknod mknodat chown fchown lchown fchownat
    name_to_handle_at open_by_handle_at
    mount umount2 pivot_root chroot unshare setns mount_setattr move_mount open_tree fsopen fsmount fsconfig fspick
    setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset capget personality
    sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set ioprio_get
    seccomp bpf perf_event_open userfaultfd
    sysinfo syslog acct quotactl swapon swapoff reboot kexec_load kexec_file_load
    init_module finit_module delete_module iopl ioperm modify_ldt vhangup
    sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex
""".split()
"""Calls that fail with EPERM, which is clearer to authors who try them than ENOSYS. The kernel numbers all pipes and
sockets by one counter, and a bot can read the number of its own: a leg could tell the next one what it saw."""

FILE_CHANGES = """
    creat mkdir mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat
    chmod fchmod fchmodat fchmodat2 truncate ftruncate fallocate utime utimes futimesat utimensat
""".split()
"""Calls that change files. They fail with EROFS."""

ATTRIBUTES = """
    getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
""".split()
"""Calls on extended attributes. They fail with EOPNOTSUPP, which ls and cp ignore."""

BUILD_CALLS = """
    setitimer fork vfork setsid setpgid kill tkill tgkill
    sendfile copy_file_range flock statfs fstatfs fsync fdatasync msync fadvise64 getpriority getpgid getsid
    pipe open openat sendmsg recvmsg sysinfo sched_getaffinity
""".split()
"""Calls for compilers beyond ALLOWED and FILE_CHANGES: processes, and files in a scratch folder."""

WRITE_FLAGS = 0o3 | 0o100 | 0o1000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC and O_TMPFILE."""
THREAD_FLAGS = (0x3D0F00, 0x7D0F00, 0x50F00, 0xD0F00)
"""All flags of a new thread, as glibc, musl, Go, and Go with C code set them. No others: CLONE_PIDFD would give a
descriptor with a number from a counter of the whole kernel. A filter can't read the flags of clone3, which fails with
ENOSYS: after that all of them take clone."""
NAMESPACE_FLAGS = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
TRACE_FLAGS = 0x1000 | 0x2000
"""CLONE_PIDFD and CLONE_PTRACE."""
FUTEX_PRIVATE = 128
FUTEX_CLOCK_REALTIME = 256

SIGNALS_TO_ITSELF = tuple(number for number in range(65) if number != signal.SIGCONT)
"""All but SIGCONT, with which a bot could undo the SIGSTOP after its answer."""

AF_UNIX = 1
SOCK_STREAM = 1
SOCK_SEQPACKET = 5
"""Rust programs use it to learn whether a program they started could be executed."""

HARMLESS_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TCGETS2."""
HARMLESS_FCNTLS = (0, 1, 2, 3, 4, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC."""
FILE_LOCKS = (5, 6, 7, 36, 37, 38)
HARMLESS_PRCTLS = (3, 15, 16, 21, 23, 39, 0x53564D41)
"""PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_SET_VMA."""
HARMLESS_ARCH_PRCTLS = (0x1002, 0x1003, 0x1021, 0x1022, 0x3001)
"""ARCH_SET_FS, ARCH_GET_FS, and queries about the processor."""
HARMLESS_ADVICE = (0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 102, 103)
"""Advice that affects this process only, unlike MADV_MERGEABLE, MADV_COLD and MADV_PAGEOUT."""
OWN_BARRIERS = (0, 8, 16, 32, 64, 128, 256)
"""Commands of membarrier that interrupt no other process."""

SHARED_MAPPING = 0x01
PRIVATE_MAPPING = 0x02
ANONYMOUS = 0x20
CHECKED_MAPPING_FLAGS = 0x0F | ANONYMOUS | 0x100 | 0x2000 | 0x40000
"""Flags of mmap: the type, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_LOCKED and MAP_HUGETLB. RLIMIT_DATA doesn't apply to
memory that grows down, as it counts as stack."""

FUTEX_WAITS = (0, 9)
"""FUTEX_WAIT and FUTEX_WAIT_BITSET, which may be non-private for joining threads."""
PRIVATE_FUTEXES = tuple(FUTEX_PRIVATE | operation for operation in (0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))


def _list_argument_rules(pid: int) -> dict[str, Rule]:
    """Return the calls that depend on their arguments, for the process of that id."""
    own = ArgumentCheck(0, (0, pid))
    known_clock = Rule((ArgumentCheck(0, (0,), mask=0x80000000),), errno.EINVAL)
    """Negative numbers are CPU clocks of other processes."""
    for_reading = {"open": 1, "openat": 2}
    return {
        **{name: Rule((ArgumentCheck(flags, (0,), WRITE_FLAGS),), errno.EROFS) for name, flags in for_reading.items()},
        **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), known_clock),
        **dict.fromkeys(("sched_getaffinity", "sched_getparam", "sched_getscheduler"), Rule((own,), errno.ENOSYS)),
        **dict.fromkeys(("getpgid", "getsid"), Rule((ArgumentCheck(0, (0,)),), errno.EPERM)),
        "prlimit64": Rule((own,), errno.EPERM),
        "tgkill": Rule((ArgumentCheck(0, (pid,)), ArgumentCheck(2, SIGNALS_TO_ITSELF)), errno.EPERM),
        "clone": Rule((ArgumentCheck(0, THREAD_FLAGS),), errno.EPERM),
        "futex": Rule(
            (ArgumentCheck(1, (*FUTEX_WAITS, *PRIVATE_FUTEXES), ~FUTEX_CLOCK_REALTIME & 0xFFFFFFFF),), errno.EPERM
        ),
        "mmap": Rule(
            (ArgumentCheck(3, (PRIVATE_MAPPING, PRIVATE_MAPPING | ANONYMOUS, SHARED_MAPPING), CHECKED_MAPPING_FLAGS),),
            errno.EPERM,
        ),
        "madvise": Rule((ArgumentCheck(2, HARMLESS_ADVICE),), errno.EINVAL),
        "membarrier": Rule((ArgumentCheck(0, OWN_BARRIERS),), errno.EINVAL),
        "ioctl": Rule((ArgumentCheck(1, HARMLESS_IOCTLS),), errno.ENOTTY),
        "fcntl": Rule((ArgumentCheck(1, HARMLESS_FCNTLS),), errno.EPERM),
        # Without CLOSE_RANGE_UNSHARE: it would give each thread descriptors of its own, up to the limit.
        "close_range": Rule((ArgumentCheck(2, (0, 4)),), errno.EINVAL),
        "prctl": Rule((ArgumentCheck(0, HARMLESS_PRCTLS),), errno.EPERM),
        "arch_prctl": Rule((ArgumentCheck(0, HARMLESS_ARCH_PRCTLS),), errno.EINVAL),
    }


def _list_play_decisions(pid: int) -> dict[str, Decision]:
    return {
        **dict.fromkeys(FORBIDDEN, errno.EPERM),
        **dict.fromkeys(FILE_CHANGES, errno.EROFS),
        **dict.fromkeys(ATTRIBUTES, errno.EOPNOTSUPP),
        **dict.fromkeys(("fsync", "fdatasync"), errno.EINVAL),
        **dict.fromkeys(ALLOWED, Rule()),
        **_list_argument_rules(pid),
    }


def _list_decisions_with_pipes(pid: int) -> dict[str, Decision]:
    """Return the calls of languages that can't do without pipes; `PipeLimit` counts how many a bot makes."""
    return {
        **_list_play_decisions(pid),
        "pipe2": Rule((ArgumentCheck(1, (0,), ~(0o4000 | 0o2000000) & 0xFFFFFFFF),), errno.EINVAL),
    }


def _list_build_decisions(pid: int) -> dict[str, Decision]:
    return {
        **_list_decisions_with_pipes(pid),
        **dict.fromkeys((*FILE_CHANGES, *BUILD_CALLS), Rule()),
        "clone": Rule((ArgumentCheck(0, (0,), NAMESPACE_FLAGS | TRACE_FLAGS),), errno.EPERM),
        # Streams only: datagram sockets could send to any socket of the machine.
        "socketpair": Rule(
            (
                ArgumentCheck(0, (AF_UNIX,)),
                ArgumentCheck(1, (SOCK_STREAM, SOCK_SEQPACKET), 0x0F),
                ArgumentCheck(2, (0,)),
            ),
            errno.EPERM,
        ),
        "fcntl": Rule((ArgumentCheck(1, (*HARMLESS_FCNTLS, *FILE_LOCKS)),), errno.EPERM),
    }


PURPOSES = {
    "play": _list_play_decisions,
    "play with pipes": _list_decisions_with_pipes,
    "build": _list_build_decisions,
}


def choose_purpose(run: Run) -> str:
    """Return the purpose of the filter for a program that is run like this."""
    return "play with pipes" if run.max_pipes else "play"


def list_decisions(purpose: str, pid: int = INIT_CHILD) -> dict[str, Decision]:
    """Return the decisions by name of the call. All other calls fail with ENOSYS."""
    return PURPOSES[purpose](pid)


def build_filter(purpose: str, machine: str = OWN_MACHINE, pid: int = INIT_CHILD) -> bytes:
    """Return the filter for one of PURPOSES, as PR_SET_SECCOMP and bubblewrap want it."""
    if machine not in MACHINES:
        template = gettext_noop("There's no list of system calls for %(machine)s processors, only for %(known)s.")
        raise NoFilterError(message(template, machine=machine, known=", ".join(MACHINES)))
    known = read_numbers(machine)
    by_number = {known[name]: decision for name, decision in list_decisions(purpose, pid).items() if name in known}
    return compile_filter(by_number, errno.ENOSYS, MACHINES[machine])


# Keep a leg from telling the next one something by the numbers of pipes.
#
# The kernel numbers all pipes and sockets of a machine with one counter for each processor. Who makes pipes moves it,
# and the number of any pipe shows it. So bots make none, except in languages that can't do without: there the kernel
# asks the arena about each one, only the first few are made, and noise between the legs hides these.

NOISE_PIPES = 512
"""Noise from 0 to this number leaves log2(1 + 20 / 512) = 0.06 bits of 20 pipes, and takes half a millisecond."""
SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER, NEW_LISTENER = 1, 8
RECEIVE, ANSWER = 0xC0502100, 0xC0182101
"""SECCOMP_IOCTL_NOTIF_RECV and SECCOMP_IOCTL_NOTIF_SEND of linux/seccomp.h."""
QUESTION_BYTES = 80
REFUSAL_PAUSE_S = 0.001
"""A bot that asks for more all the time waits so long each time: answering it is the arena's work."""
GO_ON = 1
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE: the kernel carries the call out."""
libc = ctypes.CDLL(None, use_errno=True)


def add_noise() -> None:
    """Move the counter of each processor this process may use by a random number of pipes."""
    usable = os.sched_getaffinity(0)
    try:
        for processor in usable:
            os.sched_setaffinity(0, {processor})
            for _ in range(SystemRandom().randrange(NOISE_PIPES)):
                for fd in os.pipe():
                    os.close(fd)
    finally:
        os.sched_setaffinity(0, usable)


class PipeLimit:
    """Start a process that may make only so many pipes once it is the bot.

    A filter of a thread's system calls applies to all that this thread starts, and the kernel ends a process in
    bubblewrap with the thread that started it. So each such process has two threads of the arena: one starts it and
    waits for its end, the other answers the kernel.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self._counts = False
        self._ended = os.eventfd(0, os.EFD_CLOEXEC)
        self._results: SimpleQueue[subprocess.Popen[bytes] | BaseException] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Call a function that starts a process, and return that. Raises OSError."""
        self._thread = threading.Thread(target=self._keep, args=(start,), daemon=True)
        self._thread.start()
        result = self._results.get()
        if isinstance(result, BaseException):
            self.close()
            raise result
        return result

    def begin(self) -> None:
        """Count from now on: what was made before was the arena's."""
        self._counts = True

    def close(self) -> None:
        """End the threads, once the process has ended."""
        if self._thread is not None:
            os.eventfd_write(self._ended, 1)
            self._thread.join()
            self._thread = None
            os.close(self._ended)

    def _keep(self, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        try:
            listener = _listen_to_pipes()
        except OSError as error:
            self._results.put(error)
            return
        answering = threading.Thread(target=self._answer_all, args=(listener,), daemon=True)
        answering.start()
        try:
            self._results.put(start())
        except BaseException as error:
            self._results.put(error)
        answering.join()

    def _answer_all(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        poll.register(self._ended, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            if self._ended in ready:
                os.close(listener)
                return
            self._answer(listener)

    def _answer(self, listener: int) -> None:
        question = bytearray(QUESTION_BYTES)
        try:
            ioctl(listener, RECEIVE, question)
            key = struct.unpack_from("=Q", question)[0]
            if self._counts:
                self._left -= 1
            if self._left < 0:
                sleep(REFUSAL_PAUSE_S)
            error, flags = (0, GO_ON) if self._left >= 0 else (-errno.EPERM, 0)
            ioctl(listener, ANSWER, bytearray(struct.pack("=QqiI", key, 0, error, flags)))
        except (FileNotFoundError, InterruptedError):
            return  # whoever asked has ended


def _listen_to_pipes() -> int:
    """Have the kernel ask about each pipe of this thread and its children; return where it asks. Raises OSError."""
    known = read_numbers(OWN_MACHINE)
    calls = [known[name] for name in ("pipe", "pipe2") if name in known]
    code = compile_notifier(calls, MACHINES[OWN_MACHINE])
    program = FilterProgram(len(code) // INSTRUCTION, code)
    libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    listener = int(libc.syscall(known["seccomp"], SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(program)))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "the kernel does not let the arena count pipes")
    return listener
