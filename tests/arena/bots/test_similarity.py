"""Copies come first in the list of similar pairs, and what the arena hands out makes no two bots alike."""

import re

from arena.bots.similarity import (
    Fingerprint,
    find_given,
    find_pairs,
    fingerprint_in_child,
    list_grams,
    read_code,
    squeeze_files,
    winnow,
)
from arena.runner.data_files import STARTERS_FOLDER

STARTER = (STARTERS_FOLDER / "python" / "bot.py").read_text()
WRITTEN = '''
def measure(hand, flags):
    """How good each card is at each flag."""
    best = {}
    for flag in flags:
        total = sum(card["value"] for card in hand if card["colour"] == flag["colour"])
        if total > 17 and len(flag["mine"]) < 3:
            best[flag["number"]] = total * 3 - len(flag["theirs"])
    return sorted(best.items(), key=lambda pair: -pair[1])


def choose(legal, best, spare):
    while spare and not best:
        spare -= 1
        legal = [one for one in legal if one["kind"] != "pass" or one.get("flag", 0) % 2]
    if not legal:
        raise ValueError("nothing is legal")
    return max(legal, key=lambda one: best.get(one.get("flag"), -1) + spare / 7)


class Memory:
    def __init__(self, size):
        self.size, self.seen = size, []

    def add(self, card):
        self.seen = [*self.seen[-self.size :], card]
        return len(self.seen) >= self.size
'''
OTHER = """
import random
from collections import deque


def walk(board):
    queue, reached = deque([board.start]), {board.start: 0}
    while queue:
        place = queue.popleft()
        for step in board.steps(place):
            if step not in reached:
                reached[step] = reached[place] + 1
                queue.append(step)
    return reached


def guess(names, seed):
    rng = random.Random(seed)
    try:
        return names[rng.randrange(len(names))].strip().lower()
    except IndexError as error:
        print("empty", error)
        return None
"""


def rename(text: str) -> str:
    names = set(re.findall(r"\b[a-z_]{4,}\b", text)) - {"while", "return", "class", "lambda", "import", "raise", "from"}
    for place, name in enumerate(sorted(names - {"sorted", "items", "range", "self", "else", "print", "except"})):
        text = re.sub(rf"\b{name}\b", f"thing{place}", text)
    return text.replace("17", "23").replace('"nothing is legal"', "'x'").replace("    ", "\t")


def reorder(text: str) -> str:
    parts = re.split(r"\n\n\n", text.strip())
    return "# mine\n" + "\n\n\n".join(reversed(parts)) + "\n"


def rank(programs: dict[str, str]) -> list[set[str]]:
    found = fingerprint_in_child({key: {"bot.py": text.encode()} for key, text in programs.items()}, budget_s=60)
    hashes = {key: {one.gram for one in prints or []} for key, prints in found.items()}
    authors = {key: frozenset([place]) for place, key in enumerate(hashes)}
    return [{pair.left, pair.right} for pair in find_pairs(hashes, authors)]


def test_renamed_and_reordered_copies_come_first() -> None:
    pairs = rank(
        {
            "one": WRITTEN,
            "renamed": rename(WRITTEN),
            "reordered": reorder(rename(WRITTEN)),
            "other": OTHER,
            "starter": STARTER,
        }
    )
    copies = [{"one", "renamed"}, {"one", "reordered"}, {"renamed", "reordered"}]
    assert sorted(map(sorted, pairs)) == sorted(map(sorted, copies))


def test_two_starters_changed_alike_are_a_pair_and_two_changed_otherwise_are_none() -> None:
    pairs = rank(
        {
            "untouched": STARTER,
            "untouched too": STARTER.replace("\n", "\r\n"),
            "one": STARTER + WRITTEN[:900],
            "alike": rename(STARTER + WRITTEN[:900]),
            "other": STARTER + OTHER,
        }
    )
    assert pairs == [{"one", "alike"}]


def test_bots_of_one_author_are_no_pair() -> None:
    hashes = {"one": set(range(50)), "two": set(range(50)), "three": set(range(50))}
    pairs = find_pairs(hashes, {"one": frozenset([1, 2]), "two": frozenset([2]), "three": frozenset([3])})
    assert [{pair.left, pair.right} for pair in pairs] == [{"one", "three"}, {"two", "three"}]


def test_whatever_is_as_long_as_a_window_and_a_gram_leaves_a_fingerprint() -> None:
    part = (
        "for card in hand:\n    if card.value > best and card.colour != seen[card.flag]:\n        best = card.value\n"
    )
    texts = [
        f"{before}\n{part}\n{after}\n" for before, after in (("x = 1", "y()"), ("def f(a, b):\n    pass", "z = {}"))
    ]
    one, two = ({found.gram for found in winnow(list_grams("bot.py", text))} for text in texts)
    assert one & two
    lines = [found for found in list_grams("bot.py", texts[0]) if found.first == 2]
    assert lines and all(found.path == "bot.py" and found.last >= 2 for found in lines)


def test_an_untouched_starter_is_known_whatever_its_white_space() -> None:
    files = {path.name: path.read_bytes() for path in (STARTERS_FOLDER / "python").iterdir() if path.is_file()}
    assert find_given(files) == "starters/python"
    assert find_given({"bot.py": STARTER.replace("\n", "\r\n\r\n").encode()}) == "starters/python"
    assert find_given({"bot.py": STARTER.encode(), "more.py": b"x = 1"}) == ""
    assert find_given({"notes.txt": b"nothing"}) == ""


def test_files_are_the_same_whatever_their_white_space() -> None:
    plain = squeeze_files({"bot.py": b"if x:\n    y()\n", "a.json": b"{}"})
    assert plain == squeeze_files({"a.json": b"{ }", "bot.py": b"if x:\r\n\ty()\r\n\r\n"})
    assert plain != squeeze_files({"bot.py": b"if x:\n    z()\n", "a.json": b"{}"})


def test_hostile_files_cost_a_bounded_time_and_stop_nothing() -> None:
    programs = {
        "slow": {"Bot.java": b"class " * 20_000},
        "binary": {"bot.py": bytes(range(256)) * 40},
        "latin": {"bot.py": b"\xe1 = 'x' + y(1)\n" * 20},
        "empty": {"bot.py": b""},
        "giant line": {"bot.js": b"a=[" + b"1," * 3_000},
        "nested": {"bot.py": b"(" * 5_000},
        "fine": {"bot.py": WRITTEN.encode()},
    }
    found = fingerprint_in_child(programs, budget_s=60, seconds_each=0.5)
    assert found["slow"] is None and found["binary"] == found["empty"] == []
    assert found.keys() == programs.keys() and found["latin"] and found["fine"] and found["nested"]
    assert all(isinstance(one, Fingerprint) for one in found["fine"])


def test_no_more_than_a_bounded_part_of_a_large_program_is_read() -> None:
    files = {"bot.py": WRITTEN.encode(), "table.py": b"[1, 2, 3]\n" * 100_000, "data.bin": b"\0" * 10}
    texts = read_code(files)
    assert texts["bot.py"] == WRITTEN and len(texts["table.py"]) < 128 * 1024 and "data.bin" not in texts


def test_a_step_ends_after_its_time_with_at_least_one_program() -> None:
    programs = {str(number): {"bot.py": WRITTEN.encode()} for number in range(5)}
    assert list(fingerprint_in_child(programs, budget_s=0)) == ["0"]
