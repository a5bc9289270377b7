"""What a page is made of, to hold one language against another."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta", "path", "rect", "circle", "line", "use"}
NOT_IN_A_PARAGRAPH = {"p", "ul", "ol", "li", "div", "figure", "table", "section", "h2", "h3"}
SAID = {"p", "li", "figcaption", "h1", "h2", "h3", "th", "td"}
SAME = {"class", "href", "id", "data-card", "aria-labelledby", "transform", "viewbox", "scope"}


class Outline(HTMLParser):
    """The elements of a page's main part, and the texts of those that hold sentences."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: Counter[tuple[object, ...]] = Counter()
        self.texts: list[str] = []
        self.faults: list[str] = []
        self.feed(page.partition("<main")[2].partition(">")[2].partition("</main>")[0])
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "p" in self.open and tag in NOT_IN_A_PARAGRAPH:
            self.faults.append(f"<{tag}> in a paragraph")
        self.elements[tag, *sorted((name, value) for name, value in attrs if name in SAME)] += 1
        if tag in SAID:
            self.texts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if self.texts and SAID & set(self.open) and "code" not in self.open:
            self.texts[-1] += data

    @property
    def sentences(self) -> set[str]:
        """Those of three words at least, which are hardly the same in two languages."""
        return {text for text in (" ".join(text.split()) for text in self.texts) if len(text.split()) > 2}
