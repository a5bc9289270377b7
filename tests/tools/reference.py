"""Write what is made from the code: pages of the manual, and the types of the starters.

`uv run python -m tests.tools.reference` writes all of it, `.env.example` and the texts to be translated too.
"""

import ast
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
import django
from django.core.management import call_command

if __name__ == "__main__":
    # The description of the API and the pages of rules import the site's models. The static files that the rules'
    # templates name needn't be collected while debugging.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    os.environ.setdefault("DEBUG", "on")
    django.setup()

from arena.cli import EXIT_MACHINE, EXIT_NO, EXIT_USAGE, main
from arena.cli.campaign import EXIT_INTERRUPTED
from arena.cli.verifying import EXIT_SECRET_UNPUBLISHED
from arena.core.environment_table import SETTINGS, read_help, write_example
from arena.runner.data_files import DOCS_FOLDER, STARTERS_FOLDER
from engine.registry import BUILT_IN_GAMES
from tests.tools.message_reference import write_message_reference
from tests.tools.message_types import write_rust, write_typescript
from tests.tools.presentation_reference import write_presentation_reference
from tests.tools.rest_reference import write_rest_reference
from tests.tools.rules_reference import write_rules_reference
from tests.tools.tables import escape_cell

PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
BLOCK_KEPT_AS_IT_IS = "\b"
"""With this click marks a paragraph whose lines are not joined."""


EXIT_CODES = {
    0: "Done.",
    EXIT_NO: "The answer is no: your bot had a fault, can't be built or isn't better, or a record or check failed.",
    EXIT_USAGE: "The command can't run as given: unknown name, wrong value, or a file that's missing or in the way.",
    EXIT_MACHINE: "The arena, the network or this machine failed, so the answer isn't known. Your bot isn't to blame.",
    EXIT_SECRET_UNPUBLISHED: "`verify`: all checks pass, but the deals' secret isn't published yet.",
    EXIT_INTERRUPTED: "You stopped it with Ctrl-C. Results so far are shown.",
}


def write_command_reference() -> str:
    """Return the page of the command line: each command with its arguments and options."""
    lines = [
        "# The command line",
        "",
        "This page shows the `--help` text of every command.",
        "",
        "## Exit codes",
        "",
        "| code | meaning |",
        "|---|---|",
        *(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()),
        "",
        "Results go to standard output, everything else to standard error. `NO_COLOR` turns colours off.",
        "",
    ]
    for path, command in list_commands("pennant", main):
        lines += describe_command(path, command)
    return "\n".join(lines).rstrip() + "\n"


def list_commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all below it, with the words by which each is called."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        if below is not None and not below.hidden:
            yield from list_commands(f"{path} {name}", below)


def describe_command(path: str, command: click.Command) -> Iterator[str]:
    """Yield the lines about a command."""
    context = click.Context(command, info_name=path)
    yield from (f"## {path}", "", "```sh", f"{path} {' '.join(command.collect_usage_pieces(context))}", "```", "")
    for paragraph in PARAGRAPH_BREAK.split(command.help or ""):
        yield from describe_paragraph(paragraph)
    records = [param.get_help_record(context) for param in command.get_params(context)]
    rows = [record for record in records if record is not None and record[1] and not record[0].endswith("--help")]
    if rows:
        yield from ("| option | description |", "|---|---|")
        yield from (f"| `{escape_cell(option)}` | {escape_cell(text)} |" for option, text in rows)
        yield ""


def describe_paragraph(paragraph: str) -> Iterator[str]:
    """Yield the lines of a paragraph of a command's help; what click doesn't wrap is a block of code."""
    text = paragraph.strip()
    if text.startswith(BLOCK_KEPT_AS_IT_IS):
        yield from ("```", *(line.strip() for line in text.removeprefix(BLOCK_KEPT_AS_IT_IS).strip().splitlines()))
        yield from ("```", "")
    elif text:
        yield from (" ".join(text.split()), "")


def write_settings_reference() -> str:
    """Return the page of the settings."""
    lines = [
        "# Settings",
        "",
        "An arena reads its settings from the environment, or from an `.env` file next to `manage.py`. All settings",
        "have defaults, so `up` doesn't need any. If a value is invalid, programs exit with a line that says what",
        "is allowed.",
        "",
        "| setting | default | description |",
        "|---|---|---|",
    ]
    help_texts = read_help()
    for setting in SETTINGS:
        default = f"`{escape_cell(setting.default)}`" if setting.default else ""
        lines.append(f"| `{setting.name}` | {default} | {escape_cell(help_texts[setting.name])} |")
    return "\n".join(lines) + "\n"


ROOT = Path(__file__).parents[2]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
MAP = re.compile(r"^```mermaid\n.*?^(?=The other folders)", re.DOTALL | re.MULTILINE)
"""What is written of CONTRIBUTING.md: a diagram and a table."""
NOT_LAYERED = {"arena.cli": "arena.runner"}
"""The `pennant` command stands beside the site, on what it uses."""


def write_contributing() -> str:
    """Return CONTRIBUTING.md with the map of the packages as the import contract has it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for layer in next(each["layers"] for each in contracts if each["type"] == "layers")]
    lines = ["```mermaid", "flowchart TD"]
    for above, below in zip(layers, layers[1:], strict=False):
        lines.append(f"    {' & '.join(map(_find_place, above))} --> {' & '.join(map(_find_place, below))}")
    lines += [f"    {_find_place(name)} --> {_find_place(below)}" for name, below in NOT_LAYERED.items()]
    lines += ["```", "", "| package | contents |", "|---|---|"]
    for name in [*(name for layer in layers for name in layer), *NOT_LAYERED]:
        lines.append(f"| `{_find_place(name)}` | {_read_first_sentence(name)} |")
    return MAP.sub(lambda _: "\n".join(lines) + "\n\n", CONTRIBUTING.read_text())


def _find_place(name: str) -> str:
    """Return the path of a package, or of a module, as the map names it."""
    path = name.replace(".", "/")
    return path if (ROOT / path).is_dir() else f"{path}.py"


def _read_first_sentence(name: str) -> str:
    path = ROOT / _find_place(name)
    text = (path / "__init__.py" if path.is_dir() else path).read_text()
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].replace("\n", " ")


FILES: dict[Path, Callable[[], str]] = {
    **{
        DOCS_FOLDER / folder / "reference" / f"messages-{key}.md": partial(write_message_reference, key, language)
        for key in BUILT_IN_GAMES
        for language, folder in (("en", "."), ("hu", "hu"))
    },
    **{
        DOCS_FOLDER / folder / "reference" / f"rules-{key}.md": partial(write_rules_reference, key, language)
        for key in BUILT_IN_GAMES
        for language, folder in (("en", "."), ("hu", "hu"))
    },
    DOCS_FOLDER / "reference" / "command-line.md": write_command_reference,
    DOCS_FOLDER / "reference" / "settings.md": write_settings_reference,
    DOCS_FOLDER / "reference" / "rest-api.md": write_rest_reference,
    DOCS_FOLDER / "reference" / "presentation.md": write_presentation_reference,
    STARTERS_FOLDER / "javascript" / "messages.d.ts": write_typescript,
    STARTERS_FOLDER / "rust" / "messages.rs": write_rust,
    CONTRIBUTING: write_contributing,
}

if __name__ == "__main__":
    for file, write in FILES.items():
        file.write_text(write())
    (ROOT / ".env.example").write_text(write_example())
    call_command("makemessages", verbosity=0)
