# attack: gives other processes a low priority, one processor, small limits and a short life
# expect: ok
# see: the target process's priority, processors, limits and badness are what they were
# bare: leaks
import os
import resource

import trick


def badness(pid: int) -> None:
    with open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("900")


def attack(aim: trick.Aim) -> str:
    other = aim["target"]
    return trick.successes(
        {
            "a low priority": lambda: os.setpriority(os.PRIO_PROCESS, other, 10),
            "one processor": lambda: os.sched_setaffinity(other, {0}),
            "another policy": lambda: os.sched_setscheduler(other, os.SCHED_IDLE, os.sched_param(0)),
            "a short life": lambda: badness(other),
            "a small limit": lambda: resource.prlimit(other, resource.RLIMIT_CORE, (0, 0)),
            "its limits read": lambda: resource.prlimit(other, resource.RLIMIT_NOFILE),
            "its policy read": lambda: os.sched_getscheduler(other),
            "its processors read": lambda: os.sched_getaffinity(other),
            "its session read": lambda: os.getsid(other),
        }
    )


trick.run(attack)
