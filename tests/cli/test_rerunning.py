"""A recorded leg is asked again: the same lines, and every other answer is told."""

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.bot_paths import FIRST_DEBUG_PORT, LOCAL_ADDRESS, build_program
from arena.runner.live_turn import rerun_seat
from arena.runner.program import Program, read_program
from arena.runner.sandbox.base import Sandbox
from engine.registry import GAMES
from tests.cli.running import PENNANT, PROJECT_ROOT, SAMPLES, has_c, pennant
from tests.runner.conftest import sandbox as sandbox

LOGS_ITS_LINES = """
import json, sys
for line in sys.stdin:
    print(line, end="", file=sys.stderr)
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","legal":false}', flush=True)
    elif message["type"] == "turn":
        view = message["view"]
        own = view["hand"][0]
        free = next((n for n, flag in enumerate(view["flags"], 1) if len(flag["cards"][message["seat"]]) < 3
                     and flag.get("claimed_by") is None), None)
        print(json.dumps({"action": f"play {own} {free}" if view["decision"] == "play" else "draw troop"}), flush=True)
"""
DEADLINE_S = 60


def play(folder: Path, *arguments: str | Path) -> list[Path]:
    done = pennant("play", *arguments, "--out", folder, "--allow-faults", "--json")
    assert done.returncode == 0, done.stderr
    return sorted(folder.glob("*.json"))


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_that_draws_nothing_answers_as_recorded(sandbox: Sandbox, tmp_path: Path, game: str) -> None:
    for path in play(tmp_path, "brute", "random", "--game", game, "--seed", "2"):
        done = pennant("rerun", path, "--bot", "brute")
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-1].startswith("0 of ")


@pytest.mark.full
@pytest.mark.parametrize("game", GAMES)
def test_fifty_legs_of_samples_are_the_same_again(sandbox: Sandbox, tmp_path: Path, game: str) -> None:
    paths = play(tmp_path, "brute", "random", "--game", game, "--seed", "9", "--matches", "25")
    assert len(paths) == 50
    program = build_program(read_program(SAMPLES / "brute"), sandbox)
    for path in paths:
        record = json.loads(path.read_text())
        seat = next(number for number, each in enumerate(record["seats"]) if each["name"] == "brute")
        answers = list(rerun_seat(record, seat, program, sandbox))
        assert [answer for answer in answers if not answer.is_same] == []


def test_the_bot_reads_the_same_lines_but_for_the_clock(sandbox: Sandbox, tmp_path: Path) -> None:
    program = Program("logger", 1, {"bot.py": LOGS_ITS_LINES.encode()})
    (tmp_path / "logger").mkdir()
    (tmp_path / "logger" / "bot.py").write_bytes(program.files["bot.py"])
    first, _ = play(tmp_path / "games", tmp_path / "logger", "greedy", "--seed", "6")
    # The log is kept from its end, so its first line may be cut.
    lines = first.with_name("1-1-0.stderr").read_text().splitlines()[1:]
    before = [message for line in lines if line.endswith("}") and (message := json.loads(line))["type"] == "turn"]
    requests = [answer.request for answer in rerun_seat(json.loads(first.read_text()), 0, program, sandbox)]
    read_now = {request["n"]: drop_clock(request) for request in requests if "legal" not in request}
    assert [read_now[message["n"]] for message in before if message["n"] in read_now] == [
        drop_clock(message) for message in before if message["n"] in read_now
    ]
    assert len(read_now) > 3 and len(before) > 3


def drop_clock(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "bank_ms"}


