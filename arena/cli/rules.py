"""Rule options on the command line: `--option OPTION=VALUE`, and `pennant options` that lists them."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from engine.core import Game
from engine.message import gettext_noop, message, quote
from engine.options import BadOptions, ChoiceOption, NumberOption, RuleOption, write_value
from engine.registry import GAMES, UnknownGame, find_game

rule_option = click.option(
    "--option",
    "rule_options",
    metavar="OPTION=VALUE",
    multiple=True,
    help="Change a rule option of the edition, as in scout=at-once. Can be repeated; `pennant options` lists them.",
)
"""The option of commands that play."""


def read_options(game: Game, texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of options that are written as `scout=at-once`. Raises BadOptions."""
    changes: dict[str, Any] = {}
    for text in texts:
        key, value = game.parse_option(text)
        if changes.setdefault(key, value) != value:
            raise BadOptions(message(gettext_noop("option %(option)s is given twice"), option=quote(key)))
    return changes


@click.command("options")
@click.argument("game", metavar="[GAME]", required=False)
def list_options(game: str | None) -> None:
    """List the rule options of the games, their values, and what each edition has.

    An edition is a set of rule options; --option of `play`, `tournament` and `compare` changes some of them.
    """
    try:
        games = [find_game(game)] if game else list(GAMES.values())
    except UnknownGame as error:
        raise click.ClickException(str(error)) from error
    for number, each in enumerate(games):
        click.echo(f"{chr(10) if number else ''}{each.title} ({each.key})")
        for option in each.rule_options:
            click.echo(f"\n{option.key}: {option.title} ({', '.join(option.rulings)})\n  {option.description}")
            for line in _list_values(option):
                click.echo(f"  {line}")
        click.echo("\nEditions, with the options that differ from the first one:")
        for line in _list_editions(each):
            click.echo(line)


def _list_values(option: RuleOption) -> Iterator[str]:
    """Yield a line for each value, or for the range of a number."""
    if isinstance(option, ChoiceOption):
        for value in option.values:
            yield f"{option.key}={write_value(value.value)[0]}  {value.title}. {value.description}"
    elif isinstance(option, NumberOption):
        yield f"{option.key}=NUMBER  a whole number from {option.lowest} to {option.highest}"


def _list_editions(game: Game) -> Iterator[str]:
    """Yield a line for each edition: the options in which it differs from the first one."""
    usual = game.options(next(iter(game.editions)))
    width = max(map(len, game.editions))
    for key, title in game.editions.items():
        changes = {name: value for name, value in game.options(key).items() if value != usual[name]}
        listed = " ".join(f"{name}={write_value(value)[0]}" for name, value in changes.items())
        yield f"  {key:{width}}  {title}{': ' if changes else ''}{listed}"
