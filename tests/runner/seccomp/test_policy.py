"""Calls that the filters refuse or allow, on all architectures that have them."""

import errno

import pytest

from arena.runner.sandbox.seccomp import ALLOW, ERRNO, INIT_CHILD, MACHINES, build_filter, read_numbers
from tests.runner.seccomp.interpreter import load, verdict

PERM = errno.EPERM
MINUS = -1 & 0xFFFFFFFFFFFFFFFF
SPIED_CLOCK = ((~1234 << 3) | 2) & 0xFFFFFFFF
"""The CPU clock of process 1234."""
PTHREAD = 0x3D0F00
THREADS = (PTHREAD, 0x7D0F00, 0x50F00, 0xD0F00)
"""Threads of glibc, of musl, and of Go without and with C code."""
"""Flags with which glibc starts a thread."""

REFUSED = {
    "a process": [("fork", (), PERM), ("vfork", (), PERM), ("clone", (17,), PERM), ("clone", (0x4111,), PERM)],
    "a process by the newer call": [("clone3", (), errno.ENOSYS)],
    "a thread in new namespaces": [("clone", (PTHREAD | 1 << bit,), PERM) for bit in (17, 25, 26, 27, 28, 29, 30)],
    "a thread under a tracer": [("clone", (PTHREAD | 0x2000,), PERM)],
    "a thread with a descriptor": [("clone", (flags | 0x1000,), PERM) for flags in THREADS],
    "a program without a path": [("execveat", (), PERM)],
    "namespaces": [("unshare", (0x10000000,), PERM), ("setns", (), PERM)],
    "mounts": [(name, (), PERM) for name in ("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree")],
    "a socket": [("socket", (family, 1, 0), PERM) for family in (1, 2, 10, 16, 38, 40)],
    "a connection": [(name, (), PERM) for name in ("connect", "bind", "listen", "accept", "accept4", "setsockopt")],
    "descriptors from elsewhere": [("sendmsg", (), PERM), ("recvmsg", (), PERM), ("pidfd_getfd", (), PERM)],
    "a pair of sockets": [("socketpair", (1, kind, 0), PERM) for kind in (1, 2, 5, 0o2004001)],
    "other processes' memory": [(name, (), PERM) for name in ("ptrace", "process_vm_readv", "process_vm_writev")],
    "signals to others": [("kill", (1, 9), PERM), ("tkill", (3, 9), PERM), ("tgkill", (1, 1, 9), PERM)],
    "a signal with a value": [("rt_sigqueueinfo", (INIT_CHILD, 6), PERM), ("rt_tgsigqueueinfo", (), PERM)],
    "a signal that wakes": [("tgkill", (INIT_CHILD, INIT_CHILD, 18), PERM), ("timer_create", (0,), PERM)],
    "leaving the session": [("setsid", (), PERM), ("setpgid", (0, 0), PERM)],
    "clocks of others": [(name, (SPIED_CLOCK,), errno.EINVAL) for name in ("clock_gettime", "clock_nanosleep")],
    "limits of others": [("prlimit64", (1, 7), PERM), ("prlimit64", (1234, 7), PERM)],
    "threads of others": [("getpgid", (1,), PERM), ("getsid", (1,), PERM), ("sched_getaffinity", (1,), errno.ENOSYS)],
    "another processor": [("sched_setaffinity", (0,), PERM), ("setpriority", (0, 0, 19), PERM)],
    "memory without a file or a limit": [("memfd_create", (), PERM), ("mmap", (0, 4096, 3, 0x21), PERM)],
    "memory that counts as stack": [("mmap", (0, 4096, 3, 0x122), PERM)],
    "memory that stays": [("mlock", (), PERM), ("mlockall", (), PERM), ("mmap", (0, 4096, 3, 0x2022), PERM)],
    "huge pages": [("mmap", (0, 4096, 3, 0x40022), PERM)],
    "System V memory": [(name, (), PERM) for name in ("shmget", "shmat", "msgget", "semget", "mq_open")],
    "pages merged or thrown out": [("madvise", (0, 0, advice), errno.EINVAL) for advice in (9, 12, 20, 21, 25, 100)],
    "looking at the page cache": [
        ("mincore", (), PERM),
        ("cachestat", (), errno.ENOSYS),
        ("preadv2", (), errno.ENOSYS),
    ],
    "waking a stranger's futex": [("futex", (0, operation), PERM) for operation in (1, 3, 4, 5, 10, 256 | 1)],
    "futexes by newer calls": [(name, (), errno.ENOSYS) for name in ("futex_wake", "futex_requeue", "futex_waitv")],
    "interrupting all processors": [("membarrier", (command,), errno.EINVAL) for command in (1, 2, 4)],
    "locks on shared files": [("flock", (), PERM), ("fcntl", (0, 6), PERM), ("fcntl", (0, 37), PERM)],
    "leases and notices": [("fcntl", (0, command), PERM) for command in (8, 10, 1024, 1026)],
    "a table of descriptors for each thread": [("close_range", (3, 9, 2), errno.EINVAL)],
    "pipes": [("pipe", (), PERM), ("pipe2", (0, 0), PERM), ("pipe2", (0, 0o2004000), PERM), ("fcntl", (0, 1031), PERM)],
    "watching files": [("inotify_init1", (), PERM), ("fanotify_init", (), PERM)],
    "typing on a terminal": [("ioctl", (0, 0x5412), errno.ENOTTY), ("ioctl", (0, 0x541C), errno.ENOTTY)],
    "opening for writing": [("openat", (0, 0, flags), errno.EROFS) for flags in (1, 2, 3, 0o100, 0o1000, 0o20200000)],
    "opening for writing by old calls": [("open", (0, 1), errno.EROFS), ("creat", (), errno.EROFS)],
    "opening by the newest call": [("openat2", (), errno.ENOSYS)],
    "changing folders": [
        (name, (), errno.EROFS) for name in ("mkdirat", "unlinkat", "renameat2", "linkat", "symlinkat")
    ],
    "changing files": [
        (name, (), errno.EROFS) for name in ("fchmod", "fchmodat", "ftruncate", "fallocate", "utimensat")
    ],
    "devices and owners": [("mknodat", (), PERM), ("fchownat", (), PERM), ("open_by_handle_at", (), PERM)],
    "attributes": [(name, (), errno.EOPNOTSUPP) for name in ("setxattr", "lgetxattr", "flistxattr")],
    "moving pages": [(name, (), PERM) for name in ("splice", "vmsplice", "tee", "sendfile", "copy_file_range")],
    "keys": [(name, (), PERM) for name in ("add_key", "request_key", "keyctl")],
    "the kernel's own machines": [("bpf", (), PERM), ("perf_event_open", (), PERM), ("userfaultfd", (), PERM)],
    "rings": [(name, (), errno.ENOSYS) for name in ("io_uring_setup", "io_uring_enter", "io_setup", "io_submit")],
    "load and uptime": [("sysinfo", (), PERM), ("syslog", (), PERM)],
    "another filter": [("seccomp", (1,), PERM), ("prctl", (22, 2), PERM)],
    "outliving the arena": [("prctl", (1, 0), PERM)],
    "being looked into": [("prctl", (4, 1), PERM), ("prctl", (0x59616D61, MINUS), PERM)],
    "other users": [(name, (), PERM) for name in ("setuid", "setresuid", "setgroups", "capset", "personality")],
    "the machine itself": [
        (name, (), PERM) for name in ("reboot", "init_module", "kexec_load", "swapon", "sethostname")
    ],
    "a storm of timers": [(name, (), PERM) for name in ("setitimer", "timer_settime")],
    "modes of the processor": [("arch_prctl", (0x1012, 0), errno.EINVAL), ("modify_ldt", (), PERM), ("iopl", (), PERM)],
}

