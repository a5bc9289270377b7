"""Write the table of letters that look alike from Unicode's data: `python -m tests.tools.lookalikes FOLDER`.

The folder is that of the package `confusable-homoglyphs`, unpacked; its `confusables.json` lists for each character
those that look like it.
"""

import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.people.accounts.names import LOOKALIKES, LOOKALIKES_FILE

PLAIN = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghljklmnopqrstuvwxyzol23456789", strict=True))
"""The letters and digits that every other one is compared with, and by which of them they are known."""
LONG_VOWEL = "ー"
SIGN_LETTERS = frozenset("ꞌꞏꟷ")
LEFT_APART = frozenset("ıßẞєЄขฃคดตฆมชซฎฏฑทภฦาๅിീുൂൃ")
"""Letters that capitals spell otherwise, or that those who write with them tell apart at a glance."""


def is_compared(character: str) -> bool:
    """Return whether names hold this, once they are taken apart into letters and marks."""
    is_one = len(character) == 1 and character not in LEFT_APART and character.isprintable()
    return is_one and unicodedata.normalize("NFKD", character) == character


def list_pairs(known: dict[str, list[dict[str, str]]]) -> Iterator[tuple[str, str]]:
    """List which two look alike, marks with marks and others with others, by Unicode and by the arena's own list."""
    own = ((chr(code), str(other)) for code, other in LOOKALIKES.items())
    for pair in [*((one, other["c"]) for one, others in known.items() for other in others), *own]:
        if all(map(is_compared, pair)) and len({unicodedata.category(one)[0] == "M" for one in pair}) == 1:
            yield pair


def find_classes(pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return the sets of characters of which each looks like another of them, and none like two Latin letters."""
    groups: dict[str, set[str]] = {}
    for one, other in pairs:
        joined = groups.get(one, {one}) | groups.get(other, {other})
        if len({PLAIN[letter] for each in joined if (letter := each.lower()) in PLAIN}) < 2:
            groups.update(dict.fromkeys(joined, joined))
    return [set(one) for one in {frozenset(group) for group in groups.values()}]


def split_class(group: set[str]) -> Iterator[str]:
    """List as lines what of these stands for others, and the others.

    Signs are left out of names that are compared, and so is a modifier that looks like one.
    """
    kinds = {one: unicodedata.category(one) for one in group}
    signs = {one for one in group if kinds[one][0] == "P"}
    modifiers = {one for one in group if signs and (kinds[one][0] == "S" or kinds[one] == "Lm" and one != LONG_VOWEL)}
    modifiers |= group & SIGN_LETTERS
    rest = group - signs - modifiers
    for firsts, others in ((signs, modifiers), (rest, rest)):
        first = min(firsts, key=lambda one: (one.lower() not in PLAIN, kinds[one][0] not in "LMN", one), default="")
        if written := sorted(one for one in others - {first} if not one.isascii()):
            yield first + "".join(written)


def main(folder: Path) -> None:
    """Write the table."""
    known = json.loads(next(folder.rglob("confusables.json")).read_text())
    lines = [line for group in find_classes(list_pairs(known)) for line in split_class(group)]
    LOOKALIKES_FILE.write_text("\n".join(sorted(lines)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
