"""`pennant init` writes bots that play, with what an author needs around them."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from arena.cli import main
from arena.cli.bot_paths import build_program
from arena.cli.starting import TEST_COMMANDS, WORKFLOW_PATH
from arena.runner.languages import LANGUAGES, STARTER_LANGUAGES
from arena.runner.program import PARAMETERS_FILE, Program, read_program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_sandbox
from tests.cli.running import has_c, pennant
from tests.runner.conftest import sandbox as sandbox

READS_ITS_PARAMETERS = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    static char line[1 << 20], parameters[100];
    FILE *file = fopen("params.json", "r");
    if (!file || !fgets(parameters, sizeof parameters, file) || strcmp(parameters, "{\"depth\": 3}")) return 3;
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"ready\"}");
        else {
            char *first = strstr(line, "\"legal\":[\"");
            if (!first) break;
            first += strlen("\"legal\":[\"");
            printf("{\"action\":\"%.*s\"}\n", (int)strcspn(first, "\""), first);
        }
        fflush(stdout);
    }
}
"""


@pytest.mark.parametrize("language", STARTER_LANGUAGES)
def test_a_starter_has_all_that_a_bot_needs(tmp_path: Path, language: str) -> None:
    folder = tmp_path / "kingfisher"
    done = CliRunner().invoke(main, ["init", str(folder), "--language", language])
    assert done.exit_code == 0, done.output
    program = read_program(folder)
    assert (program.name, program.language) == ("kingfisher", language)
    assert LANGUAGES[language].entry in program.files
    assert "pennant play . greedy" in (folder / "README.md").read_text()
    steps = yaml.safe_load((folder / WORKFLOW_PATH).read_text())["jobs"]["try"]["steps"]
    test, *others = [step["run"] for step in steps if "run" in step]
    assert test == TEST_COMMANDS[language] and [step.split()[0] for step in others] == ["sudo", "pennant"]
    assert "uv tool install --find-links" in others[0] and "--no-sandbox" not in others[1]
    assert f"```\n{test}\n```" in (folder / "README.md").read_text()
    assert done.stdout.startswith(f"created {folder}/  {LANGUAGES[language].entry} · ") and "README.md" in done.stdout


def test_the_first_match_is_played_at_once(sandbox: Sandbox, tmp_path: Path) -> None:
    pennant("init", tmp_path / "kingfisher")
    done = pennant("play", tmp_path / "kingfisher", "random", "--json")
    assert json.loads(done.stdout)["bots"][0]["verdicts"] == {"ok": 2}, done.stderr


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("mine")
    done = CliRunner().invoke(main, ["init", str(tmp_path)])
    assert done.exit_code == 2
    assert "Choose another folder" in done.output
    assert (tmp_path / "bot.py").read_text() == "mine"


def test_an_unknown_language_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["init", str(tmp_path / "bot"), "--language", "cobol"])
    assert done.exit_code == 2
    assert all(language in done.output for language in STARTER_LANGUAGES)


@has_c
def test_a_compiled_bot_reads_its_parameters(tmp_path: Path) -> None:
    source = Program("reader", 1, {"bot.c": READS_ITS_PARAMETERS.encode(), PARAMETERS_FILE: b'{"depth": 3}'}, "c")
    assert build_program(source, find_sandbox({"c", "python"})).files.keys() == {"bot", PARAMETERS_FILE}
    for name, content in source.files.items():
        (tmp_path / name).write_bytes(content)
    done = pennant("play", tmp_path, "random", "--json")
    assert json.loads(done.stdout)["bots"][0]["verdicts"] == {"ok": 2}, done.stdout
