"""Fingerprints of programs by winnowing (Schleimer, Wilkerson and Aiken, 2003) over the tokens of Pygments.

No database and no Django: `fingerprint_in_child` lexes strangers' files in a process of its own, as some texts take a
lexer for ever. Names and literals are normalised, comments left out, so that renaming changes nothing.
"""

import hashlib
import json
import math
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from zlib import crc32

from pygments.lexers import get_lexer_by_name
from pygments.token import Token

from arena.runner.data_files import PACKAGE_ROOT, SAMPLES_FOLDER, STARTERS_FOLDER

# Choose which files of a version are code, and how much of it is looked at.

METHOD = 1
"""Number of this way to make fingerprints: those that another way made are made anew."""
LEXERS = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts"), "typescript"),
    **dict.fromkeys((".c", ".h", ".cpp", ".cc", ".cxx", ".hpp"), "cpp"),
    **{".go": "go", ".java": "java", ".rs": "rust"},
}
"""The name of the lexer by the ending of a file."""
MAX_CODE_BYTES = 128 * 1024
"""Of one version; what lies beyond isn't compared."""

Files = Mapping[str, bytes]


def is_code(path: str, content: bytes) -> bool:
    """Return whether a file is compared: text in a language of bots."""
    return PurePosixPath(path).suffix.lower() in LEXERS and b"\0" not in content


def read_code(files: Files) -> dict[str, str]:
    """Return the text of the compared files, up to MAX_CODE_BYTES, smaller files first."""
    room, texts = MAX_CODE_BYTES, {}
    for path, content in sorted(files.items(), key=lambda file: (len(file[1]), file[0])):
        if is_code(path, content) and room > 0:
            texts[path] = content[:room].decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
            room -= len(content)
    return dict(sorted(texts.items()))


def squeeze(content: bytes) -> str:
    """Return the hash of a file without its white space, so that ends of lines and indentation don't count."""
    return hashlib.sha256(b"".join(content.split())).hexdigest()


# Make fingerprints: of the hashes of `GRAM` tokens that begin in each window of `WINDOW`, the smallest.

GRAM = 12
WINDOW = 6
"""Whatever is the same over 17 tokens, about two lines, is found."""
BASE, MODULUS = 1_000_003, (1 << 61) - 1


class Fingerprint(NamedTuple):
    """A hash of some tokens, and where they stand."""

    gram: int
    """The hash."""
    path: str
    first: int
    """Number of the first line, from 1."""
    last: int


def list_grams(path: str, text: str) -> list[Fingerprint]:
    """Return the hashes of all sequences of tokens in a file."""
    tokens = list(_normalise(path, text))
    leading, value = pow(BASE, GRAM, MODULUS), 0
    grams = []
    for place, (code, line) in enumerate(tokens):
        value = (value * BASE + code) % MODULUS
        if place >= GRAM:
            value = (value - leading * tokens[place - GRAM][0]) % MODULUS
        if place >= GRAM - 1:
            grams.append(Fingerprint(value, path, tokens[place - GRAM + 1][1], line))
    return grams


def winnow(grams: Sequence[Fingerprint]) -> list[Fingerprint]:
    """Return of each window the gram with the smallest hash, the last one of equal ones; each once."""
    ranks = [(one.gram, -place) for place, one in enumerate(grams)]
    windows = range(max(1, len(grams) - WINDOW + 1)) if grams else ()
    places = dict.fromkeys(-min(ranks[start : start + WINDOW])[1] for start in windows)
    return [grams[place] for place in places]


def _normalise(path: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield a number for each token that counts, with its line; strings that follow each other are one."""
    line, before = 1, ""
    # `LEXERS` has the file, or it would not be among those that are compared.
    for kind, value in get_lexer_by_name(LEXERS[PurePosixPath(path).suffix.lower()], stripnl=False).get_tokens(text):
        word = "" if value.isspace() else _choose_word(kind, value)
        if word and not word == before == "S":
            yield crc32(word.encode()) + 1, line
        line, before = line + value.count("\n"), word or before


def _choose_word(kind: Any, value: str) -> str:
    if kind in Token.Comment or kind in Token.Literal.String.Doc:
        return ""
    if kind in Token.Literal:
        return "0" if kind in Token.Literal.Number else "S"
    if kind in Token.Name:
        return value if kind is Token.Name.Builtin else "N"
    return value.strip()


# Lex strangers' files in a process of its own, within time and memory.

SECONDS_EACH = 4.0
"""Of processor time, for one version: about ten times what 128 KiB need that a person has written."""
MAX_WAIT_S = 20.0
MEMORY_BYTES = 1 << 30
Result = list[Fingerprint] | None
"""None where the files took too long or too much."""


def fingerprint_in_child(
    programs: Mapping[str, Files], *, budget_s: float, seconds_each: float = SECONDS_EACH
) -> dict[str, Result]:
    """Return the fingerprints of programs by their keys, of as many as the time allows, and at least of one."""
    lines = [json.dumps([key, read_code(files)]) for key, files in programs.items()]
    # Python is told where the package is: the folder of a server's process may be any.
    command = [sys.executable, "-m", "arena.bots.similarity", str(budget_s), str(seconds_each)]
    with subprocess.Popen(command, cwd=PACKAGE_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            written, _nothing = child.communicate("\n".join(lines), timeout=budget_s + MAX_WAIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            written, _nothing = child.communicate()
    results: dict[str, Result] = {}
    for line in written.splitlines():
        if line.endswith("]"):  # the last one may be cut off
            key, found = json.loads(line)
            results[key] = None if found is None else [Fingerprint(*one) for one in found]
    # What killed the child, too, would do it again.
    return results or dict.fromkeys(list(programs)[:1])


def _serve(budget_s: float, seconds_each: float) -> None:
    """Write a line of fingerprints for each line of files, until the time is used up."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGPROF, _give_up)
    end = time.monotonic() + budget_s
    for line in sys.stdin:
        key, texts = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds_each)
        try:
            result = [one for path, text in texts.items() for one in winnow(list_grams(path, text))]
        except (TimeoutError, MemoryError, RecursionError):
            result = None
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps([key, result]), flush=True)
        if time.monotonic() > end:
            return


