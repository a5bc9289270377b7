import json

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.runner.languages import LANGUAGES
from arena.runner.sandbox import detection
from arena.runner.sandbox.detection import CANDIDATES


@pytest.fixture(autouse=True)
def python_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Languages that are built take seconds."""
    monkeypatch.setattr(detection, "LANGUAGES", {key: LANGUAGES[key] for key in ("python", "javascript")})


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CANDIDATES, "bwrap", lambda toolchains: iter(()))
    monkeypatch.delitem(CANDIDATES, "landlock")


def test_a_machine_is_told_its_level_layers_and_languages() -> None:
    done = CliRunner().invoke(main, ["sandbox", "--json"])
    report = json.loads(done.stdout)
    if report["level"] is None:
        pytest.skip(f"no sandbox: {report['hint']}")
    assert done.exit_code == 0
    assert report["level"] in "ACD" and all(layer["holds"] for layer in report["layers"])
    assert [language["key"] for language in report["languages"]] == ["python", "javascript"]
    words = CliRunner().invoke(main, ["sandbox"])
    assert words.exit_code == 0
    assert f"Level {report['level']}, by {report['sandbox']}." in words.stdout
    assert "only threads" in words.stdout and "Python" in words.stdout and "The self-test took" in words.stdout


def test_without_a_level_the_exit_code_is_1_and_the_hint_says_what_to_do(no_sandbox: None) -> None:
    words = CliRunner().invoke(main, ["sandbox"])
    assert words.exit_code == 1
    assert "bots can't run here" in words.stdout and "apt install bubblewrap" in words.stdout
    told = CliRunner().invoke(main, ["sandbox", "--json"])
    assert told.exit_code == 1 and json.loads(told.stdout)["level"] is None
