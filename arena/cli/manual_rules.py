"""The rules of one edition, as text for a language model: from the manual that comes with the command."""

import re
from collections.abc import Iterator, Sequence

from arena.runner.data_files import DOCS_FOLDER
from arena.runner.protocol import NoSchemaError, read_vocabulary
from engine.core import Game, Json
from engine.options import OptionValue

RULING = re.compile(r"[A-Z]{2,4}-\d+[a-z]?")
EDITIONS_TAG = re.compile(r"\*([^*\n]+):\*(?:\s+|$)")
EDITIONS_SEPARATOR = " · "
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def read_rules(game: Game, edition: str) -> str:
    """Return the rules of an edition; empty where the manual doesn't have them."""
    path = DOCS_FOLDER / "reference" / f"rules-{game.key}.md"
    if not path.exists():
        return ""
    _, heading, text = path.read_text(encoding="utf-8").partition("\n## ")
    blocks = choose_blocks(re.split(r"\n\n(?=\S)", heading.lstrip() + text), game, edition)
    return LINK.sub(r"\1", "\n\n".join(drop_empty(list(blocks))))


def drop_empty(blocks: Sequence[str]) -> list[str]:
    """Return the blocks without headings and announcements after which nothing is left."""
    kept: list[str] = []
    for block in reversed(blocks):
        level, below = count_marks(block), count_marks(kept[-1]) if kept else 1
        announces_drawing = block.endswith(":") and below
        if not announces_drawing and (not level or not below or below > level):
            kept.append(block)
    return kept[::-1]


def count_marks(block: str) -> int:
    """Return the level of a heading; 0 for any other block."""
    return len(block) - len(block.lstrip("#"))


def choose_blocks(blocks: Sequence[str], game: Game, edition: str) -> Iterator[str]:
    """Yield the blocks that apply to an edition, without drawings, their captions and what leads on.

    A text that isn't for all editions begins with their titles, or these stand alone before it.
    """
    titles = set(game.editions.values())
    applies, is_announced, follows_drawing = True, False, False
    for block in blocks:
        tag = EDITIONS_TAG.match(block)
        named = set(tag[1].split(EDITIONS_SEPARATOR)) if tag else set()
        if tag and named <= titles:
            applies, block = game.editions[edition] in named, block[tag.end() :]
            is_announced, follows_drawing = not block, False
        elif not is_announced and (block.startswith("#") or not follows_drawing):
            applies, follows_drawing = True, False
        else:
            is_announced = False
        is_drawing = block.startswith("```")
        if block and applies and not (is_drawing or follows_drawing or block.startswith("Next: ")):
            yield block
        follows_drawing = is_drawing


def find_ruling(rules: str, number: str) -> str | None:
    """Return the text of a ruling, or None where these rules don't have it."""
    found = re.search(rf"^### {re.escape(number)}\n\n(.*?)(?=\n#|\Z)", rules, re.DOTALL | re.MULTILINE)
    return found and f"{number}: {found[1].strip()}"


def list_changes(game: Game, edition: str, changed: Json) -> Iterator[str]:
    """Yield a sentence for each rule option that differs from the edition's."""
    for option in game.rule_options:
        if option.key in changed:
            values: Sequence[OptionValue] = getattr(option, "values", ())
            known = next((value for value in values if value.value == changed[option.key]), None)
            yield f"{option.title}: {known.description if known else changed[option.key]}"


def list_actions(game: Game) -> Iterator[str]:
    """Yield a line for each action of the game and for each word in it; none where the game doesn't describe them."""
    try:
        vocabulary = read_vocabulary(game)
    except NoSchemaError:
        return
    yield "Actions:"
    yield from (f"- {action['form']}: {action['description']}" for action in vocabulary["actions"])
    yield from (f"- {word} is {meaning}" for word, meaning in vocabulary["words"].items())
    yield "Cards:"
    yield from (f"- {card}: {meaning}" for card, meaning in vocabulary["cards"].items())
