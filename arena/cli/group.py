"""`pennant group`: show, export and delete a group."""

import json
from pathlib import Path
from typing import Any

import click

from arena.cli.api import Api, find_api


@click.command()
@click.argument("slug")
@click.option(
    "--export",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write members, bots, tournaments and records into this zip, as an owner.",
)
@click.option("--delete", is_flag=True, help="Delete the group for good, as an owner. Asks for its name.")
@click.option("--confirm", metavar="NAME", help="With --delete: the name of the group, so that it isn't asked for.")
@click.option("--json", "as_json", is_flag=True, help="Print the group as a JSON object.")
def group(slug: str, export: Path | None, delete: bool, confirm: str | None, as_json: bool) -> None:
    """Show a group in which you are, named by its SLUG, or write it into a file, or delete it.

    With both options the file is written first. It has real names: keep it safe.
    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token.
    """
    if export is not None and export.exists():
        raise click.UsageError(f"{export} is there already.")
    api = find_api()
    found = api.get(f"groups/{slug}/")
    if export is not None:
        _export(api, slug, export)
    if delete:
        question = f"Type {found['name']} to delete the group for good"
        name = confirm if confirm is not None else click.prompt(question, err=True)
        api.ask("DELETE", f"groups/{slug}/", params={"confirmation": name})
        click.echo(f"{found['name']} is deleted.", err=True)
    elif export is None:
        click.echo(json.dumps(found) if as_json else _describe(found))


def _export(api: Api, slug: str, path: Path) -> None:
    """Write the zip of a group, which nobody but its owner may read."""
    content = api.download(f"groups/{slug}/export/")
    path.touch(mode=0o600)
    path.write_bytes(content)
    click.echo(f"{path} is written.", err=True)


def _describe(found: dict[str, Any]) -> str:
    role = found["role"].replace("_", "-")
    return f"{found['name']} ({found['html_url']}), number of members: {found['members']}; you are {role}"
