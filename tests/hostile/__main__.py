"""`uv run python -m tests.hostile [--json] [LEVEL…] [PATTERN…]`: try the hostile programs here, and print a table.

A program is tried if a pattern is in its name, or if no pattern is given.
Levels are A, A-warm, C, C-oldest, D and bare, as far as this user can have them; A, if none is given.
"""

import ctypes
import gc
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace

from arena.runner.languages import LANGUAGES
from arena.runner.sandbox.bwrap import SANDBOX_USER_ID
from arena.runner.sandbox.detection import find_unsandboxed
from arena.runner.sandbox.files import make_readable
from arena.runner.sandbox.landlock import FIRST_SLOT_USER_ID, MAX_SLOTS
from tests.hostile.catalogue import LEVELS, Hostile, catalogue
from tests.hostile.targets import Targets
from tests.hostile.trial import Box, Trial, TrialRunner
from tests.runner.sandboxes import find_bwrap, find_landlock

PR_SET_CHILD_SUBREAPER = 36
OTHERS = ("javascript", "c", "executable")


def find_sandbox(level: str) -> Box:
    """Return the sandbox of a level. Raises NoSandboxError, and SystemExit if this user can't have it."""
    found = {"A": find_bwrap, "C": find_landlock, "D": find_landlock, "b": find_unsandboxed}[level[0]]()
    if found.level[0] != level[0]:
        raise SystemExit(f"level {level} can't be had by this user: this would be {found.level}")
    tools = {key: LANGUAGES[key].find() for key in OTHERS}
    if level == "C-oldest":
        found = replace(found, abi=1)
    return replace(
        found, languages={**found.languages, **{k: make_readable(tool) for k, tool in tools.items() if tool}}
    )


def target_user(level: str) -> int | None:
    """Return the user of the target process: that of bots, as far as is known before they start."""
    if os.geteuid() or level == "bare":
        return None
    return SANDBOX_USER_ID if level.startswith("A") else FIRST_SLOT_USER_ID + MAX_SLOTS - 1


def trials(level: str, chosen: list[Hostile]) -> Iterator[Trial]:
    with Targets(target_user(level)) as targets:
        place = TrialRunner(level, find_sandbox(level), targets)
        for hostile in chosen:
            if hostile.runs_at(level):
                yield place.try_out(hostile)


def matches_header(hostile: Hostile, trial: Trial) -> bool:
    """Return whether the result at that level is as the header says."""
    if trial.level == "bare":
        return trial.came in hostile.expect if hostile.control == "same" else bool(trial.leaks) == hostile.leaks
    open_here = trial.level.partition("-")[0] in hostile.open_at
    return trial.came in hostile.expect and (open_here or not trial.leaks)


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--json"]
    levels = [word for word in words if word in LEVELS] or ["A"]
    chosen = catalogue(*(word for word in words if word not in LEVELS))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    gc.freeze()  # each trial collects garbage, which need not look at what was imported
    wrong = 0
    for level in levels:
        for hostile, trial in zip((one for one in chosen if one.runs_at(level)), trials(level, chosen), strict=True):
            right = matches_header(hostile, trial)
            wrong += not right
            if "--json" in sys.argv:
                print(json.dumps(trial.as_json()), flush=True)
            else:
                sign = "  " if right else "x "
                print(f"{sign}{level:9}{trial.name:28}{trial.came:10}{trial.said[:80]}", *trial.leaks, sep="\n      ! ")
    return 1 if wrong and "--json" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
