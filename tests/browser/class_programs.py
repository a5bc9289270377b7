"""What a class hands in: programs of their own, untouched starters, and six copies that somebody has disguised."""

import re
from dataclasses import dataclass
from random import Random

from tests.story.installation import ROOT

STARTER = ROOT / "bots" / "starters" / "python"
TEXT = (STARTER / "bot.py").read_text()
PARAMETERS = (STARTER / "params.json").read_bytes()
FIT = re.compile(r"def rate_fit\(.*?\n\n\n", re.DOTALL)
"""The starter's function that students are asked to replace."""
SHARED_CHANGE = '''def rate_fit(action, message):
    """Return how well a troop fits: runs in one colour first, then sets, and a little for the middle of the line."""
    _, card, flag = action.split()
    own = message["view"]["flags"][int(flag) - 1]["cards"][message["seat"]]
    number = int(card[1:])
    run = sum(1 for other in own if other[0] == card[0] and abs(int(other[1:]) - number) <= 2)
    same = sum(1 for other in own if other[1:] == card[1:])
    middle = 4 - abs(5 - int(flag))
    if len(own) == 2 and run == 2:
        return 40 + number
    return 9 * run + 5 * same + number / 10 + middle / 20


'''
PLAIN_NAMES = ("best", "cards", "flag_score", "helper", "left", "mine", "order", "result", "table", "value")


@dataclass(frozen=True)
class Program:
    """The files of one member's bot, and whose they were first."""

    files: dict[str, bytes]
    original: int | None = None
    """Number of the member whose program this is a copy of, or None."""


def write_class(members: int) -> list[Program]:
    """Return a program for each member. The first twelve are six originals and their copies, in pairs."""
    texts = [write_own(seed) for seed in range(4)]
    pairs = [
        (texts[0], texts[0]),
        (texts[1], rename(texts[1])),
        (texts[2], reorder(texts[2])),
        (change(SHARED_CHANGE), change(SHARED_CHANGE).replace("9 * run", "8 * run").replace("/ 20", "/ 25")),
        (texts[3], reorder(rename(texts[3]))),
        (write_own(4), reword(write_own(4))),
    ]
    made = []
    for number, (first, second) in enumerate(pairs):
        made += [pack(first), pack(second, original=2 * number)]
    while len(made) < members:
        made.append(pack(write_own(len(made)) if len(made) % 2 else TEXT))
    return made


def pack(text: str, original: int | None = None) -> Program:
    return Program({"bot.py": text.encode(), "params.json": PARAMETERS}, original)


def change(function: str) -> str:
    """Return the starter with another way to choose a card."""
    return FIT.sub(lambda _: function, TEXT)


def write_own(seed: int) -> str:
    """Return the starter with a strategy of somebody's own: helpers of random structure, which never raise."""
    draw = Random(seed)
    names = draw.sample(("runs", "sets", "pressure", "tempo", "reach", "weight", "guard", "push", "shape", "need"), 4)
    helpers = "".join(write_helper(draw, name) for name in names)
    total = " + ".join(f"{draw.randint(1, 9)} * {name}(own, theirs, number, place)" for name in names)
    return change(
        f"{helpers}def rate_fit(action, message):\n"
        "    _, card, flag = action.split()\n"
        '    cards = message["view"]["flags"][int(flag) - 1]["cards"]\n'
        '    own, theirs = cards[message["seat"]], cards[1 - message["seat"]]\n'
        "    number, place = int(card[1:]), int(flag)\n"
        f"    return {total}\n\n\n"
    )


def write_helper(draw: Random, name: str) -> str:
    lines = [f"def {name}(own, theirs, number, place):", f"    {name}_points = {write_number(draw, 2)}"]
    for _ in range(draw.randint(3, 5)):
        kind = draw.randrange(4)
        target = f"{name}_points"
        if kind == 0:
            lines += [f"    if {write_number(draw, 1)} {draw.choice('<>')} {write_number(draw, 1)}:"]
            lines += [f"        {target} {draw.choice('+-')}= {write_number(draw, 2)}"]
        elif kind == 1:
            lines += [f"    for step in range({draw.randint(2, 4)}):"]
            lines += [f"        {target} {draw.choice('+-')}= step * {write_number(draw, 1)}"]
        elif kind == 2:
            lines += [f"    while {target} > {draw.randint(60, 90)}:", f"        {target} -= {draw.randint(20, 50)}"]
        else:
            lines += [f"    {target} = {draw.choice(('min', 'max'))}({target}, {write_number(draw, 2)})"]
    return "\n".join([*lines, f"    return {name}_points", "", "", ""])


def write_number(draw: Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(("number", "place", "len(own)", "len(theirs)", str(draw.randint(1, 12))))
    left, right = write_number(draw, depth - 1), write_number(draw, depth - 1)
    forms = (f"({left} + {right})", f"({left} - {right})", f"abs({left} - {right})", f"({left} * {right} % 7)")
    return draw.choice((*forms, f"max({left}, {right})", f"({left} if len(own) > {draw.randint(0, 2)} else {right})"))


def find_own_names(text: str) -> list[str]:
    """Return the names of functions and of variables that only these functions use."""
    functions = re.findall(r"^def (\w+)", text, re.MULTILINE)
    points = [f"{name}_points" for name in functions if f"{name}_points" in text]
    return [*functions, *points, "own", "theirs", "place"]


def rename(text: str) -> str:
    """Return a program with other names for the same things."""
    names = {old: f"{PLAIN_NAMES[at % len(PLAIN_NAMES)]}{at}" for at, old in enumerate(find_own_names(text))}
    words = "|".join(names)
    return re.sub(rf"(?<![\"'])\b({words})\b(?![\"'])", lambda found: names[found[0]], text)


def reorder(text: str) -> str:
    """Return a program whose functions stand in reverse order."""
    start, loop, end = text.partition("\nif __name__")
    head, *functions = re.split(r"^(?=def )", start + "\n", flags=re.MULTILINE)
    return head + "".join(reversed(functions)) + loop + end


def reword(text: str) -> str:
    """Return a program with other comments, blank lines and spaces."""
    text = re.sub(r'^    """[^"]*"""\n', "    # my own idea\n", text, flags=re.MULTILINE)
    text = re.sub(r"^( +)return ", r"\1# done\n\1return ", text, flags=re.MULTILINE)
    return text.replace("\n\n\n", "\n\n# ----\n\n")
