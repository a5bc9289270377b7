"""Turn the HTML of the pages of rules into Markdown, with boards and formations drawn as text."""

import re
from typing import Any

from bs4 import Tag
from markdownify import MarkdownConverter

TRACK_CLASSES = re.compile(r"\btens-(\d+) ones-(\d+) rank-(\d+)\b")
"""Where a cell of Battalion stands: its column, in units of a quarter of a cell, and its row."""
RULING_LINK = re.compile(r"#[A-Z]+-\d+")
EMPTY_LINES = re.compile(r"\n{3,}")
SPACES = re.compile(r"\s+")
EMPEROR_SIGN = "E"


class RulesConverter(MarkdownConverter):
    """Convert what the templates of the rules consist of."""

    def convert_svg(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Leave pictures out; what they show is said beside them."""
        return ""

    def convert_a(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Keep links to other rulings of the page; a page of the site is named without its address."""
        target = str(element.get("href") or "")
        return f"[{text}]({target.lower()})" if RULING_LINK.fullmatch(target) else text

    def convert_li(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a card by its name, and all else as an item of its list."""
        if is_of_class(element, "card"):
            return f"{name_card(element)}; "
        if element.find("figure"):
            return f"\n\n{text.strip()}\n\n"
        item: str = super().convert_li(element, text, parent_tags)  # type: ignore[misc]  # its stub is incomplete
        return item

    def convert_ul(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write cards in a line, figures one below the other, and all else as a list."""
        if is_of_class(element, "cards-small"):
            return f"{text.strip().rstrip(';')}: "
        if is_of_class(element, "cards-table"):
            return ""  # the picture of a suit, whose name stands beside it
        if is_of_class(element, "grounds"):
            return f"\n\n{text.strip()}\n\n"
        return str(self.convert_list(element, text, parent_tags))  # type: ignore[attr-defined]  # the same

    def convert_span(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a card by its name."""
        return name_card(element) if is_of_class(element, "card") else text

    def convert_b(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Separate a bold word from what the page shows on the next line."""
        follower = element.next_sibling
        gap = " " if isinstance(follower, str) and follower[:1].isalnum() or isinstance(follower, Tag) else ""
        return f"**{text.strip()}**{gap}" if text.strip() else ""

    def convert_hN(self, n: int, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a heading inside a ruling in bold: the page's own headings are parts and rulings."""
        return f"\n\n**{text.strip()}**\n\n"

    def convert_code(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Set code apart from what stands before it."""
        before = element.previous_sibling
        gap = "" if before is None or str(before).endswith((" ", "\n", "(")) else " "
        return f"{gap}`{text}`"

    def convert_section(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write the panel that proves a claim as plain lines."""
        lines = [line.replace("**", "").strip(" ;") for line in text.splitlines()]
        return "\n\n```text\n" + "\n".join(filter(None, lines)) + "\n```\n\n"

    def convert_figure(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Draw a board as text, with its caption below."""
        caption = element.find("figcaption")
        drawing = draw_grounds(element) or draw_flags(element)
        below = self.process_tag(caption).strip() if isinstance(caption, Tag) else ""  # type: ignore[attr-defined]
        return f"\n\n```text\n{drawing}\n```\n\n{below}\n\n"


def convert_rules(html: str) -> str:
    """Return a part of the rules as Markdown."""
    converted = RulesConverter(heading_style="atx", bullets="-", wrap=False).convert(html)
    return EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in converted.splitlines())).strip()


def is_of_class(element: Tag, name: str) -> bool:
    """Tell whether an element has a class."""
    return name in (element.get("class") or [])


def name_card(element: Tag) -> str:
    """Return the name of a card as is read aloud."""
    return read_text(element.find(class_="hidden-text"))


def read_text(element: Any) -> str:
    """Return the text of an element in a line; empty where there is none."""
    return SPACES.sub(" ", element.get_text(" ")).strip() if isinstance(element, Tag) else ""


def draw_flags(figure: Tag) -> str:
    """Return a line for each flag of a board of Battle Line: whose it is, and what lies there."""
    lines = []
    for flag in figure.select("[data-slot^=flag-]"):
        lines.append(str(flag.get("aria-label")))
        for side in flag.select(".side"):
            cards = ", ".join(name_card(card) for card in side.select(".card"))
            formation = side.find_previous_sibling(class_="formation")
            if is_of_class(side, "south"):
                formation = side.find_next_sibling(class_="formation")
            strength = read_text(formation)
            if cards:
                lines.append(f"    {side.get('aria-label')}: {cards}{f' ({strength})' if strength else ''}")
    return "\n".join(lines)


def draw_grounds(figure: Tag) -> str:
    """Return the formations of Battalion in a figure, each as rows of cards from the front."""
    return "\n\n".join(draw_ground(ground) for ground in figure.select(".ground"))


def draw_ground(ground: Tag) -> str:
    """Return a formation as rows of cards from the front; the guard and the emperor, E, are in the last row."""
    rows: dict[int, dict[int, str]] = {}
    for cell in ground.select(".cell, .emperor"):
        place = TRACK_CLASSES.search(" ".join(cell.get("class") or []))
        if place is None:
            continue
        column, row = int(place[1]) * 10 + int(place[2]), int(place[3])
        rows.setdefault(row, {})[column] = EMPEROR_SIGN if is_of_class(cell, "emperor") else read_card(cell)
    return "\n".join(draw_row(rows[row]) for row in sorted(rows))


def read_card(cell: Tag) -> str:
    """Return the value of the card in a cell, a dot for none."""
    card = cell.select_one("[data-card]")
    return str(card["data-card"])[1:] if card else "."


def draw_row(values: dict[int, str]) -> str:
    """Return a line with values at their columns."""
    line = ""
    for column in sorted(values):
        line = line.ljust(column) + values[column]
    return line
