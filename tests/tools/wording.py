"""Look for wordings that make our English read like a translation. `python -m tests.tools.wording` lists them.

It reads the messages of the site's catalogue, the rules pages, the manual and the texts of the command line. What it
looks for is a habit we had, not all that can be wrong: each pattern names what to write instead.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polib

ROOT = Path(__file__).parents[2]

PATTERNS = {
    # Habits.
    r"\bwhoever\b|\bWhoever\b": "name the person: “anyone who”, “players who”",
    r"\b(is|are|was|were|be|been) over(?! \d)(?= *([.,;:)]|$)|\.? )": "finished, ends, after",
    r"\bha(?:s|ve) ended\b": "is finished, ended",
    r"(?<!\()\bbeside\b": "next to, along with",
    r"\blikewise\b": "too, also, or nothing",
    r"\bas far as\b": "say the limit",
    r"\bin the place of\b": "instead of",
    r"\b(?:an?|the|no|any|each|which|this) [\w-]+(?: [\w-]+)? of (?:yours|ours|theirs|mine)\b": "your …, their …",
    r"\b(?:cards?|Fog|Mud|troops?|tactics|tiles?|stones?) (?:that )?(?:lie|lies|lay)\b": "is on, is face up",
    r"\b(?:lay|lays|laid) (?:it|a|the|Fog|Mud)\b": "play",
    r"\b(?:[Ee]very|[Aa]ny|[Nn]o|[Ss]ome)body\b": "anyone, all players, or “public”; write of the reader",
    r"\bmay(?! (?:not )?(?:already |also |still |even )?"
    r"(?:be|have|fail|end|play|contain|differ|need|take|change|lose)\b)\b": "can, or might",
    r"(?:^|[.!?:] )(?:There (?:is|are|was|were)|It takes|It took)\b": "begin with what it is about",
    r"None where there is none": "or None",
    r"\bby lot\b": "at random, drawn",
    r"\bfor good\b": "permanently",
    r"\balone(?=[.,;:)]|$)": "only",
    r"\banew\b": "again",
    r"\b(?:is|are|was|were|be|been|being) told\b(?! at the start)": "get, see, know",
    r"\b(?:[Gg]o|[Gg]oes|[Ww]ent|[Gg]oing) on\b(?! (?:top|the|a|to)\b)": "continue",
    r"\b[Ll]et go\b": "cancel",
    r"\be-mail": "email",
    r"\b[Ll]og in to\b|\bto log in\b|\b[Ll]ogged (?:in|out)\b": "sign in, sign out",
    r"\bone's\b": "your",
    r"\b(?:hold|holds|say|says) of\b": "apply to, describe",
    # Single texts.
    r"^What just happened$": "Moves",
    r"\bflags? (?:is|are) open to it\b": "possible",
    r"\bside is not full\b": "still has room",
    r"taken as seen": "count as seen",
    r"the new place of": "move to which flag",
    r"[Tt]o the discard": "discard it",
    r"choose a card of": "remove one of …'s cards",
    r"the last one lies": "the last goes on top",
    r"^You have resigned": "You resigned on turn …",
    r"^Watch it again": "Replay",
    r"^Next opponent": "Choose another opponent",
    r"Swapped seats and games": "Same-deal rematches",
    r"^Take a seat": "Play a bot",
    r"the game is practice then": "the game won't count",
    r"the weakest first": "weakest first",
    r"^You against it": "Your record",
    r"those that play only the editions": "some only know the standard editions",
    r"\ba person, by a link|\b[Gg]ive the table up|^a free seat": "a friend; cancel game; open seat",
    r"^How it ended": "Won by",
    r"\bpart level\b|\bfight for\b|get away from each other|wins on flags after": "draw, need, keep meeting",
    r"plays it against ours": "test it against our bots",
    r"match without a fault it is rated": "pass a trial match and it joins the ladder",
    r"^Evenly matched: \S+ points? apart": "ratings … apart",
    r"^Chosen by rule": "picked automatically",
    r"could have refuted it": "could have stopped it",
    r"A kind that has no candidate|[Oo]f ladder matches between two": "empty categories are skipped",
    r"^All that are": "finished …, newest first",
    r"^Result of the": "Result",
    r"^our delay": "+ server delay",
    r"^chances |^Chances reported": "eval, the bots' own evaluation",
    r"It says what each decision gave away": "analysis shows what each move cost",
    r"^Being (?:analysed|made)": "Analysing…, running",
    r"^Requests and answers of": "bot messages for",
    r"\byou see what all": "hands stay hidden",
    r"with other bots at the seats": "bots swapped",
    r"^Settling in": "Provisional",
    r"no new matches are paired": "no new matches will be scheduled",
    r"the secret itself is when": "the secret follows",
    r"^The rules of this edition$|^Its matches$": "Rules, Matches",
    r"is a permanent contest": "bots play continuously",
    r"^Who has not\b|, who has\b": "a bot with no …",
    r"those meet first": "pairs that have met least play first",
    r"that who played it won": "how often its player won",
    r"^on no ladder": "not on a ladder",
    r"draws have been measured": "not enough analysed legs yet",
    r"^Health since|^Clean legs": "Reliability, legs without faults",
    r"^From the other side": "Swap sides",
    r"until one of them has won|^Over$": "until one wins, Finished",
    r"of this round are": "… pairings finished",
    r"won counts \S+, an even one": "scores",
    r"only when nothing else waits": "only when the queue is otherwise empty",
    r"^What its organisers decided": "organiser decisions that affect results",
    r"^It answers\b|It answers\.|^They (?:are those|can be)|They are those": "OK, up to date",
    r"half waited no longer": "median",
    r"^Bots that wait": "time bots sat idle",
    r"[Ll]ay out their formations": "deploys in secret",
    r"^Take up$|^Lay the rest": "Recover wounded, Fill the rest",
    r"You come with|At most \S+ lies there|lie on \S+$": "you attack with, it could be up to",
    r"no luck but": "no luck apart from",
    r"^The aim$|if you like and can": "Goal, optional",
    r"else from the one": "or from whichever still has cards",
    r"^(?:Time of claims|Limit of leaders|Draws of the Scout)": "when to claim, leaders per player, how Scout draws",
    r"^What stays as it is|^What bots of .* are|^What presents|^Understand it|^What comes from others": "a noun phrase",
    r", says the interval": "the interval shows",
    r"^as the browser says|^Choose$|^Switch it on": "Browser default, Change, Enable",
    r"whatever you can": "anything you can do",
    r"played ahead of the ladders|challenged nobody": "runs before ladder matches",
    r"^Received without|it plays on the ladder now": "Accepted …; now on the ladder",
    r"^This page is not yours|or not this part of it": "you don't have access, doesn't exist",
    r"[Ww]here pip refuses": "if pip says",
    r"until the address answers with": "until it returns",
}
"""What not to write, as regular expressions over one message or paragraph, and what to write instead."""

EXCEPTIONS = (
    "Choose everybody, owner or nobody.",  # values of the API
    "(name, e-mail, student number",  # headings of a list
    "by chance alone",
    "It takes longest between the bounds",
)
"""Parts of texts in which a pattern finds what is right."""

CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`]*`", re.S)
TAGS = re.compile(r"\{%.*?%\}|<!--.*?-->|<[^>]*>", re.S)
LINE = re.compile("|".join(f"(?P<p{number}>{pattern})" for number, pattern in enumerate(PATTERNS)), re.M)


def find_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield what the patterns find in a text, whose spaces count as one each, and what to write instead."""
    advice = list(PATTERNS.values())
    for found in LINE.finditer(" ".join(text.split())):
        yield found[0].strip(), advice[int(str(found.lastgroup)[1:])]


