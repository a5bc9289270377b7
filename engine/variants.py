"""The rules that a play goes by: an edition of a game, and the options that are changed of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.core import Game, Json
from engine.message import Message
from engine.options import unknown_option


@dataclass(frozen=True, slots=True)
class Variant:
    """An edition with changed options. One that is another edition exactly is that one, unchanged."""

    edition: str
    options: Json
    """Every option in force."""
    changed_options: Json
    """The options that differ from the edition's, with their values."""
    name: Message
    """The title of the edition and what is changed of it."""


def find_variant(game: Game, edition: str, changes: Mapping[str, Any] | None = None) -> Variant:
    """Return what an edition is with these options; those that aren't named are the edition's. Raises BadOptions."""
    known = [option.key for option in game.rule_options]
    for name in changes or {}:
        if name not in known:
            raise unknown_option(name, known)
    options = game.options(edition, **(changes or {}))
    edition = game.nearest_edition(edition, options)
    return Variant(edition, options, game.changed_options(edition, options), game.variant_name(edition, options))