def _give_up(*_signal: Any) -> None:
    raise TimeoutError


# Compare programs, less what all have from the arena.


@dataclass(frozen=True, slots=True)
class Given:
    """A starter or a sample that the arena hands out."""

    name: str
    """Its folder, such as `starters/python`."""
    squeezed: frozenset[str]
    """Hashes of its files of code without white space."""


@cache
def list_given() -> tuple[list[Given], frozenset[int]]:
    """Return what the arena hands out, and the hashes of all its grams, not only of those that are chosen."""
    given, hashes = [], set()
    entries = sorted([*STARTERS_FOLDER.glob("*"), *SAMPLES_FOLDER.glob("*"), *SAMPLES_FOLDER.glob("languages/*")])
    for folder in (entry for entry in entries if entry.is_dir() and entry.name not in ("faulty", "languages")):
        files = {path.name: path.read_bytes() for path in _list_code(folder)}
        name = f"{'starters' if STARTERS_FOLDER in folder.parents else 'samples'}/{folder.name}"
        given.append(Given(name, frozenset(map(squeeze, files.values()))))
        hashes |= {gram.gram for path, text in read_code(files).items() for gram in list_grams(path, text)}
    return given, frozenset(hashes)


def _list_code(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.is_file() and is_code(path.name, b"")]


def find_given(files: Files) -> str:
    """Return the name of the starter or sample of which all code of a program comes unchanged; empty where none is."""
    own = {squeeze(content) for path, content in files.items() if is_code(path, content)}
    return next((one.name for one in list_given()[0] if own and own <= one.squeezed), "")


def squeeze_files(files: Files) -> str:
    """Return a hash that programs share whose files differ in white space alone."""
    parts = sorted(f"{path}\0{squeeze(content)}" for path, content in files.items())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


MAX_HASHES = 4_000
"""Of one version. Of more, the smallest are compared, which is the same sample everywhere."""
MIN_SHARED = 4
SMOOTHING = 3
"""Rare hashes by which each program counts as larger: so two short ones that share little don't come first."""
MIN_SCORE = 0.1
MAX_PAIRS = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs that have more in common than what both were given."""

    left: str
    right: str
    score: float
    """Orders the pairs, and is shown to nobody."""
    shared: frozenset[int]


def find_pairs(hashes: Mapping[str, Collection[int]], authors: Mapping[str, frozenset[int]]) -> list[Pair]:
    """Return the pairs of programs without an author in common that are most alike, the most similar first.

    `hashes` are those of the fingerprints. Each weighs the more, the fewer programs have it; what is shared is divided
    by what the smaller of both has.
    """
    given = list_given()[1]
    own = {key: frozenset(sorted(set(found) - given)[:MAX_HASHES]) for key, found in hashes.items()}
    counts = Counter(one for found in own.values() for one in found)
    weights = {one: math.log((len(own) + 1) / count) for one, count in counts.items()}
    sizes = {key: _weigh(found, weights) + SMOOTHING * math.log(len(own) + 1) for key, found in own.items()}
    pairs = []
    for left, right in combinations(own, 2):
        shared = own[left] & own[right]
        if len(shared) >= MIN_SHARED and not authors[left] & authors[right]:
            score = _weigh(shared, weights) / min(sizes[left], sizes[right])
            if score >= MIN_SCORE:
                pairs.append(Pair(left, right, score, shared))
    return sorted(pairs, key=lambda pair: -pair.score)[:MAX_PAIRS]


def _weigh(hashes: Iterable[int], weights: Mapping[int, float]) -> float:
    return sum(weights[one] for one in hashes)


if __name__ == "__main__":
    _serve(*map(float, sys.argv[1:]))
