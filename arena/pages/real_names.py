"""Real names beside user names on the pages of what belongs to a group, for its members alone.

A page has them where its context has `real_names`: the tags `bot_authors`, `author_name` and `authors_as_text` read it,
and write user names wherever it is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.http import HttpRequest

from arena.bots.models import Bot
from arena.groups.models import Group
from arena.groups.queries.groups import fetch_real_names, visible_to
from arena.pages.reader import reader_of
from arena.private_responses import forbid_caching
from arena.runner.text import make_visible

RealNames = Mapping[int, str]
"""Real names by the keys of users."""
NO_REAL_NAMES: RealNames = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Author:
    """A person as the reader knows it."""

    username: str
    real_name: str = ""
    """Its name in the group; empty where it has none, and for readers who are not in the group."""

    def __str__(self) -> str:
        """Return both names where both are known."""
        return f"{self.real_name} ({self.username})" if self.real_name else self.username


def find_shown_group(request: HttpRequest, group: int | None) -> Group | None:
    """Return the group with this key if the reader is in it; a page that names it is never cached."""
    found = visible_to(reader_of(request)).filter(pk=group).first() if group is not None else None
    if found is not None:
        forbid_caching(request)
    return found


def fetch_shown_names(request: HttpRequest, group: int | None) -> dict[int, str]:
    """Return the real names that the reader may see on a page of this group; one with such names is never cached."""
    names = fetch_real_names(reader_of(request), group)
    if names:
        forbid_caching(request)
    return {key: make_visible(name) for key, name in names.items()}


def list_authors(bot: Bot, names: RealNames) -> list[Author]:
    """Return the authors of a bot, the one who leads first."""
    people = [(bot.owner_id, bot.owner.username), *((one["id"], one["username"]) for one in bot.co_authors)]
    return [Author(username, names.get(key, "")) for key, username in people]


def write_authors(bot: Bot, names: RealNames, *, is_short: bool = False) -> str:
    """Return the authors of a bot as a text; a short one has the real name instead of the user name where it can."""
    authors = list_authors(bot, names)
    return ", ".join((one.real_name or one.username) if is_short else str(one) for one in authors)
