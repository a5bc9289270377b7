"""`uv run python -m tests.bench.bench_channels [--tries 200] [LEVEL…]`: can a leg tell the next one what it saw?

For each channel a bot sends one bit in one leg, and its next leg measures a number. The first half of the tries shows
which numbers mean 1; of the second half, the information of the guesses about the bits is printed, in bits: 0 is
nothing, 1 is everything. Guesses at random give about 0.01 of a hundred tries. The legs are played as those of a match;
`--bare` leaves out the noise between them. With `--packages`, bots see the current set, and read a file of it.
"""

import argparse
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log2
from pathlib import Path

from arena.runner.bot_packages import PACKAGES
from arena.runner.match import (
    LEG_EXIT_TIMEOUT_S,
    NEXT_LEG_EXIT_TIMEOUT_S,
    LegReport,
    LegSpec,
    play_leg,
    separate_legs,
)
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import try_packages
from arena.runner.sandbox.own_process import pin_to_core
from engine import registry
from tests.hostile.__main__ import find_sandbox
from tests.runner.toy import Toy

LIMITS = Limits(start_ms=5000, move_ms=2000, bank_ms=10000, memory_mb=128)
BINS = 8
"""Ranges of numbers, of as many tries each, that are told apart."""
BOT = b"""
import json, os, sys, threading, time

def library():
    return aim["file"] or os.path.dirname(os.__file__) + "/turtle.py"

def measure(act):
    start = time.perf_counter()
    act()
    return time.perf_counter() - start

def read():
    with open(library(), "rb", buffering=0) as file:
        while file.read(65536):
            pass

def look_up(name="missing"):
    for number in range(1000):
        try:
            os.stat(f"/usr/lib/{name}-{aim['nonce']}-{number}")
        except OSError:
            pass

def pipe_number():
    try:
        ends = os.pipe()
    except PermissionError:
        return os.fstat(0).st_ino
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number

def move_pipe_number():
    for _ in range(10000):
        if pipe_number() % 64 < 4:
            break

def thread_number():
    found = []
    thread = threading.Thread(target=lambda: found.append(threading.get_native_id()))
    thread.start()
    thread.join()
    return found[0]

def spin():
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass

def wait_for_next_second():
    time.sleep(1 - time.time() % 1)

def hold_memory():
    aim["held"] = bytearray(100 << 20)

CHANNELS = {
    "files in memory": (read, lambda: measure(read)),
    "names looked up": (look_up, lambda: measure(look_up) / measure(lambda: look_up("unknown"))),
    "times of access": (read, lambda: os.stat(library()).st_atime % 1),
    "numbers of pipes": (move_pipe_number, lambda: pipe_number() % 64),
    "numbers of threads": (lambda: [thread_number() for _ in range(50)], thread_number),
    "time of day": (wait_for_next_second, lambda: time.time() % 1),
    "numbers of file systems": (hold_memory, lambda: os.stat("/bot").st_dev),
    "time of exit": (lambda: None, lambda: time.time() % 1),
    "load of the processor": (spin, lambda: measure(lambda: sum(range(300000)))),
}

aim = json.loads(sys.stdin.readline())["options"]["aim"]
print('{"type":"ready"}', flush=True)
sys.stdin.readline()
send, receive = CHANNELS[aim["channel"]]
note = ""
if aim["bit"] is None:
    note = repr(receive())
elif aim["bit"]:
    send()
print(json.dumps({"action": "say 1", "note": note}), flush=True)
for line in sys.stdin:
    if json.loads(line)["type"] == "turn":
        print('{"action":"say 1"}', flush=True)
if aim["channel"] == "time of exit" and aim["bit"]:
    wait_for_next_second()
if aim["channel"] == "numbers of file systems" and aim["bit"]:
    time.sleep(30)
"""
NODE = b"""
const fs = require("fs");
const { Worker } = require("worker_threads");
let aim;
let asked = 0;
const number = () => fs.fstatSync(0).ino;
const send = () => Promise.all(Array.from({ length: Math.min(12, 64 - (number() % 64)) }, () => new Promise((done) => {
  const worker = new Worker("", { eval: true });
  worker.on("exit", done);
  worker.on("error", done);
})));
require("readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    aim = message.options.aim;
    console.log('{"type":"ready"}');
  } else if (message.type === "turn") {
    if (asked++ === 0 && aim.bit) await send();
    console.log(JSON.stringify({ action: "say 1", note: String(number() % 64) }));
  } else {
    process.exit(0);
  }
});
"""
IN_NODE = "numbers of pipes, Node"
CHANNELS = (
    *("files in memory", "names looked up", "times of access"),
    *("numbers of pipes", IN_NODE, "numbers of threads", "numbers of file systems"),
    *("time of day", "time of exit", "load of the processor"),
)


