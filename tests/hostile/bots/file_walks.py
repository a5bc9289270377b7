# attack: walks all folders it can list for the program of its opponent
# expect: ok
# see: the secret of the opponent is told nowhere
# bare: leaks
import os
from collections.abc import Iterator

import trick

LARGEST = 100_000
FOLDERS = 400
SKIPPED = {"usr", "lib", "lib64", "bin", "sbin", "sys", "boot", "dev", "engine", "python"}
KEPT = b"KEPT =" + b' "'


def folders(top: str, deep: int) -> Iterator[str]:
    yield top
    if deep == 0:
        return
    try:
        names = os.listdir(top)
    except OSError:
        return
    likely = sorted(names, key=lambda name: "pennant-bot" not in name)
    for name in likely[:FOLDERS]:
        if name not in SKIPPED and not name.isdecimal() and os.path.isdir(f"{top}/{name}"):
            yield from folders(f"{top}/{name}", deep - 1)


def found(path: str) -> str:
    with open(path, "rb") as file:
        content = file.read(LARGEST)
    at = content.find(KEPT)
    return f"{path}: {content[at : at + 40]!r}" if at >= 0 else ""


def attack(aim: trick.Aim) -> str:
    mine = os.path.dirname(os.path.realpath(__file__))
    for top, deep in ((os.path.dirname(mine), 2), ("/tmp", 1), ("/var/tmp", 3), ("/", 1)):
        for folder in folders(top, deep):
            try:
                names = [] if os.path.realpath(folder) == mine else os.listdir(folder)
                for name in names:
                    if name.startswith("bot.") and (got := found(f"{folder}/{name}")):
                        return got
            except OSError:
                continue
    return ""


trick.run(attack)
