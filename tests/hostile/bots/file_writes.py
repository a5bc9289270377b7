# attack: makes a file, a folder and a pipe wherever a program may be able to
# expect: ok
# see: nothing with the mark in its name is anywhere
# bare: leaks
import os

import trick

WRITABLE_FOLDERS = (
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run",
    "/run/lock",
    "/",
    "/bot",
    "/kit",
    "/home",
    "/root",
    "/proc",
    "/sys",
    ".",
)


def attack(aim: trick.Aim) -> str:
    attempts = {}
    for place in (
        *WRITABLE_FOLDERS,
        aim["folder"],
        os.path.dirname(__file__),
        os.path.dirname(trick.LIBC._name or "/usr/lib"),
    ):
        path = f"{place}/{aim['mark']}"
        attempts[f"file in {place}"] = lambda path=path: open(path, "x").close()
        attempts[f"folder in {place}"] = lambda path=path: os.mkdir(f"{path}-folder")
        attempts[f"pipe in {place}"] = lambda path=path: os.mkfifo(f"{path}-pipe")
        attempts[f"unnamed file in {place}"] = lambda place=place: os.open(place, os.O_TMPFILE | os.O_RDWR)
    return trick.successes(attempts)


trick.run(attack)
