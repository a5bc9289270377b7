"""`pennant team`: who works on a bot."""

import json
from typing import Any
from urllib.parse import quote

import click

from arena.cli.api import Api, find_api

ACTIONS = ("invite", "remove", "lead", "accept", "refuse")


@click.command()
@click.argument("bot")
@click.option("--invite", metavar="NAME", help="Invite the author with this user name.")
@click.option("--remove", metavar="NAME", help="Take this author off the team, or take the invitation back.")
@click.option("--lead", metavar="NAME", help="Let this author lead the team. You stay on it.")
@click.option("--accept", is_flag=True, help="Accept your invitation to the team.")
@click.option("--refuse", is_flag=True, help="Refuse your invitation to the team.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def team(bot: str, as_json: bool, **actions: Any) -> None:
    """Show who works on BOT, named by its slug, or change it with one of the options.

    Only the one who leads invites, removes and hands over the lead; with --remove and your own name you leave the team.
    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token.
    """
    chosen = {name: value for name, value in actions.items() if value}
    if len(chosen) > 1:
        raise click.UsageError(f"Choose one of {', '.join(f'--{name}' for name in ACTIONS)}.")
    api = find_api()
    for name, value in chosen.items():
        if not _change(api, bot, name, value):
            click.echo("[]" if as_json else f"You don't work on {bot}.")
            return
    people = api.get(f"bots/{bot}/team/")["people"]
    click.echo(json.dumps(people) if as_json else "\n".join(map(_describe, people)))


def _change(api: Api, bot: str, action: str, value: Any) -> bool:
    """Change the team. Return whether one may still read who is on it."""
    if action == "invite":
        api.post(f"bots/{bot}/team/", json={"username": value})
    elif action == "lead":
        api.post(f"bots/{bot}/lead/", json={"username": value})
    elif action == "remove":
        is_own = api.get("me/")["username"] == value
        api.ask("DELETE", f"bots/{bot}/team/{quote(value, safe='')}/")
        return not is_own
    else:
        api.ask("POST" if action == "accept" else "DELETE", f"bots/{bot}/invitation/")
        return action == "accept"
    return True


def _describe(person: dict[str, Any]) -> str:
    if person["is_lead"]:
        return f"{person['username']} leads"
    return person["username"] if person["joined_at"] else f"{person['username']} is invited"
