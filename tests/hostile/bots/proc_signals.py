# attack: sends signals to every process it can name: the target process, its arena, its parent, its group and everybody
# expect: ok
# see: the target process has none pending
# bare: leaks
import os
import signal

import trick


def attack(aim: trick.Aim) -> str:
    harmless = signal.SIGURG
    others = (aim["target"], aim["arena"], os.getppid())
    attempts = {f"{pid} by kill": lambda pid=pid: os.kill(pid, harmless) for pid in others}
    for pid in others:
        attempts[f"{pid} by tgkill"] = lambda pid=pid: trick.checked(
            trick.LIBC.syscall({"x86_64": 234, "aarch64": 131}[os.uname().machine], pid, pid, harmless)
        )
        attempts[f"{pid} by descriptor"] = lambda pid=pid: signal.pidfd_send_signal(os.pidfd_open(pid), harmless)
    attempts["its group"] = lambda: os.killpg(0, 0)
    attempts["everybody"] = lambda: os.kill(-1, 0)
    return trick.successes(attempts)


trick.run(attack)