ALLOWED = {
    "a thread": [("clone", (flags,)) for flags in THREADS],
    "what a thread sets up": [("set_robust_list", ()), ("rseq", ()), ("set_tid_address", ())],
    "waiting for a thread": [("futex", (0, 0)), ("futex", (0, 9 | 256)), ("futex", (0, 128)), ("futex", (0, 129))],
    "going on after a stop": [("restart_syscall", ())],
    "memory": [("mmap", (0, 4096, 3, flags)) for flags in (0x22, 0x20022, 0x4022, 0x2, 0x1, 0x32, 0x100022)],
    "giving memory back": [("madvise", (0, 0, 4)), ("madvise", (0, 0, 8)), ("munmap", ()), ("mremap", ())],
    "reading files": [("openat", (0, 0, 0o2100000)), ("openat", (0, 0, 0o200000)), ("openat", (0, 0, 0o10000000))],
    "a signal handler": [("rt_sigaction", ()), ("getitimer", ())],
    "an abort": [("tgkill", (INIT_CHILD, 5, 6)), ("tgkill", (INIT_CHILD, 5, 23)), ("tgkill", (INIT_CHILD, 2, 0))],
    "its own clocks": [("clock_gettime", (clock,)) for clock in (0, 1, 2, 3, 4, 7)],
    "its own limits": [("prlimit64", (0, 3)), ("prlimit64", (INIT_CHILD, 3)), ("sched_getaffinity", (0,))],
    "an event loop": [("epoll_ctl", ()), ("eventfd2", ()), ("sendto", ()), ("recvfrom", ())],
    "asking whether it is a terminal": [("ioctl", (1, 0x5401)), ("ioctl", (1, 0x5401 | 0xAB << 32))],
    "the arena's own programs": [("execve", ()), ("wait4", ()), ("exit_group", ())],
}

