"""Define which system calls bots and compilers may make. All calls that are not listed fail with ENOSYS.

The most important rule is that a bot can start threads but no processes: one limit then applies to all its memory, one
signal stops it, and nothing of it remains. Refused calls fail with an error instead of killing the process, since
libraries try out what a kernel supports; only calls of another architecture kill.
"""

import errno
import platform
import signal

from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.bpf import ArgumentCheck, Decision, Machine, Rule, compile_filter
from arena.runner.sandbox.syscalls import read_numbers
from engine.message import gettext_noop, message

MACHINES = {"x86_64": Machine(0xC000003E, foreign=0x40000000), "aarch64": Machine(0xC00000B7)}
OWN_MACHINE = platform.machine()
INIT_CHILD = 2
"""Process id of a bot in its own process namespace, in which bubblewrap is 1."""


class NoFilterError(NoSandboxError):
    """The system calls of this processor are not listed."""


ALLOWED = """
    read write readv writev pread64 pwrite64 preadv pwritev lseek close close_range dup dup2 dup3
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    eventfd eventfd2 pipe sendto recvfrom
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
"""Calls that fail with EPERM, which is clearer to authors who try them than ENOSYS."""

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
    open openat sendmsg recvmsg sysinfo sched_getaffinity
""".split()
"""Calls for compilers beyond ALLOWED and FILE_CHANGES: processes, and files in a scratch folder."""

WRITE_FLAGS = 0o3 | 0o100 | 0o1000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC and O_TMPFILE."""
THREAD_FLAGS = 0x100 | 0x800 | 0x10000
"""CLONE_VM, CLONE_SIGHAND and CLONE_THREAD."""
NAMESPACE_FLAGS = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
TRACE_FLAG = 0x2000
"""CLONE_PTRACE."""
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
        "clone": Rule((ArgumentCheck(0, (THREAD_FLAGS,), THREAD_FLAGS | NAMESPACE_FLAGS | TRACE_FLAG),), errno.EPERM),
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
        "prctl": Rule((ArgumentCheck(0, HARMLESS_PRCTLS),), errno.EPERM),
        "arch_prctl": Rule((ArgumentCheck(0, HARMLESS_ARCH_PRCTLS),), errno.EINVAL),
        "pipe2": Rule((ArgumentCheck(1, (0,), ~(0o4000 | 0o2000000) & 0xFFFFFFFF),), errno.EINVAL),
        # Streams only: datagram sockets could send to any socket of the machine.
        "socketpair": Rule(
            (ArgumentCheck(0, (AF_UNIX,)), ArgumentCheck(1, (SOCK_STREAM,), 0x0F), ArgumentCheck(2, (0,))), errno.EPERM
        ),
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


def _list_build_decisions(pid: int) -> dict[str, Decision]:
    return {
        **_list_play_decisions(pid),
        **dict.fromkeys((*FILE_CHANGES, *BUILD_CALLS), Rule()),
        "clone": Rule((ArgumentCheck(0, (0,), NAMESPACE_FLAGS | TRACE_FLAG),), errno.EPERM),
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


PURPOSES = {"play": _list_play_decisions, "build": _list_build_decisions}


def list_decisions(purpose: str, pid: int = INIT_CHILD) -> dict[str, Decision]:
    """Return the decisions by name of the call. All other calls fail with ENOSYS."""
    return PURPOSES[purpose](pid)


def build_filter(purpose: str, machine: str = OWN_MACHINE, pid: int = INIT_CHILD) -> bytes:
    """Return the filter for "play" or "build", as PR_SET_SECCOMP and bubblewrap want it."""
    if machine not in MACHINES:
        template = gettext_noop("There is no list of system calls for %(machine)s processors, only for %(known)s.")
        raise NoFilterError(message(template, machine=machine, known=", ".join(MACHINES)))
    known = read_numbers(machine)
    by_number = {known[name]: decision for name, decision in list_decisions(purpose, pid).items() if name in known}
    return compile_filter(by_number, errno.ENOSYS, MACHINES[machine])
