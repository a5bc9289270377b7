"""`pennant init`, `new-game` and `check-game`: write a bot or a game to begin with, and check the game."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

import click

from arena.cli import NoError, writing
from arena.cli.manual_rules import list_actions, read_rules
from arena.runner.compiled_engine import find_command_prefix
from arena.runner.data_files import DOCS_FOLDER, STARTERS_FOLDER
from arena.runner.languages import LANGUAGES, STARTER_LANGUAGES
from engine.contract.checks import CHECKS
from engine.contract.errors import ContractError, require
from engine.contract.oracle import check_oracle
from engine.contract.plays import Subject
from engine.packages import BadGamePackage, GamePackage, describe_error, load_package
from engine.registry import BUILT_IN_GAMES, GAMES

# `pennant init`: write a bot to begin with.

TEST_COMMANDS = {
    "python": "python3 -m unittest",
    "javascript": "node --test",
    "c": "gcc -DTEST -o .test test.c json.c && ./.test",
    "cpp": "g++ -std=c++20 -DTEST -o .test test.cpp && ./.test",
    "rust": "rustc --edition 2021 --test -o .test bot.rs && ./.test",
    "go": "go test",
    "java": "javac -d .test *.java && java -cp .test BotTest",
    "llm": "python3 -m unittest",
}
"""The command that runs a starter's own tests, as its README has it."""
MODEL_STARTER = "llm"
"""The starter in Python that asks a language model. It needs the network, so it plays by `pennant remote` alone."""
WORKFLOW_PATH = ".github/workflows/try.yml"
README_TEMPLATE = """\
# {name}

{about}

```
pennant play . greedy --matches 20          # mirrored matches against a sample bot
pennant gauntlet . random greedy careful    # against several, in one table
pennant submit . --bot {name} --game battleline --wait
```

Add `--out games` to the first command to keep records and logs. `pennant rerun games/1-1.json --bot .` then repeats a
leg's requests to the bot. `{workflow}` runs the tests and plays matches after every push.
"""
MODEL_README_TEMPLATE = """\
# {name}

{about}

```
export LLM_URL=https://models.example/v1/chat/completions LLM_MODEL=NAME LLM_API_KEY=...
python3 model.py "Say hello."                            # a trial request
pennant remote . --ladder standard/slow --create --game battleline --declared "model NAME, temperature 0"
```

`config.json` has the settings, with limits of tokens and cost. `rules/` has the rules of each edition as the model gets
them. `log/` keeps prompts, answers and spending. `scripted_model.py` serves an endpoint for tests:

```
python3 scripted_model.py illegal right &
LLM_URL=http://127.0.0.1:8080/v1/chat/completions pennant remote .
```

Run the tests in `test_bot.py`:

```
{test}
```
"""
WORKFLOW_TEMPLATE = """\
# Play matches after every push. The job fails if the bot has a fault.
# Set the variable PENNANT_URL to your arena's address: the command is installed from there.
name: Try
on: [push]
jobs:
  try:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - name: Test the bot by itself
        run: TEST_COMMAND
      - name: Install pennant, and the sandbox of an arena
        # The sandbox uses namespaces, which Ubuntu restricts by default.
        run: |
          sudo apt-get update -qq && sudo apt-get install -y -qq bubblewrap
          sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
          pip install uv
          uv tool install --find-links "${{ vars.PENNANT_URL }}/install/" pennant-arena
          echo "$HOME/.local/bin" >> "$GITHUB_PATH"
      - name: Play without a fault, in the sandbox
        run: pennant play . greedy --matches 20
"""


