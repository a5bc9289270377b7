"""Elements of a scene that a step may change, marked in the templates so that the viewer knows them by name."""

import re
from typing import Any

from django import template
from django.template.base import Parser, Token, token_kwargs

OPENING_TAG = re.compile(r"^(<[a-z0-9]+)")
KEYWORD = re.compile(r"^\w+=")


class Slots(dict[str, str]):
    """The slots of a scene by name, and of the next one, for which only those are drawn again that have changed."""

    def __init__(self) -> None:
        super().__init__()
        self.subjects: dict[str, list[Any]] = {}
        """The values that each slot was drawn from, where the template names them."""

    def is_unchanged(self, name: str, subjects: list[Any]) -> bool:
        """Return whether a slot was drawn from equal values before."""
        return name in self and self.subjects.get(name) == subjects


class SlotNode(template.Node):
    """The tag `slot` of a compiled template."""

    def __init__(self, nodelist: template.NodeList, names: list[Any], subjects: list[Any]) -> None:
        self.nodelist = nodelist
        self.names = names
        self.subjects = subjects

    def render(self, context: template.Context) -> str:
        """Return the slot, drawn only where what it is drawn from has changed."""
        name = "-".join(str(part.resolve(context)) for part in self.names)
        slots: Slots | None = context.get("slots")
        if slots is None:
            return self.draw(context, name)
        subjects = [subject.resolve(context) for subject in self.subjects]
        if not subjects or not slots.is_unchanged(name, subjects):
            slots[name] = self.draw(context, name)
            slots.subjects[name] = subjects
        return slots[name]

    def draw(self, context: template.Context, name: str) -> str:
        """Return the element with its name."""
        content = self.nodelist.render(context).strip()
        return OPENING_TAG.sub(f'\\1 data-slot="{name}"', content, count=1)


def slot(parser: Parser, token: Token) -> SlotNode:
    """Parse `{% slot "name" [number] [of=value] %}<one element>{% endslot %}`: what a step of a replay may change.

    The viewer finds it by its name and puts the next scene's there, so it must always be there, empty and hidden if
    need be; slots don't lie in one another. Where `of=value` stands, and `and=value` for more, all that is drawn must
    follow from these values: while they stay equal from scene to scene, it isn't drawn again.
    """
    _tag, *words = token.split_contents()
    names = [parser.compile_filter(word) for word in words if not KEYWORD.match(word)]
    subjects = token_kwargs([word for word in words if KEYWORD.match(word)], parser)
    nodelist = parser.parse(("endslot",))
    parser.delete_first_token()
    return SlotNode(nodelist, names, list(subjects.values()))
