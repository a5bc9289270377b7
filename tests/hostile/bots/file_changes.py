# attack: writes into, cuts, renames, touches, opens up and removes a file that any user may write
# expect: ok
# see: the secret file is as it was, and so are its folder and its times
# bare: leaks
import os

import trick


def append(path: str) -> None:
    with open(path, "a") as file:
        file.write("changed")


def attack(aim: trick.Aim) -> str:
    path, other = aim["secret"], f"{aim['folder']}/{aim['mark']}"
    return trick.successes(
        {
            "written": lambda: append(path),
            "cut": lambda: os.truncate(path, 3),
            "touched": lambda: os.utime(path, (1, 1)),
            "opened up": lambda: os.chmod(path, 0o777),
            "given away": lambda: os.chown(path, os.getuid(), os.getgid()),
            "marked": lambda: os.setxattr(path, "user.mark", b"changed"),
            "linked": lambda: os.link(path, other),
            "pointed to": lambda: os.symlink(path, f"{other}-link"),
            "renamed": lambda: os.rename(path, f"{other}-renamed"),
            "removed": lambda: os.unlink(f"{other}-renamed"),
        }
    )


trick.run(attack)
