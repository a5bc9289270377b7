"""Run one hostile bot in one leg, in a sandbox or without one, and report the result."""

import gc
import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from arena.runner.languages import EXECUTABLE_NAME, LANGUAGES
from arena.runner.match import LegReport, LegSpec, play_leg
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import BuildError, SandboxError
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.landlock import LandlockSandbox
from engine import registry
from tests.hostile.catalogue import BOTS, HELPER, Hostile
from tests.hostile.targets import Targets
from tests.runner.processes import list_descendants, wait_for_survivors
from tests.runner.toy import Toy

LIMITS = Limits(start_ms=5000, move_ms=400, bank_ms=1500, memory_mb=64)
"""Enough time for the attacks, and not long to wait for bots that never answer."""
LEAK = "LEAK"
MAX_ARENA_GROWTH_MB = 48
"""Memory that the arena may need for a bot."""
HONEST = b"""
import json, sys, time
KEPT = "@SECRET@"
for line in sys.stdin:
    kind = json.loads(line)["type"]
    if kind == "hello":
        print('{"type":"ready"}', flush=True)
    elif kind == "turn":
        time.sleep(@PAUSE@)
        print('{"action":"say 1"}', flush=True)
"""
SLOW_TURN_S = 0.35
"""Time of a slow opponent at each of its turns, within its limit."""
COMPILED = "PENNANT_TESTS_COMPILED"
"""Environment variable with the folder of compiled programs."""
COMPILE = ("gcc", "-std=gnu17", "-O1", "-w", "-pthread", "-static", "-s", "-xc", "-", "-lm", "-o")

Box = BwrapSandbox | LandlockSandbox | Any


@dataclass(frozen=True, slots=True)
class Trial:
    name: str
    level: str
    came: str
    """The verdict; for a build "built" or "not built"; "failure" if the arena failed."""
    said: str
    """The bot's own report on its attack, or its fault."""
    leaks: tuple[str, ...]
    took_s: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class TrialRunner:
    """Run trials at one level and with one set of targets."""

    def __init__(self, level: str, box: Box, targets: Targets) -> None:
        registry.GAMES["toy"] = Toy()
        self.level, self.box, self.targets = level, box, targets

    @property
    def exit_timeout_s(self) -> float:
        """Time that processes have to end on a busy machine. Without a sandbox many never would."""
        return 0.2 if self.level == "bare" else 2.0

    def try_out(self, hostile: Hostile) -> Trial:
        if self.level == "A-warm":
            self.box.fill_warm_pool("python", LIMITS, 2)
        before, memory, started = list_descendants(os.getpid()), peak_mb(), perf_counter()
        try:
            came, said, told = self._build(hostile) if hostile.is_build else self._play(hostile)
        except SandboxError as failure:
            came, said, told = "failure", str(failure), []
        leaks = [text for text in told if LEAK in text]
        leaks += self.targets.find_secrets("\n".join([*told, said]))
        leaks += [f"\\x1b in {text[:40]!r}" for text in told if "\x1b" in text]
        left = list_descendants(os.getpid(), apart_from=before)
        if self.level == "A-warm":
            self.box.close()
        leaks += [f"process {pid} lives on" for pid, _ in wait_for_survivors(left, self.exit_timeout_s)]
        for pid, _ in wait_for_survivors(left, 0):
            os.kill(pid, signal.SIGKILL)
        if peak_mb() - memory > MAX_ARENA_GROWTH_MB:
            leaks.append(f"the arena grew by {peak_mb() - memory} MiB")
        gc.collect()
        leaks += self.targets.collect_changes()
        took_s = round(perf_counter() - started, 2)
        return Trial(hostile.name, self.level, came, said, tuple(dict.fromkeys(leaks)), took_s)

    def _play(self, hostile: Hostile) -> tuple[str, str, list[str]]:
        program = self._program(hostile)
        pause = SLOW_TURN_S if hostile.opponent == "slow" else 0
        source = HONEST.replace(b"@PAUSE@", str(pause).encode())
        honest = Program(
            "honest", 1, {"bot.py": source.replace(b"@SECRET@", self.targets.secrets["opponent"].encode())}
        )
        programs = (program, program if hostile.opponent == "self" else honest)
        options = {"padding": hostile.padding, "aim": self.targets.aim()}
        report = play_leg(
            LegSpec("toy", "plain", options, {}, "salt", LIMITS, (0, 1), programs), self.box, lambda _: None
        )
        told = list(_collect_output(report))
        verdicts = report.record["result"]["verdicts"]
        fault = report.faults[0]
        said = f"{fault.message} {fault.stderr}".strip() if fault else next(iter(_notes(report.record)), "")
        if hostile.opponent != "self" and verdicts[1] != "ok":
            told.append(f"{LEAK} and harm: the opponent's verdict is {verdicts[1]}")
        return verdicts[0], said, told

    def _program(self, hostile: Hostile) -> Program:
        content = hostile.path.read_bytes()
        if hostile.language == "c":
            return Program(hostile.name, 1, {EXECUTABLE_NAME: compiled(hostile)}, "executable")
        key = {"shell": "executable"}.get(hostile.language, hostile.language)
        helper = f"{HELPER}{hostile.path.suffix}"
        files = {LANGUAGES[key].entry: content, helper: (BOTS / helper).read_bytes()}
        return Program(hostile.name, 1, files, key)

    def _build(self, hostile: Hostile) -> tuple[str, str, list[str]]:
        source = _aimed(hostile.path.read_text(), self.targets.aim()).encode()
        box = self.box
        if hostile.language == "shell":
            real = box.languages["c"].build
            hostile_one = replace(box.languages["c"], build=replace(real, script=source.decode()))
            box = replace(box, languages={**box.languages, "c": hostile_one})
        try:
            built, log = box.build(Program(hostile.name, 1, {"bot.c": source}, "c"))
        except BuildError as failed:
            return "not built", str(failed), [failed.log]
        artefact = built.files[EXECUTABLE_NAME].decode(errors="replace")
        said = artefact.strip() if hostile.language == "shell" else ""
        return "built", said, [log, artefact.replace("\x1b", "")]


@cache
def compiled(hostile: Hostile) -> bytes:
    """Return the compiled program, compiled outside of any sandbox or by `compile_all` before."""
    if COMPILED in os.environ:
        return (Path(os.environ[COMPILED]) / hostile.name).read_bytes()
    with tempfile.NamedTemporaryFile() as made:
        command = [*COMPILE, made.name, f"-I{BOTS}"]
        subprocess.run(command, input=hostile.path.read_bytes(), check=True, cwd=BOTS)
        return Path(made.name).read_bytes()


def compile_all(hostiles: list[Hostile], folder: Path) -> None:
    """Compile all programs once for several processes, which find the folder by the environment."""
    for hostile in hostiles:
        if hostile.language == "c" and not hostile.is_build:
            path = folder / hostile.name
            path.write_bytes(compiled(hostile))
            path.chmod(0o644)  # for other users, under any umask


def _collect_output(report: LegReport) -> list[str]:
    """Return all output of bots that the arena keeps."""
    faults = [text for fault in report.faults if fault for text in (str(fault.message), fault.sent or "", fault.stderr)]
    return [*_notes(report.record), *report.stderr, *faults]


def _notes(record: Mapping[str, Any]) -> list[str]:
    return [entry["note"] for entry in record["actions"] if "note" in entry]


def _aimed(source: str, aim: Mapping[str, Any]) -> str:
    for key, value in aim.items():
        source = source.replace(f"@{key.upper()}@", str(value))
    return source


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