def test_other_answers_are_told_and_until_ends_it(sandbox: Sandbox, tmp_path: Path) -> None:
    first, _ = play(tmp_path, "greedy", "random", "--seed", "2")
    assert "--seat 0 (greedy), --seat 1 (random)" in pennant("rerun", first, "--bot", "brute").stderr
    assert "This leg has no seat 2" in pennant("rerun", first, "--bot", "brute", "--seat", "2").stderr
    done = pennant("rerun", first, "--bot", "brute", "--seat", "0", "--until", "20", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert 0 < printed["different"] == sum(not answer["is_same"] for answer in printed["answers"])
    assert [answer["decision"] for answer in printed["answers"]] == sorted(
        number
        for number, entry in enumerate(json.loads(first.read_text())["actions"][:21])
        if entry["seat"] == 0 and "auto" not in entry
    )


def test_a_crash_comes_again_and_a_mended_bot_goes_on(sandbox: Sandbox, tmp_path: Path) -> None:
    first, _ = play(tmp_path / "games", "faulty/crashes", "random", "--seed", "3")
    again = pennant("rerun", first, "--bot", "faulty/crashes")
    assert again.returncode == 1
    assert "recorded 'crash'   now 'crash'" in again.stdout and "    KeyError: 'plan'" in again.stdout
    assert again.stdout.splitlines()[-1].startswith("0 of ")
    mended = pennant("rerun", first, "--bot", "random", "--seat", "0")
    assert mended.returncode == 0 and "recorded 'crash'   now '" in mended.stdout


CHOOSES_BY_LEVEL = """
from pathlib import Path
from pennant_kit import run

level = Path(__file__).with_name("level")
place = 0 if level.exists() and level.read_text() == "ladder" else -1
run(lambda message: message["legal"][place])
"""


def test_a_sample_plays_at_the_level_of_the_record(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "marshal"
    folder.mkdir()
    (folder / "bot.py").write_text(CHOOSES_BY_LEVEL)
    (folder / "level").write_text("ladder")
    first, _ = play(tmp_path / "games", folder, "random", "--seed", "4")
    record = json.loads(first.read_text())
    record["seats"][0]["level"] = "ladder"
    (folder / "level").unlink()
    for seats, is_same in (
        (record["seats"], True),
        ([{**record["seats"][0], "name": "heron"}, record["seats"][1]], False),
    ):
        first.write_text(json.dumps(record | {"seats": seats}))
        done = pennant("rerun", first, "--bot", folder, "--seat", "0")
        assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("0 of ") is is_same


def test_what_is_no_record_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text('{"format": 1}')
    for path, sentence in (("game.json", "game.json: "), ("none.json", "it can't be read")):
        done = pennant("rerun", tmp_path / path, "--bot", "random")
        assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


@has_c
@pytest.mark.full
def test_a_compiled_bot_waits_for_a_debugger_as_a_process(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "languages" / "c", tmp_path / "heron")
    command = [*PENNANT, "play", str(tmp_path / "heron"), "random", "--debug"]
    done = subprocess.run(command, cwd=PROJECT_ROOT, input="\n\n", capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("heron (C) is process ") == 2


@pytest.mark.full
def test_a_bot_in_python_waits_for_debugpy_and_has_no_clock(sandbox: Sandbox, tmp_path: Path) -> None:
    slow = LOGS_ITS_LINES.replace("view =", "import time; time.sleep(2); view =", 1)
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "bot.py").write_text(slow)
    first, _ = play(tmp_path / "games", "random", "random", "--seed", "6")
    command = [*PENNANT, "rerun", str(first), "--bot", str(tmp_path / "slow"), "--seat", "0", "--until", "4", "--debug"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with (
        subprocess.Popen(command, cwd=PROJECT_ROOT, **streams) as running,
        attach_debugger(tmp_path / "slow" / "bot.py"),
    ):
        out, errors = running.communicate(timeout=DEADLINE_S)
    assert f"waits for a debugger at {LOCAL_ADDRESS}:{FIRST_DEBUG_PORT}" in errors
    assert "timeout" not in out and "answers differ" in out, out + errors


def attach_debugger(script: Path) -> socket.socket:
    """Do what an editor does: connect, attach, and let the program begin. The caller closes the connection."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            connection = socket.create_connection((LOCAL_ADDRESS, FIRST_DEBUG_PORT), timeout=DEADLINE_S)
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    requests = (
        ("initialize", {"adapterID": "tests", "pathFormat": "path"}),
        ("attach", {"justMyCode": True, "cwd": os.fspath(script.parent)}),
        ("configurationDone", {}),
    )
    with connection.makefile("rb") as stream:
        for number, (name, arguments) in enumerate(requests, start=1):
            if name == "configurationDone":
                while read_message(stream).get("event") != "initialized":
                    pass
            body = json.dumps({"seq": number, "type": "request", "command": name, "arguments": arguments}).encode()
            connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return connection


def read_message(stream: Any) -> dict[str, Any]:
    size = int(stream.readline().split(b":")[1])
    stream.readline()
    return json.loads(stream.read(size))


# `pennant schema` prints what bots are told.


def run(*words: str) -> str:
    result = CliRunner().invoke(main, ["schema", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_all_schemas_are_one_object_and_each_can_be_had_alone():
    together = json.loads(run("battleline"))
    assert list(together) == ["hello", "turn", "refused", "end", "ready", "answer"]
    assert json.loads(run("battleline", "turn")) == together["turn"]


def test_examples_fit_the_schemas_that_are_printed():
    schemas = json.loads(run("battalion"))
    lines = run("battalion", "--examples").splitlines()
    for message in map(json.loads, lines):
        jsonschema_rs.validate(schemas[message.get("type", "answer")], message)
    turns = run("battalion", "turn", "--examples").splitlines()
    assert turns and set(turns) < set(lines)


@pytest.mark.parametrize("words", [("chess",), ("battleline", "turn", "--examples", "--edition", "chess")])
def test_what_is_not_there_is_refused_with_what_there_is(words):
    result = CliRunner().invoke(main, ["schema", *words])
    assert result.exit_code == 2 and ("battalion" in result.output or "standard" in result.output)
