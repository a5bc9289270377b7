"""`pennant schema`: print what bots are told, as JSON Schema or by examples."""

import json

import click

from arena.runner.message_schema import MESSAGES, NoSchemaError, build_message_schema, list_example_messages
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game


@click.command("schema")
@click.argument("game")
@click.argument("message", type=click.Choice(MESSAGES), required=False)
@click.option("--examples", is_flag=True, help="Print the messages of a random play instead, one a line.")
@click.option("--edition", help="The edition of the examples. [default: the game's first]")
def print_schema(game: str, message: str | None, examples: bool, edition: str | None) -> None:
    """Print the JSON Schema of the messages to the bots of GAME, and of their answers.

    Without MESSAGE the schemas of all messages are one object, by their names.
    """
    try:
        found = find_game(game)
        if examples:
            messages = list_example_messages(found, edition or next(iter(found.editions)))
            kept = [one for one in messages if message in (None, one.get("type", "answer"))]
            click.echo("\n".join(json.dumps(one, separators=(",", ":")) for one in kept))
            return
        schemas = {name: build_message_schema(found, name) for name in MESSAGES}
    except (UnknownGame, BadOptions) as error:
        raise click.ClickException(str(error)) from error
    except NoSchemaError as error:
        raise click.ClickException(f"{game} doesn't describe its messages") from error
    click.echo(json.dumps(schemas[message] if message else schemas, indent=2, ensure_ascii=False))