NODE_LIMITS = replace(LIMITS, memory_mb=512)
"""Each thread of a Node has a heap of its own."""


def choose_program(channel: str) -> Program:
    """Return the bot that tries a channel."""
    return (
        Program("spy", 1, {"bot.js": NODE}, "javascript") if channel == IN_NODE else Program("spy", 1, {"bot.py": BOT})
    )


def play(box: Sandbox, channel: str, bit: int | None, nonce: int, exit_timeout_s: float) -> LegReport:
    """Play one leg."""
    program = choose_program(channel)
    path, _ = find_package_file(box)
    options = {"padding": 0, "aim": {"channel": channel, "bit": bit, "nonce": nonce, "file": path}}
    limits = NODE_LIMITS if channel == IN_NODE else LIMITS
    spec = LegSpec(
        "toy", "plain", options, {}, "salt", limits, (0, 1), (program, program), exit_timeout_s=exit_timeout_s
    )
    report = play_leg(spec, box, lambda _: None)
    assert report.record["result"]["verdicts"][0] == "ok", report.faults[0]
    return report


def find_package_file(box: Sandbox) -> tuple[str, Path | None]:
    """Return the path of the largest module of the packages as a bot sees it, and on this machine; nothing without."""
    tree = box.languages["python"].run.packages
    if tree is None:
        return "", None
    largest = max(Path(tree.host).rglob("*.py"), key=lambda path: (path.stat().st_size, path))
    top = PACKAGES if box.level == "A" else tree.host
    return str(Path(top, largest.relative_to(tree.host))), largest


def forget_files(box: Sandbox) -> None:
    """Remove the file that a bot reads from the memory of this machine, where it comes from a disk."""
    _, packaged = find_package_file(box)
    for path in filter(None, (*Path("/usr/lib").glob("python3*/turtle.py"), packaged)):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def try_channel(box: Sandbox, channel: str, tries: int, *, is_bare: bool) -> list[tuple[int, float]]:
    """Return the bit that was sent and the number that was measured, of each try."""
    found = []
    for _ in range(tries):
        forget_files(box)
        bit, nonce = random.getrandbits(1), random.getrandbits(40)
        sent = play(box, channel, bit, nonce, LEG_EXIT_TIMEOUT_S if is_bare else NEXT_LEG_EXIT_TIMEOUT_S)
        if not is_bare:
            separate_legs([choose_program(channel)] * 2, LIMITS, box, sent.ended_at)
        received = play(box, channel, None, nonce, LEG_EXIT_TIMEOUT_S)
        found.append((bit, float(received.record["actions"][0].get("note", ""))))
    return found


def guess(learnt: Sequence[tuple[int, float]], numbers: Sequence[float]) -> list[int]:
    """Return the more frequent bit of the range of each number."""
    ordered = sorted(number for _, number in learnt)
    edges = [ordered[len(ordered) * part // BINS] for part in range(1, BINS)]
    counts = Counter((sum(number > edge for edge in edges), bit) for bit, number in learnt)
    ranges = [sum(number > edge for edge in edges) for number in numbers]
    return [int(counts[place, 1] > counts[place, 0]) for place in ranges]


def compute_information(pairs: Sequence[tuple[int, int]]) -> float:
    """Return the mutual information of two columns in bits."""
    both, total = Counter(pairs), len(pairs)
    left, right = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    return sum(count / total * log2(count * total / (left[one] * right[other])) for (one, other), count in both.items())


def main() -> None:
    """Print a line for each channel, with a column for each level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--channel", action="append", choices=CHANNELS)
    parser.add_argument("levels", nargs="*", default=["A"])
    arguments = parser.parse_args()
    registry.GAMES["toy"] = Toy()
    pin_to_core(0)  # like workers: each core counts the numbers of pipes by itself
    boxes = {level: find_sandbox(level) for level in arguments.levels}
    if arguments.packages:
        boxes = {level: try_packages(box)[0] for level, box in boxes.items()}
    print(f"{'bits a match':26}", *(f"{level:>6}" for level in boxes))
    for channel in arguments.channel or CHANNELS:
        cells = []
        for box in boxes.values():
            tried = try_channel(box, channel, arguments.tries, is_bare=arguments.bare)
            half = len(tried) // 2
            guessed = guess(tried[:half], [number for _, number in tried[half:]])
            cells.append(compute_information(list(zip(guessed, (bit for bit, _ in tried[half:]), strict=True))))
        print(f"{channel:26}", *(f"{cell:6.2f}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
