"""`pennant verify --season` as anybody runs it who distrusts an arena."""

import json
from pathlib import Path

import pytest

from arena.cli.bot_paths import find_program
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Limits
from arena.runner.sandbox.base import Sandbox
from engine.core import Json
from engine.registry import find_game
from engine.replay import record_hash
from engine.season import SEASON_FORMAT, Season, commitment
from tests.cli.running import pennant
from tests.conftest import bare as bare

SECRET = "c3" * 32
SEASON = Season(SECRET, "battleline", "short", 1)


@pytest.fixture(scope="module")
def record(bare: Sandbox) -> Json:
    """Of the first leg of the season's second match."""
    game = find_game("battleline")
    options = game.options("short")
    bots = (find_program("random"),) * 2
    spec = MatchSpec(
        game="battleline",
        edition="short",
        options=options,
        deal=SEASON.deal(game, options, 2, 2),
        salts=tuple(SEASON.salts(2, 2)),
        limits=Limits(),
        programs=bots,
    )
    return play_match(spec, bare).legs[0].record


@pytest.fixture
def season(tmp_path: Path) -> Path:
    game = find_game("battleline")
    options = game.options("short")
    path = tmp_path / "season.json"
    numbered = {"state": "finished", "seats": 2, "rules_version": game.rules_version}
    matches = [
        {
            "number": number,
            "match": 70 + number,
            "deal_hashes": SEASON.deal_hashes(game, options, 2, number),
            **numbered,
        }
        for number in (1, 2, 3)
    ]
    document = {
        "format": SEASON_FORMAT,
        "game": "battleline",
        "edition": "short",
        "season": 1,
        "options": options,
        "commitment": commitment(SECRET),
        "secret": SECRET,
        "last_number": 3,
        "matches": matches,
    }
    path.write_text(json.dumps(document))
    return path


def changed(path: Path, name: str, **changes: object) -> Path:
    other = path.with_name(name)
    other.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return other


def test_a_season_and_its_records_hold(season: Path, record: Json, tmp_path: Path) -> None:
    played = tmp_path / "leg.json"
    played.write_text(json.dumps(record))
    earlier = changed(season, "earlier.json", secret=None, last_number=1)
    done = pennant("verify", "--season", season, played, earlier, "--commitment", commitment(SECRET))
    assert done.stdout.splitlines() == [
        f"ok {played}",
        f"ok {earlier}",
        f"ok {season}: 3 matches, every deal follows from the secret",
    ]
    assert done.returncode == 0


def test_before_the_secret_is_out_nothing_is_called_checked(season: Path) -> None:
    running = changed(season, "running.json", secret=None)
    done = pennant("verify", "--season", running)
    assert done.stdout.startswith(f"not yet {running}: 3 matches, no gaps;")
    assert done.returncode == 4


def test_what_does_not_hold_of_a_season_is_said_line_by_line(season: Path, record: Json, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(record | {"salt": "0", "deal_hash": "0" * 64}))
    foreign = changed(season, "foreign.json", commitment="0" * 64, secret=None)
    done = pennant("verify", "--season", changed(season, "gap.json", last_number=5), other, foreign, season, "nowhere")
    gap, *rest = done.stdout.splitlines()
    assert gap.endswith("2 of 5 numbers are missing: 4, 5")
    assert [line.split()[0] for line in rest] == ["refused", "refused", "ok", "refused"]
    assert "deal and salt don't give the deal hash" in rest[0]
    assert "commitment was 0000" in rest[1] and "No such file" in rest[3]
    assert done.returncode == 1
    wrong = pennant("verify", "--season", season, "--commitment", "AB" * 32)
    assert wrong.returncode == 1 and f"its commitment is {commitment(SECRET)}, not {'AB' * 32}" in wrong.stdout


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("[]", 1, "refused SEASON: it's JSON, but not an object"),
        ("{}", 1, "refused SEASON: field 'format' is missing"),
        ("nothing", 1, "refused SEASON: it isn't JSON"),
    ],
)
def test_what_is_no_season_is_refused_in_a_sentence(tmp_path: Path, text: str, code: int, sentence: str) -> None:
    path = tmp_path / "season.json"
    path.write_text(text)
    done = pennant("verify", "--season", path)
    assert done.stdout.startswith(sentence.replace("SEASON", str(path)))
    assert done.returncode == code and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name files, --season"),
        (["README.md", "--commitment", "0"], "Name files, --season"),
        (["--season", "battleline/standard/1"], "Set PENNANT_URL"),
        (["--season", "http://127.0.0.1:9/ladders/battleline/short/seasons/1/"], "can't be reached"),
    ],
)
def test_what_can_not_be_asked_is_refused_in_a_sentence(arguments: list[str], sentence: str) -> None:
    done = pennant("verify", *arguments, PENNANT_URL="")
    assert done.returncode not in (0, 4)
    assert sentence in done.stderr and "Traceback" not in done.stderr


def test_a_record_is_the_one_with_a_hash_or_is_refused(record: Json, tmp_path: Path) -> None:
    path = tmp_path / "leg.json"
    path.write_text(json.dumps(record))
    known = record_hash(record)
    assert pennant("verify", path, "--hash", known).stdout == f"ok {path}\n"
    path.write_text(json.dumps(record | {"seats": [seat | {"name": "renamed"} for seat in record["seats"]]}))
    assert pennant("verify", path, "--hash", known.upper()).returncode == 0
    path.write_text(json.dumps(record | {"arena": "9.9"}))
    done = pennant("verify", path, "--hash", known)
    assert done.returncode == 1
    assert done.stdout.startswith(f"refused {path}: its hash is ") and known in done.stdout
    twice = pennant("verify", path, path, "--hash", known)
    assert twice.returncode == 2 and "name one file" in twice.stderr


def test_a_season_tells_records_by_their_hashes(season: Path, record: Json, tmp_path: Path) -> None:
    played = tmp_path / "leg.json"
    matches = json.loads(season.read_text())["matches"]
    matches[1]["record_hashes"] = [record_hash(record), None]
    hashed = changed(season, "hashed.json", matches=matches)
    played.write_text(json.dumps(record))
    assert pennant("verify", "--season", hashed, played).returncode == 0
    entry = next(entry for entry in record["actions"] if "ms" in entry)
    slower = [before | {"ms": before["ms"] + 1} if before is entry else before for before in record["actions"]]
    played.write_text(json.dumps(record | {"actions": slower}))
    done = pennant("verify", "--season", hashed, played)
    assert done.returncode == 1
    assert f"refused {played}: match 72 of the season has another record with this deal hash" in done.stdout
    assert pennant("verify", "--season", season, played).returncode == 0
    earlier = pennant("verify", "--season", season, hashed)
    assert earlier.returncode == 1 and "number 2 has another record than it had" in earlier.stdout
