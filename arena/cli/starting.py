"""`pennant init`: write a bot to begin with."""

import shutil
from pathlib import Path

import click

from arena.runner.data_files import STARTERS_FOLDER
from arena.runner.languages import LANGUAGES

STARTER_LANGUAGES = ("python", "javascript", "cpp", "rust")
WORKFLOW_PATH = ".github/workflows/try.yml"
README_TEMPLATE = """\
# {name}

{about}

```
pennant play . greedy --matches 20          # mirrored matches against a sample bot
pennant gauntlet . random greedy careful    # against several, in one table
pennant submit . --bot {name} --game battleline --wait
```

With `--out games` the first one keeps records and logs, and `pennant rerun games/1-1.json --bot .` asks the bot again
what it was asked in one of them. `{workflow}` plays matches after every push.
"""
WORKFLOW_TEMPLATE = """\
# Play matches after every push. The job fails where the bot has a fault.
# Set the variable PENNANT_URL to the address of your arena: it hands out the command.
name: Try
on: [push]
jobs:
  try:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: astral-sh/setup-uv@v5
      - name: Install pennant
        run: uv tool install --find-links "${{ vars.PENNANT_URL }}/install/" pennant-arena
      - name: Play without a fault
        # The machine belongs to this job alone, and the bots are your own and a sample.
        run: pennant play . greedy --matches 20 --no-sandbox
"""


@click.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--language",
    type=click.Choice(STARTER_LANGUAGES),
    default=STARTER_LANGUAGES[0],
    show_default=True,
    help="Language of the bot.",
)
def init(folder: Path, language: str) -> None:
    """Write a bot to begin with to the new folder DIR: its source, a README and a workflow that tries it.

    It plays both games, better than random: change the function `choose`.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise click.ClickException(f"{folder} is there already, and not empty: choose another folder")
        written = _write(folder, language)
    except OSError as error:
        raise click.ClickException(f"{folder} can't be written: {error.strerror or error}") from error
    click.echo(f"created {folder}/  {' · '.join(written)}")
    click.echo(f"next: pennant play {folder} greedy", err=True)


def _write(folder: Path, language: str) -> list[str]:
    """Write all files, and return their paths in the folder, the source first. Raises OSError."""
    starter = STARTERS_FOLDER / language
    shutil.copytree(starter, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    _, _, about = (starter / "README.md").read_text().partition("\n\n")
    text = README_TEMPLATE.format(name=folder.resolve().name, about=about.strip(), workflow=WORKFLOW_PATH)
    (folder / "README.md").write_text(text)
    (folder / WORKFLOW_PATH).parent.mkdir(parents=True)
    (folder / WORKFLOW_PATH).write_text(WORKFLOW_TEMPLATE)
    names = sorted(path.name for path in starter.iterdir() if path.is_file())
    entry = LANGUAGES[language].entry
    return [entry, *(name for name in names if name != entry), WORKFLOW_PATH]