@click.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--language",
    type=click.Choice((*STARTER_LANGUAGES, MODEL_STARTER)),
    default=STARTER_LANGUAGES[0],
    show_default=True,
    help="The bot's language, or llm for a bot in Python that asks a language model.",
)
def init(folder: Path, language: str) -> None:
    """Create a starter bot in the new folder DIR: source, README and a CI workflow.

    It plays both games, and better than random. To improve it, change the `choose` function. A bot that asks a language
    model can't be uploaded: it plays by `pennant remote`.
    """
    with writing(folder):
        if folder.exists() and any(folder.iterdir()):
            raise click.ClickException(f"{folder} already exists and isn't empty. Choose another folder.")
        written = _write_model_bot(folder) if language == MODEL_STARTER else _write(folder, language)
    click.echo(f"created {folder}/  {' · '.join(written)}")
    following = f"pennant play {folder} greedy" if language != MODEL_STARTER else f"read {folder / 'README.md'}"
    click.echo(f"next: {following}", err=True)


def _write(folder: Path, language: str) -> list[str]:
    """Write all files, and return their paths in the folder, the source first. Raises OSError."""
    starter = STARTERS_FOLDER / language
    shutil.copytree(starter, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    _, _, about = (starter / "README.md").read_text().partition("\n\n")
    text = README_TEMPLATE.format(name=folder.resolve().name, about=about.strip(), workflow=WORKFLOW_PATH)
    (folder / "README.md").write_text(text)
    (folder / WORKFLOW_PATH).parent.mkdir(parents=True)
    (folder / WORKFLOW_PATH).write_text(WORKFLOW_TEMPLATE.replace("TEST_COMMAND", TEST_COMMANDS[language]))
    names = sorted(path.name for path in starter.iterdir() if path.is_file())
    entry = LANGUAGES[language].entry
    return [entry, *(name for name in names if name != entry), WORKFLOW_PATH]


def _write_model_bot(folder: Path) -> list[str]:
    """Write the bot that asks a language model, with the rules of every edition. Raises OSError."""
    starter = STARTERS_FOLDER / MODEL_STARTER
    shutil.copytree(starter, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "log"))
    _, _, about = (starter / "README.md").read_text().partition("\n\n")
    values = {"name": folder.resolve().name, "about": about.strip(), "test": TEST_COMMANDS[MODEL_STARTER]}
    (folder / "README.md").write_text(MODEL_README_TEMPLATE.format(**values))
    (folder / ".gitignore").write_text("log/\n__pycache__/\n")
    (folder / "rules").mkdir()
    for game in GAMES.values():
        for edition in game.editions:
            text = "\n\n".join(filter(None, (read_rules(game, edition), "\n".join(list_actions(game)))))
            if text:
                (folder / "rules" / f"{game.key}-{edition}.md").write_text(f"{text}\n", encoding="utf-8")
    return [*sorted(path.name for path in starter.iterdir() if path.is_file()), "rules/"]


# `pennant new-game` and `pennant check-game`: start a game of one's own, and check that it keeps the contract.

SKELETON = DOCS_FOLDER / "game-skeleton" / "guessing"
NAME_PATTERN = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@click.command("new-game")
@click.argument("name")
@click.option(
    "--folder",
    default=Path("."),
    type=click.Path(file_okay=False, path_type=Path),
    help="Parent folder of the package. [default: the current folder]",
)
def new_game(name: str, folder: Path) -> None:
    """Create a package for the new game NAME. It starts out as a working guessing game.

    NAME is one word in lower case, such as kuhn_poker. It becomes the package's name, the game's key and part of its
    addresses. Replace the rules with your own, and run `pennant check-game` as you go.
    """
    target = folder / name
    if not NAME_PATTERN.fullmatch(name):
        raise click.ClickException(f"{name!r} should be lower-case letters and digits, such as kuhn_poker")
    if iskeyword(name):
        raise click.ClickException(f"{name} is a Python keyword, so it can't be a package's name. Choose another name.")
    if name in BUILT_IN_GAMES or find_spec(name) is not None:
        raise click.ClickException(f"A game or package called {name} already exists. Choose another name.")
    if target.exists():
        raise click.ClickException(f"{target} already exists. Choose another name or --folder.")
    with writing(target):
        shutil.copytree(SKELETON, target, ignore=shutil.ignore_patterns("__pycache__"))
        for path in sorted(target.rglob("*.py")):
            path.write_text(rename(path.read_text(), name))
    command = f"{find_command_prefix()}pennant"
    click.echo(f"{target} is a guessing game. Make it yours:")
    click.echo(f"  {command} check-game {target}")
    click.echo(f"  PENNANT_GAMES={target} {command} play random random --game {name}")


