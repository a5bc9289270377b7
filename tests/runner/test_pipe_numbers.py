"""Pipes of bots: which languages may make them, how many, and the noise that hides these."""

import os
import sys
from contextlib import closing

import pytest

from arena.runner.program import Program
from arena.runner.sandbox.detection import find_sandbox
from arena.runner.sandbox.process import start_with_pipes
from arena.runner.sandbox.seccomp import NOISE_PIPES, PipeLimit, add_noise
from tests.runner.conftest import QUICK

MAKES_PIPES = """
import os, sys
made = 0
try:
    for _ in range(10):
        for end in os.pipe(): os.close(end)
        made += 1
except PermissionError:
    pass
print(made)
"""


def find_pipe_number() -> int:
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


def test_noise_moves_the_counter_by_a_random_number() -> None:
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    try:
        moves = []
        for _ in range(12):
            before = find_pipe_number()
            add_noise()
            moves.append((find_pipe_number() - before) % 2**32)
    finally:
        os.sched_setaffinity(0, usable)
    assert len(set(moves)) > 6 and max(moves) > NOISE_PIPES // 8
    assert os.sched_getaffinity(0) == usable


@pytest.mark.parametrize(("most", "made"), [(3, "3"), (50, "10")])
def test_a_process_makes_only_so_many_pipes_once_they_are_counted(most: int, made: str) -> None:
    limit = PipeLimit(most)
    command = [sys.executable, "-I", "-c", "input()\n" + MAKES_PIPES]
    child = limit.start(lambda: start_with_pipes(command, {}, (), "/"))
    assert child.stdin is not None
    limit.begin()
    output, complaints = child.communicate(b"\n", timeout=20)
    limit.close()
    assert (output.decode().strip(), complaints) == (made, b"")


def test_a_program_that_cannot_be_started_is_an_error_and_leaves_no_thread() -> None:
    limit = PipeLimit(1)
    with pytest.raises(FileNotFoundError):
        limit.start(lambda: start_with_pipes(["/no/such/program"], {}, (), "/"))


GO = b"""package main

import ("bufio"; "fmt"; "os"; "syscall"; "time")

func main() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		<-time.After(time.Millisecond)
		made := 0
		for ends := make([]int, 2); made < 9 && syscall.Pipe2(ends, 0) == nil; made++ {}
		fmt.Println(made)
	}
}
"""
NODE = b"""
const { Worker } = require("worker_threads");
let answered = 0;
require("readline").createInterface({ input: process.stdin }).on("line", () => {
  for (let number = 0; number < 3; number++) {
    const worker = new Worker("require('worker_threads').parentPort.postMessage(1)", { eval: true });
    worker.on("message", () => { if (++answered == 3) console.log(answered); });
  }
});
"""


@pytest.mark.parametrize(
    ("program", "most"),
    [(Program("go", 1, {"bot.go": GO}, "go"), 1), (Program("node", 1, {"bot.js": NODE}, "javascript"), None)],
    ids=["go", "node"],
)
def test_go_has_timers_and_node_has_workers_and_neither_has_more_pipes(program: Program, most: int | None) -> None:
    box = find_sandbox([program.language])
    if box.level != "A" or program.language not in box.languages:
        pytest.skip(f"{program.language} doesn't run at level A here")
    built, _ = box.build(program)
    with closing(box.start(built, QUICK)) as bot:
        made = int(bot.ask(b"\n", 10))
    assert made <= most if most is not None else made == 3