BUILDING = {
    "processes": [("clone", (17,)), ("clone", (0x4111,)), ("fork", ()), ("wait4", ()), ("kill", (3, 9))],
    "files": [("openat", (0, 0, 0o1101)), ("unlinkat", ()), ("renameat2", ()), ("fchmodat", ()), ("ftruncate", ())],
    "hearing of a program that was not found": [("socketpair", (1, 0o2000005, 0)), ("recvmsg", ())],
    "locks": [("flock", ()), ("fcntl", (0, 6)), ("fcntl", (0, 37))],
}

STILL_REFUSED = (
    "a process by the newer call; a program without a path; namespaces; mounts; a socket; a connection; keys; rings;"
    "other processes' memory; memory without a file or a limit; memory that counts as stack; System V memory;"
    "the kernel's own machines; another filter; outliving the arena; devices and owners; the machine itself;"
    "other users; limits of others; clocks of others; opening by the newest call; waking a stranger's futex"
).split(";")


def verdicts(purpose: str, name: str, arguments: tuple[int, ...]) -> set[int]:
    """Return the decisions on a call, on every architecture that has it."""
    return {
        verdict(load(build_filter(purpose, machine)), MACHINES[machine].audit, read_numbers(machine)[name], arguments)
        for machine in MACHINES
        if name in read_numbers(machine)
    }


@pytest.mark.parametrize("what", REFUSED)
def test_a_bot_is_refused(what: str) -> None:
    for name, arguments, code in REFUSED[what]:
        assert verdicts("play", name, arguments) == {ERRNO | code}, name


@pytest.mark.parametrize("what", ALLOWED)
def test_a_bot_may_have(what: str) -> None:
    for name, arguments in ALLOWED[what]:
        assert verdicts("play", name, arguments) == {ALLOW}, name


@pytest.mark.parametrize("what", BUILDING)
def test_a_compiler_may_have(what: str) -> None:
    for name, arguments in BUILDING[what]:
        assert verdicts("build", name, arguments) == {ALLOW}, name


@pytest.mark.parametrize("what", [what.strip() for what in STILL_REFUSED])
def test_a_compiler_is_refused(what: str) -> None:
    for name, arguments, code in REFUSED[what]:
        assert verdicts("build", name, arguments) == {ERRNO | code}, name


def test_pipes_are_for_languages_that_need_them() -> None:
    assert verdicts("play with pipes", "pipe2", (0, 0o2004000)) == {ALLOW}
    assert verdicts("play with pipes", "pipe2", (0, 0o40000)) == {ERRNO | errno.EINVAL}
    assert verdicts("play with pipes", "socketpair", (1, 1, 0)) == {ERRNO | PERM}


@pytest.mark.parametrize("bit", [12, 17, 25, 26, 27, 28, 29, 30])
def test_a_compiler_makes_no_namespaces_and_no_descriptors_of_processes(bit: int) -> None:
    assert verdicts("build", "clone", (17 | 1 << bit,)) == {ERRNO | PERM}
