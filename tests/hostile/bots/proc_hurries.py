# attack: takes a high priority, a real-time policy, locked memory and higher limits for itself
# expect: ok
# see: all of it is refused
# bare: leaks
import os
import resource

import trick


def attack(aim: trick.Aim) -> str:
    limits = {
        name: lambda name=name: resource.setrlimit(getattr(resource, name), (raised(name),) * 2)
        for name in ("RLIMIT_DATA", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_MEMLOCK", "RLIMIT_CPU")
    }
    return trick.successes(
        {
            "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
            "niceness": lambda: os.nice(-5),
            "real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
            "locked memory": lambda: trick.checked(trick.LIBC.mlockall(1)),
            "a processor": lambda: os.sched_setaffinity(0, {0}),
            **limits,
        }
    )


def raised(name: str) -> int:
    """One more than there is; it is no attack to ask for what one has."""
    hard = resource.getrlimit(getattr(resource, name))[1]
    if hard == resource.RLIM_INFINITY:
        return hard
    return hard + 1


trick.run(attack)