def read_texts() -> Iterator[tuple[str, str]]:
    """Yield each text that readers see in English, and the file that has it."""
    for catalogue in sorted(ROOT.glob("arena/core/locale/*/LC_MESSAGES/django.po")):
        for entry in polib.pofile(str(catalogue)):
            for text in filter(None, (entry.msgid, entry.msgid_plural)):
                yield "catalogue of the site", text
    yield from read_files()


def read_files() -> Iterator[tuple[str, str]]:
    """Yield the texts of the manual, of the rules pages and of commands."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:
        path = ROOT / name
        if "/hu/" in name or name == ".github/CODE_OF_CONDUCT.md" or not path.is_file():
            continue
        if name.endswith(".md") and not name.startswith("tests/") and name != "CHANGELOG.md":
            yield from ((name, part) for part in split_paragraphs(CODE.sub("`…`", path.read_text())))
        elif "/rules/en/" in name and name.endswith(".html"):
            yield from ((name, part) for part in split_paragraphs(TAGS.sub("\n\n", path.read_text())))
        elif name.startswith(("arena/cli/", "arena/operations/management/commands/")) and name.endswith(".py"):
            yield from ((name, text) for text in read_strings(path.read_text()))


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs, headings, list items and cells of a text, without marks of Markdown."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.) ?)|\|", text)
    return [re.sub(r"^[\s>#*-]+|\*\*", "", part) for part in parts]


def read_strings(source: str) -> Iterator[str]:
    """Yield the texts of a module that have a space, without docstrings: the manual has those that readers see."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            if " " in node.value.strip():
                yield from re.split(r"\n\s*\n", node.value)


def main() -> int:
    """Print each fault. Return 1 if there is one."""
    faults = [
        f"{place}: “{found}” → {advice}: {' '.join(text.split())[:160]}"
        for place, text in read_texts()
        if not any(part in " ".join(text.split()) for part in EXCEPTIONS)
        for found, advice in find_faults(text)
    ]
    print("\n".join(dict.fromkeys(faults)) or "no wording that we gave up")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
