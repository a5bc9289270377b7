"""Write the pages of the manual with the rules, from the templates that the site shows."""

import re
from collections.abc import Iterator
from typing import Any

from bs4 import BeautifulSoup, Tag
from django.template.loader import render_to_string
from django.utils import translation

from arena.pages.games import find_presentation
from arena.pages.rules import describe_game, list_rule_parts
from engine.registry import GAMES
from tests.tools.rules_markdown import convert_rules

PARTS_ELSEWHERE = {"bots", "credits"}
"""The messages to bots are in their own reference, who made the games in the README."""
FENCE = "```"
NOT_A_PARAGRAPH = re.compile(r"```|- |1\. |\|")
"""How drawings, lists and tables begin."""
WHOLE_PART = ""
"""Stands for what a part says outside its rulings."""
TEXTS = {
    "en": {
        "heading": "{game} rules",
        "about": "Every ruling has a number, which errors, tests and the code quote. Where editions differ, a text "
        "begins with the editions it applies to. The site has the same rules with pictures at `/rules/`, one page "
        "per edition.",
        "seats": "South is the player at the bottom, North the one at the top.",
        "next": "Next: [{game} messages](messages-{key}.md)",
    },
    "hu": {
        "heading": "A játék szabályai: {game}",
        "about": "Minden szabálynak száma van, erre hivatkoznak az elutasítások, a tesztek és a kód. Ahol a kiadások "
        "eltérnek, ott áll, melyikre vonatkozik. Az oldal ugyanezt képekkel mutatja a `/rules/` cím alatt, "
        "kiadásonként.",
        "seats": "Dél az alsó játékos, Észak a felső.",
        "next": "Tovább: [Mit tud meg egy bot](messages-{key}.md)",
    },
}

Rulings = dict[str, list[tuple[str, list[str]]]]
"""By number of a ruling: its blocks of text in order, each with the titles of the editions that have it."""


def write_rules_reference(key: str, language: str) -> str:
    """Return the page with the rules of a game."""
    with translation.override(language):
        return "\n".join(list_lines(key, language)).rstrip() + "\n"


def list_lines(key: str, language: str) -> Iterator[str]:
    """Yield the lines of the page."""
    game, texts = GAMES[key], TEXTS[language]
    yield from (f"# {texts['heading'].format(game=game.title)}", "", texts["about"], "")
    if key == "battleline":
        yield from (texts["seats"], "")
    for title, rulings in collect_parts(key).items():
        yield from (f"## {title}", "")
        for number, blocks in rulings.items():
            if number:
                yield from (f"### {number}", "")
            for text, editions in blocks:
                yield from (name_editions(text, editions, len(game.editions)), "")
    yield texts["next"].format(key=key, game=game.title)


def name_editions(text: str, editions: list[str], number_of_editions: int) -> str:
    """Return a block of text, led by the editions that have it unless all do."""
    if len(editions) == number_of_editions:
        return text
    lead = f"*{' · '.join(editions)}:*"
    return f"{lead}\n\n{text}" if NOT_A_PARAGRAPH.match(text) else f"{lead} {text}"


def collect_parts(key: str) -> dict[str, Rulings]:
    """Return the rulings of a game by title of their part, in the order of the first edition that has them."""
    parts: dict[str, Rulings] = {}
    for edition in GAMES[key].editions:
        presentation = find_presentation(key, edition)
        assert presentation.build_rules is not None  # both games of ours have rules
        context = {"game": describe_game(key), "pages": presentation.pages, **presentation.build_rules()}
        for part in list_rule_parts(f"games/{presentation.folder}/rules", context["parts"]):
            if part["id"] not in PARTS_ELSEWHERE:
                rulings = parts.setdefault(part["title"], {})
                for number, text in read_rulings(part, context).items():
                    add_blocks(rulings.setdefault(number, []), split_blocks(text), context["edition"].title)
    return parts


def split_blocks(text: str) -> list[str]:
    """Return the paragraphs, lists and drawings of a text; a drawing stays with its caption."""
    blocks: list[str] = []
    for block in text.split("\n\n"):
        if blocks and (blocks[-1].count(FENCE) % 2 or blocks[-1].endswith(FENCE)):
            blocks[-1] += f"\n\n{block}"
        else:
            blocks.append(block)
    return blocks


def add_blocks(known: list[tuple[str, list[str]]], blocks: list[str], edition: str) -> None:
    """Add the blocks of an edition to those of the editions before, each where it stands in the order."""
    for number, block in enumerate(blocks):
        texts = [text for text, _ in known]
        if block in texts:
            known[texts.index(block)][1].append(edition)
        else:
            follower = next((one for one in blocks[number + 1 :] if one in texts), None)
            known.insert(len(known) if follower is None else texts.index(follower), (block, [edition]))


def read_rulings(part: dict[str, Any], context: dict[str, object]) -> dict[str, str]:
    """Return the rulings of a part as Markdown, by number, and what stands outside them."""
    soup = BeautifulSoup(render_to_string(part["templates"], context), "html.parser")
    found = {}
    for ruling in soup.find_all(class_="ruling"):
        content = ruling.find("div", recursive=False)
        if isinstance(ruling, Tag) and isinstance(content, Tag):
            found[str(ruling["id"])] = convert_rules(str(content))
            ruling.extract()
    outside = convert_rules(str(soup))
    return {WHOLE_PART: outside, **found} if outside else found
