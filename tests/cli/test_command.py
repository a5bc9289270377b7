"""The command as a newcomer runs it: its output, its files, and what is left of its processes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.cli import describe_install
from arena.cli.campaign import EXIT_INTERRUPTED
from arena.core.release import arena_version
from arena.runner.sandbox.base import Sandbox
from engine.registry import GAMES
from tests.cli.running import PENNANT, PROJECT_ROOT, SAMPLES, has_c, pennant, pennant_process
from tests.cli.running import hears_interrupts as hears_interrupts
from tests.runner.conftest import sandbox as sandbox
from tests.runner.processes import list_descendants, wait_for_survivors


@pytest.fixture(scope="module")
def played(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    """Three matches on disk, and what was printed about them."""
    folder = tmp_path_factory.mktemp("records")
    words = ("play", "random", "faulty/crashes", "--matches", "3", "--seed", "7", "--out", folder, "--json")
    done = pennant_process(*words)
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_one_json_object_is_all_that_is_printed(played: tuple[Path, dict[str, object]]) -> None:
    _, printed = played
    bots = printed["bots"]
    assert isinstance(bots, list)
    assert printed["legs"] == 6
    assert [(bot["name"], bot["wins"], bot["losses"], bot["draws"], bot["points"]) for bot in bots] == [
        ("random", 6, 0, 0, 6),
        ("faulty/crashes", 0, 6, 0, 0),
    ]
    assert [bot["verdicts"] for bot in bots] == [{"ok": 6}, {"crash": 6}]
    assert all(bot["ms_per_move"] > 0 for bot in bots)


def test_records_and_logs_are_named_by_match_leg_and_seat(played: tuple[Path, dict[str, object]]) -> None:
    folder, _ = played
    legs = [f"{match}-{leg}" for match in (1, 2, 3) for leg in (1, 2)]
    logs = {f"{leg}-{seat}.stderr" for leg in legs for seat in (0, 1)}
    assert {path.name for path in folder.iterdir()} == {f"{leg}.json" for leg in legs} | logs
    assert "KeyError: 'plan'" in (folder / "1-1-1.stderr").read_text()
    assert "KeyError: 'plan'" in (folder / "1-2-0.stderr").read_text()
    assert (folder / "1-1-0.stderr").read_text() == ""


def test_records_that_were_written_are_verified(played: tuple[Path, dict[str, object]]) -> None:
    files = sorted(played[0].glob("*.json"))
    done = pennant("verify", *files)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [f"ok {file}" for file in files]


def test_one_bad_record_among_good_ones_is_refused(played: tuple[Path, dict[str, object]], tmp_path: Path) -> None:
    good = played[0] / "1-1.json"
    record = json.loads(good.read_text())
    record["result"]["scores"] = [9, 9]
    tampered, empty, text = tmp_path / "tampered.json", tmp_path / "empty.json", tmp_path / "list.json"
    tampered.write_text(json.dumps(record))
    empty.touch()
    text.write_text("[]")
    done = pennant("verify", good, tampered, empty, text, tmp_path / "nowhere.json")
    assert done.returncode == 1
    first, *refused = done.stdout.splitlines()
    assert first == f"ok {good}"
    for line, path, reason in zip(
        refused,
        (tampered, empty, text, tmp_path / "nowhere.json"),
        ("", "isn't JSON", "not an object", "No such file"),
        strict=True,
    ):
        assert line.startswith(f"refused {path}: ") and reason in line


def test_a_folder_is_checked_as_an_archive_and_by_itself(played: tuple[Path, dict[str, object]]) -> None:
    folder, _ = played
    alone = pennant("verify", folder)
    assert alone.returncode == 1 and alone.stdout.startswith(f"refused {folder}: ")
    assert pennant("verify", folder, folder / "1-1.json").returncode == 2


def test_the_same_seed_gives_the_same_deals(played: tuple[Path, dict[str, object]], tmp_path: Path) -> None:
    assert pennant("play", "random", "random", "--seed", "7", "--out", tmp_path).returncode == 0
    again, before = (json.loads((folder / "1-1.json").read_text()) for folder in (tmp_path, played[0]))
    assert (again["deal"], again["salt"]) == (before["deal"], before["salt"])
    other = json.loads((played[0] / "2-1.json").read_text())
    assert other["deal"] != before["deal"]
    mirror = json.loads((played[0] / "1-2.json").read_text())
    assert mirror["deal"] == before["deal"] and mirror["deal_hash"] != before["deal_hash"]


def test_bl_25_series_are_played_counted_and_recorded(sandbox: Sandbox, tmp_path: Path) -> None:
    lengths = ("--series-points", "12", "--matches", "2", "--seed", "7")
    done = pennant("play", "faulty/crashes", "random", *lengths, "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["series"] == 2 and printed["legs"] == 6
    assert [bot["series"] for bot in printed["bots"]] == [
        {"wins": 0, "losses": 2, "draws": 0, "points": 0},
        {"wins": 2, "losses": 0, "draws": 0, "points": 30},
    ]
    records = [json.loads((tmp_path / f"1-{leg}.json").read_text()) for leg in (1, 2, 3)]
    assert [record["seats"][0]["name"] for record in records] == ["faulty/crashes", "random", "random"]
    assert len({json.dumps(record["deal"]) for record in records}) == 3
    assert pennant("verify", *sorted(tmp_path.glob("*.json"))).returncode == 0


def test_series_of_the_same_seed_have_the_same_deals_and_the_first_is_that_of_a_match(
    played: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        done = pennant("play", "random", "random", "--series-games", "2", "--seed", "7", "--out", folder, COLUMNS="120")
        assert done.returncode == 0, done.stderr
        assert "1 series, 2 games" in done.stdout
    deals = [[json.loads((tmp_path / name / f"1-{leg}.json").read_text())["deal"] for leg in (1, 2)] for name in "ab"]
    assert deals[0] == deals[1]
    assert deals[0][0] == json.loads((played[0] / "1-1.json").read_text())["deal"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--series-games", "16"), "A series has 1 to 15 games, not 16."),
        (("--series-points", "3"), "The target score of a series is 5 to 50 points, not 3."),
        (("--series-games", "3", "--series-points", "10"), "a set number of games or at a set score: choose one."),
        (
            ("--series-games", "3", "--game", "battalion"),
            "Battalion can't be played as a series by this number of players: 2.",
        ),
    ],
)
def test_series_that_nobody_can_play_are_refused(arguments: tuple[str, ...], sentence: str) -> None:
    done = pennant("play", "random", "random", *arguments)
    assert done.returncode == 2 and sentence in done.stderr


def test_the_version_is_that_of_the_distribution() -> None:
    assert pennant("--version").stdout == f"pennant {arena_version()}\n"


def test_the_help_says_which_is_fairer() -> None:
    words = " ".join(pennant("play", "--help").stdout.split())
    assert "A match of two legs is fairer, as both bots play the same deal from both seats." in words


def test_a_table_says_who_won_and_why_legs_were_lost(sandbox: Sandbox) -> None:
    done = pennant("play", "random", "faulty/exits", "--seed", "1")
    assert done.returncode == 0, done.stderr
    for words in ("W–D–L", "2–0–0", "0–0–2", "ms per move", "2 start", "none", "2 legs"):
        assert words in done.stdout
    assert "1-1: faulty/exits (start): the bot didn't start: the bot exited with code 0" in done.stdout
    assert "play again with --seed 1 --out DIRECTORY" in done.stdout


@pytest.mark.parametrize("bots", [["greedy"] * 2, ["random", "greedy", "random"], ["random"] * 4])
def test_a_game_for_more_than_two_is_played_with_every_rotation_of_the_seats(
    sandbox: Sandbox, tmp_path: Path, bots: list[str]
) -> None:
    seats = len(bots)
    done = pennant("play", *bots, "--game", "battalion", "--seed", "5", "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["legs"] == seats and [bot["name"] for bot in printed["bots"]] == bots
    assert all(sum(bot["places"]) == seats and bot["verdicts"] == {"ok": seats} for bot in printed["bots"])
    assert sum(bot["points"] for bot in printed["bots"]) == pytest.approx(seats * seats / 2)
    records = [json.loads((tmp_path / f"1-{leg}.json").read_text()) for leg in range(1, seats + 1)]
    assert [len(record["seats"]) for record in records] == [seats] * seats
    assert all(record["deal"] == records[0]["deal"] for record in records)
    checked = pennant("verify", *sorted(tmp_path.glob("*.json")))
    assert checked.returncode == 0 and len(checked.stdout.splitlines()) == seats


def test_at_a_larger_table_an_offender_goes_out_and_the_others_play_on(sandbox: Sandbox, tmp_path: Path) -> None:
    bots = ("greedy", "faulty/crashes", "random")
    done = pennant("play", *bots, "--game", "battalion", "--seed", "1", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    for words in ("3 legs", "places", "3 crash", "none"):
        assert words in done.stdout
    assert "1-1: faulty/crashes (crash) at decision " in done.stdout and "the same in 1-2 at decision " in done.stdout
    played_on = []
    for leg in (1, 2, 3):
        record = json.loads((tmp_path / f"1-{leg}.json").read_text())
        out = next(n for n, entry in enumerate(record["actions"]) if entry["action"] == "forfeit")
        offender = record["actions"][out]["seat"]
        others = {0, 1, 2} - {offender}
        assert record["seats"][offender]["name"] == "faulty/crashes"
        played_on.append({entry["seat"] for entry in record["actions"][out + 1 :]})
        assert played_on[-1] <= others
        assert record["result"]["reason"] in ("last-standing", "quiet", "limit")
        places = record["result"]["places"]
        assert all(places[seat] < places[offender] for seat in played_on[-1])
    assert 2 in map(len, played_on)  # in one leg or another an emperor may fall before
    assert pennant("verify", *tmp_path.glob("*.json")).returncode == 0


def test_rule_options_are_changed_and_the_records_say_so(tmp_path: Path, sandbox: Sandbox) -> None:
    options = ("--option", "claims=either", "--option", "tactics=0")
    done = pennant("play", "random", "random", "--no-sandbox", *options, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "1-1.json").read_text())
    assert record["changed_options"] == ["claims", "tactics"] and record["options"]["tactics"] == 0
    assert pennant("verify", *tmp_path.glob("*.json")).returncode == 0


def test_all_rule_options_are_listed_with_what_each_edition_has() -> None:
    done = pennant("options")
    assert done.returncode == 0, done.stderr
    for game in GAMES.values():
        for option in game.rule_options:
            assert f"{option.key}: {option.title} ({', '.join(option.rulings)})" in done.stdout
    assert "scout=at-once  All at once." in done.stdout
    assert "hundred-years  Hundred Years' War: pass=no-card tiles=drafted\n" in done.stdout
    assert "quiet_rounds" in pennant("options", "battalion").stdout
    assert "no game 'chess'" in pennant("options", "chess").stderr


def test_a_seed_that_was_drawn_is_told(sandbox: Sandbox) -> None:
    done = pennant("play", "random", "random", "--json")
    assert done.stderr.split()[0] == "seed" and done.stderr.split()[1].isdecimal()
    assert len(done.stdout.splitlines()) == 1


def test_playing_without_a_sandbox_is_said_loudly() -> None:
    done = pennant("play", "random", "random", "--no-sandbox", "--json")
    assert done.returncode == 0, done.stderr
    assert "NO SANDBOX" in done.stderr
    assert json.loads(done.stdout)["bots"][0]["verdicts"] == {"ok": 2}


def test_a_bot_is_also_a_file_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "heron.py").write_text("from pennant_kit import run\nrun(lambda message: message['legal'][0])")
    (tmp_path / "egret").mkdir()
    (tmp_path / "egret" / "bot.py").write_text("from mind import choose\nfrom pennant_kit import run\nrun(choose)")
    (tmp_path / "egret" / "mind.py").write_text("def choose(message):\n    return message['legal'][-1]")
    done = pennant("play", tmp_path / "heron.py", tmp_path / "egret", "--no-sandbox", "--json")
    assert done.returncode == 0, done.stderr
    bots = json.loads(done.stdout)["bots"]
    assert [(bot["name"], bot["verdicts"]) for bot in bots] == [("heron", {"ok": 2}), ("egret", {"ok": 2})]


def test_the_same_seed_gives_the_same_play_of_who_draws_from_it(tmp_path: Path) -> None:
    """The kit seeds the module `random`, and samples in other languages read the seed themselves."""
    (tmp_path / "heron.py").write_text(
        "from random import choice\nfrom pennant_kit import run\nrun(lambda message: choice(message['legal']))\n"
    )
    bots = (tmp_path / "heron.py", "languages/javascript")
    played = []
    for out in ("first", "second"):
        assert pennant("play", *bots, "--seed", "5", "--no-sandbox", "--out", tmp_path / out).returncode == 0
        records = [json.loads((tmp_path / out / f"1-{leg}.json").read_text()) for leg in (1, 2)]
        played.append([[entry["action"] for entry in record["actions"]] for record in records])
    assert played[0] == played[1] and played[0][0] != played[0][1]


@pytest.mark.parametrize(
    ("file", "content", "command"),
    [
        (
            "uv-receipt.toml",
            "[tool]\noptions.find-links = ['https://arena.example/install/']\n",
            'uv tool install --find-links https://arena.example/install/ "pennant-arena[tune]"',
        ),
        ("pipx_metadata.json", "{}", 'pipx install --force "pennant-arena[tune]"'),
        ("", "", 'pip install "pennant-arena[tune]"'),
    ],
)
def test_what_is_missing_is_installed_as_the_command_was(
    file: str, content: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("arena.cli.CHECKOUT", tmp_path)
    monkeypatch.delenv("PENNANT_URL", raising=False)
    if file:
        (tmp_path / file).write_text(content)
    assert describe_install("tune") == command


def test_authors_choose_the_clock(tmp_path: Path) -> None:
    """Without a clock a bot is told the usual limits, and nobody loses on time."""
    (tmp_path / "heron.py").write_text(
        "import time\nfrom pennant_kit import run\ntold = {}\n"
        "def choose(message):\n"
        "    if not message['n']: time.sleep(0.5)\n"
        "    return {'action': message['legal'][0], 'note': f\"{told['limits']['move_ms']} {message['bank_ms']}\"}\n"
        "run(choose, hello=told.update)\n"
    )
    arguments = ("play", tmp_path / "heron.py", "random", "--no-sandbox", "--json", "--seed", "3")
    slow = json.loads(pennant(*arguments, "--time-per-move", "100").stdout)
    assert slow["bots"][0]["verdicts"] == {"ok": 1, "timeout": 1}
    poor = json.loads(pennant(*arguments, "--bank", "100").stdout)
    assert poor["bots"][0]["verdicts"] == {"ok": 1, "timeout": 1}
    done = pennant(*arguments, "--time-per-move", "100", "--bank", "200", "--no-clock", "--out", tmp_path / "games")
    told = json.loads(done.stdout)["bots"][0]
    assert told["verdicts"] == {"ok": 2} and told["bank_left_ms"] < 200
    record = json.loads((tmp_path / "games" / "1-1.json").read_text())
    assert {entry["note"] for entry in record["actions"] if "note" in entry} == {"100 200"}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("bot.py", "import subprocess\nsubprocess.run(['true'])"),
        ("bot.js", "const {error} = require('child_process').spawnSync('true'); if (error) throw error"),
    ],
)
def test_a_bot_that_starts_a_program_is_told_another_way(
    sandbox: Sandbox, tmp_path: Path, name: str, source: str
) -> None:
    (tmp_path / name).write_text(source)
    done = pennant("play", tmp_path / name, "random", "--allow-faults")
    assert "start programs, or use pipes or the network. Use threads, or load a library from its folder" in done.stdout


@has_c
@pytest.mark.parametrize("options", [[], ["--no-sandbox"]])
def test_what_must_be_built_is_built_first(options: list[str], sandbox: Sandbox) -> None:
    done = pennant("play", SAMPLES / "languages/c/bot.c", "random", "--json", *options)
    assert done.returncode == 0, done.stderr
    bots = json.loads(done.stdout)["bots"]
    assert [(bot["name"], bot["verdicts"]) for bot in bots] == [("c", {"ok": 2}), ("random", {"ok": 2})]


@has_c
def test_what_the_compiler_says_is_shown(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "heron.c").write_text("int main(void) { fly(); return wing; }")
    done = pennant("play", tmp_path / "heron.c", "random")
    assert done.returncode != 0 and done.stdout == ""
    assert "heron can't be built:\n" in done.stderr and "bot.c:1:" in done.stderr and "‘wing’ undeclared" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody", "random"], "nobody isn't a file, a folder or a sample bot"),
        (["docs", "random"], "no bot.py, bot.js"),
        (["random", "random", "--game", "chess"], "chess"),
        (
            ["random", "random", "--option", "scout=never"],
            "option 'scout' can't be 'never'; it must be one of one-by-one",
        ),
        (["random", "random", "--option", "scout"], "'scout' should read OPTION=VALUE"),
        (["random", "random", "--option", "flags=5", "--option", "tiles=drafted"], "nine tiles need nine flags"),
        (["random", "random", "--option", "flags=5", "--option", "flags=9"], "option 'flags' is given twice"),
        (["random", "random", "--edition", "gold"], "no edition 'gold'; editions are: standard"),
        (["random"], "battleline is for 2 bots, not 1"),
        (["random"] * 3, "battleline is for 2 bots, not 3"),
        (["random", "--game", "battalion"], "battalion is for 2 to 4 bots, not 1"),
        (["random"] * 5 + ["--game", "battalion"], "battalion is for 2 to 4 bots, not 5"),
        (["random", "random", "--matches", "0"], "0 is not in the range"),
        (["random", "random", "--out", "README.md"], "README.md"),
    ],
)
def test_what_can_not_be_played_is_refused_in_a_sentence(arguments: list[str], sentence: str) -> None:
    done = pennant("play", *arguments)
    assert done.returncode != 0
    assert sentence in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_command_loads_no_site() -> None:
    loaded = "import arena.cli, sys; print([name for name in sys.modules if name in {'django', 'celery', 'redis'}])"
    done = subprocess.run([sys.executable, "-c", loaded], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.usefixtures("hears_interrupts")
def test_nothing_runs_on_after_a_stopped_command(sandbox: Sandbox, ending: signal.Signals) -> None:
    command = subprocess.Popen(
        [*PENNANT, "play", "random", "random", "--matches", "500"], cwd=PROJECT_ROOT, stderr=subprocess.PIPE, text=True
    )
    with command:
        deadline = time.monotonic() + 20
        while len(processes := list_descendants(command.pid)) < 5 and time.monotonic() < deadline:
            time.sleep(0.02)
        command.send_signal(ending)
        assert command.stderr is not None
        errors = command.stderr.read()
    assert len(processes) >= 5
    assert command.returncode != 0
    assert "Traceback" not in errors
    assert not wait_for_survivors(processes)


@pytest.mark.usefixtures("hears_interrupts")
def test_a_stopped_command_tells_what_it_has(tmp_path: Path) -> None:
    """The matches that have ended are lines of JSON, and the results of them all the answer."""
    arguments = ["play", "random", "random", "--matches", "500", "--json", "--no-sandbox"]
    with subprocess.Popen(
        [*PENNANT, *arguments], cwd=PROJECT_ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as command:
        assert command.stdout is not None and command.stderr is not None
        line = next(line for line in command.stderr if line.startswith("{"))
        command.send_signal(signal.SIGINT)
        printed, errors = json.loads(command.stdout.read()), command.stderr.read()
    assert command.returncode == EXIT_INTERRUPTED
    told = [json.loads(one) for one in (line, *errors.splitlines()) if one.startswith("{")]
    assert [one["done"] for one in told] == list(range(1, len(told) + 1))
    assert printed["legs"] == 2 * len(told) and f"Stopped after {len(told)} of 500 matches." in errors


def test_all_editions_are_played_and_shown_in_one_table(tmp_path: Path) -> None:
    editions = list(GAMES["battleline"].editions)
    arguments = ("play", "random", "brute", "--edition", "all", "--seed", "3", "--no-sandbox")
    done = pennant(*arguments, "--out", tmp_path, COLUMNS="120")
    assert done.returncode == 0, done.stderr
    assert all(f"\n{edition} " in done.stdout for edition in editions)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(editions)
    told = json.loads(pennant(*arguments, "--json").stdout)
    assert [one["edition"] for one in told["editions"]] == editions
    assert all(one["bots"][0]["bank_left_ms"] <= 30_000 for one in told["editions"])
    refused = pennant("play", "random", "brute", "--edition", "all", "--sprt", "0,20")
    assert refused.returncode == 2 and "of one edition" in refused.stderr


def test_a_bot_without_its_value_function_is_named() -> None:
    """It plays on, as in editions that have none."""
    options = ("--option", "leader_limit=false", "--seed", "3", "--no-sandbox")
    done = pennant("play", "marshal", "random", *options)
    assert done.returncode == 0, done.stderr
    assert "marshal: no value function in standard with leader_limit=false, only in standard, adv" in done.stderr
    assert "crash" not in done.stdout and "Fewer than 16 matches say little" in done.stderr
    assert "no value function" not in pennant("play", "random", "random", *options).stderr


def test_help_names_the_authors_of_the_games() -> None:
    told = " ".join(pennant("--help").stdout.split())
    names = ("Reiner Knizia", "GMT Games", "László Hipszki", "Roland's Revenge Games", "Jonah Pezeshki")
    assert [name for name in names if name not in told] == []
    assert "independent project" in told


def test_a_fault_of_ones_own_bot_is_told_with_its_log_and_exits_with_1(sandbox: Sandbox, tmp_path: Path) -> None:
    arguments = ("play", SAMPLES / "faulty" / "crashes", "random", "--seed", "3", "--matches", "2")
    done = pennant(*arguments, "--out", tmp_path, COLUMNS="120")
    assert done.returncode == 1, done.stderr
    assert "1-1: crashes (crash) at decision " in done.stdout
    assert "    KeyError: 'plan'" in done.stdout
    assert done.stdout.count("\n    KeyError: 'plan'") == 1 and "    the same in 1-2 at decision " in done.stdout
    assert f"next: pennant rerun {tmp_path}/1-1.json --bot {SAMPLES}/faulty/crashes --seat 0 --until " in done.stderr
    allowed = pennant(*arguments, "--allow-faults", "--json")
    assert allowed.returncode == 0, allowed.stderr
    printed = json.loads(allowed.stdout)
    assert printed["seed"] == "3" and printed["edition"] == "standard"
    assert [(row["match"], row["leg"], row["verdicts"]) for row in printed["rows"]] == [
        (1, 1, ["crash", "ok"]),
        (1, 2, ["ok", "crash"]),
        (2, 1, ["crash", "ok"]),
        (2, 2, ["ok", "crash"]),
    ]
    assert all(len(set(row["seeds"])) == 2 for row in printed["rows"])
    assert [fault["log"][-1] for fault in printed["faults"]] == ["KeyError: 'plan'"] * 4
    assert {fault["stage"] for fault in printed["faults"]} == {"turn 3", "turn 4"}


@pytest.mark.full
def test_matches_end_as_soon_as_the_test_knows(sandbox: Sandbox) -> None:
    better = pennant("play", "greedy", "random", "--sprt", "0,50", "--seed", "3", "--json")
    assert better.returncode == 0, better.stderr
    printed = json.loads(better.stdout)
    assert printed["sprt"]["state"] == "better" and printed["legs"] == 2 * printed["sprt"]["pairs"] < 100
    assert (
        printed["elo"]["low"] > 0 and 0.5 < printed["bots"][0]["share"]["low"] <= printed["bots"][0]["share"]["value"]
    )
    worse = pennant("play", "random", "greedy", "--sprt", "0,50", "--seed", "3", COLUMNS="120")
    assert worse.returncode == 1, worse.stderr
    assert "random is not better (evidence -" in worse.stdout
    assert "99.9% sure that greedy is better; Elo" in worse.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["random", "random", "--sprt", "20"], "'20' should be two numbers, such as 0,20"),
        (["random", "random", "--sprt", "20,0"], "'20,0' should begin with the smaller number"),
        (["random", "random", "random", "--game", "battalion", "--sprt", "0,20"], "--sprt compares two bots"),
        (["random", "random", "--series-games", "3", "--sprt", "0,20"], "--sprt compares two bots"),
    ],
)
def test_a_test_that_makes_no_sense_is_refused(arguments: list[str], sentence: str) -> None:
    done = pennant("play", *arguments)
    assert done.returncode == 2 and sentence in done.stderr