def rename(text: str, name: str) -> str:
    """Return a text of the skeleton with the new game's name."""
    words = name.split("_")
    title = " ".join(word.capitalize() for word in words)
    text = text.replace("guessing.", f"{name}.").replace('key = "guessing"', f'key = "{name}"')
    text = text.replace('title = "Guessing"', f'title = "{title}"')
    text = re.sub(r"\bGuessing(?=State\b|\(|$|,)", title.replace(" ", ""), text, flags=re.MULTILINE)
    return re.sub(r"\bGuessing\b", title, text)


@click.command("check-game")
@click.argument("package", metavar="PACKAGE")
@click.option("--plays", default=20, show_default=True, type=click.IntRange(min=1), help="Random plays per check.")
@click.option("--edition", help="Check only this edition.")
def check_game(package: str, plays: int, edition: str | None) -> None:
    """Check the game in PACKAGE against the engine's contract.

    PACKAGE is an installed package's name, or a package's folder. If its module `tests.oracle` has a second
    implementation of the rules, `expect`, the two are compared.
    """
    try:
        found = load_package(package)
    except BadGamePackage as error:
        raise click.ClickException(str(error)) from error
    game = found.game
    if edition is not None and edition not in game.editions:
        raise click.ClickException(f"{game.key} has no edition {edition!r}, only {', '.join(game.editions)}")
    broken = 0
    for key in [edition] if edition else game.editions:
        for name, check in list_checks(found):
            click.echo(f"{game.key} {key}: {name} … ", nl=False)
            error_text = find_error(check, Subject(game, key, plays))
            broken += error_text is not None
            click.echo("ok" if error_text is None else f"BROKEN\n  {error_text}")
    if broken:
        raise NoError(f"Failed checks: {broken}. engine/core.py describes the contract.")


def list_checks(package: GamePackage) -> Iterator[tuple[str, Callable[[Subject], None]]]:
    """Yield the names and checks of the contract, and the comparison with the package's oracle if it has one."""
    yield from CHECKS.items()
    name = f"{package.name}.tests.oracle"
    if find_spec(f"{package.name}.tests") is not None and find_spec(name) is not None:
        yield "the same as the oracle", lambda subject: check_oracle(subject, import_module(name).expect)
    yield "the same in another process", lambda subject: check_processes(package, subject)


PORTRAY = """
import sys
from random import Random
from engine.contract.plays import Subject, play_out, portray
from engine.packages import load_package
subject = Subject(load_package(sys.argv[1]).game, sys.argv[2])
for seed in range(6):
    print(portray(play_out(subject.begin(seed), Random(seed))))
"""


def check_processes(package: GamePackage, subject: Subject) -> None:
    """Check that plays are the same in two processes, in which Python orders sets of texts differently."""
    command = [sys.executable, "-c", PORTRAY, str(package.folder), subject.edition]
    played = [
        subprocess.run(
            command,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]  # an error of the game's own is told by the other checks
    text = "deals or plays differ in another process. Don't depend on hash() or the order of a set"
    require(played[0] == played[1], text)


def find_error(check: Callable[[Subject], None], subject: Subject) -> str | None:
    """Return why a check fails, or None where it holds; an error of the game's own is told as it is."""
    try:
        check(subject)
    except ContractError as error:
        return str(error)
    except Exception as error:
        return describe_error(error)
    return None
