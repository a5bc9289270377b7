"""Read the headers of the hostile programs of this folder.

A header is the comment at the top of a file, in lines of `key: words`:

- `attack`: what is tried.
- `expect`: the verdicts that are right, with "or" between them; of a build, "built" or "not built".
- `see`: how one sees that it failed.
- `bare`: what happens without a sandbox, as a control. "leaks": the attack works. "same": the result is the same, as it
  comes from the arena's reading and not from the sandbox. "nothing": it proves nothing. "unsafe": it must not be run
  there. The last two say why.
- `opponent`: "honest" (the default), "slow" (uses most of its time at each turn), or "self".
- `levels`: levels at which it can be run; all by default.
- `open`: levels at which it is known to succeed, and why.
- `padding`: number of characters in every view.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BOTS = Path(__file__).with_name("bots")
LANGUAGES = {".py": "python", ".js": "javascript", ".c": "c", ".sh": "shell"}
HELPER = "trick"
INTERPRETER = re.compile(r"\A#!.*\n")
LINE = re.compile(r"(?:#|//) (.*)")
FIELD = re.compile(r"(\w+): (.*)")
LEVELS = ("A", "A-warm", "A-user", "C", "C-oldest", "D", "bare")
"""A as root, with the warm pool and as an ordinary user; C with this kernel's Landlock and the oldest one."""
KEYS = {"attack", "expect", "see", "bare", "opponent", "levels", "open", "padding"}
CONTROLS = ("leaks", "same", "nothing", "unsafe")


@dataclass(frozen=True, slots=True)
class Hostile:
    path: Path
    attack: str
    see: str
    expect: tuple[str, ...]
    control: str
    """One of CONTROLS."""
    reason: str
    """Why the control proves nothing."""
    opponent: str
    levels: tuple[str, ...]
    open_at: tuple[str, ...]
    padding: int

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def language(self) -> str:
        return LANGUAGES[self.path.suffix]

    @property
    def family(self) -> str:
        """The kind of attack: the first word of the file's name."""
        return self.name.partition("_")[0]

    @property
    def is_build(self) -> bool:
        """Whether the build is the attack: a source for the compiler, or in shell the compiler itself."""
        return self.name.startswith("build_")

    @property
    def leaks(self) -> bool:
        """Whether the attack works without a sandbox."""
        return self.control == "leaks"

    def runs_at(self, level: str) -> bool:
        if level == "bare":
            return self.control != "unsafe"
        if level == "A-warm" and self.language != "python" or level in ("A-warm", "C-oldest") and not self.leaks:
            return False
        return level[0] in self.levels and not (self.is_build and level[0] in "CD")


def catalogue(*patterns: str) -> list[Hostile]:
    """Return the programs whose name contains one of the patterns; all of them where no pattern is given."""
    paths = sorted(path for path in BOTS.iterdir() if path.suffix in LANGUAGES and path.stem != HELPER)
    return [read_header(path) for path in paths if not patterns or any(one in path.name for one in patterns)]


def read_header(path: Path) -> Hostile:
    """Return a program with what its header says. Raises ValueError."""
    fields = dict(_fields(path))
    missing, unknown = {"attack", "expect", "see", "bare"} - fields.keys(), fields.keys() - KEYS
    if missing or unknown:
        raise ValueError(f"{path.name}: missing {missing}, unknown {unknown}")
    control, _, reason = fields["bare"].partition(", ")
    if control not in CONTROLS or (control in ("nothing", "unsafe") and not reason):
        raise ValueError(f"{path.name}: {fields['bare']!r} doesn't describe the control")
    levels, open_at = fields.get("levels", "A C D"), fields.get("open", "").partition(",")[0]
    return Hostile(
        path=path,
        attack=fields["attack"],
        see=fields["see"],
        expect=tuple(fields["expect"].split(" or ")),
        control=control,
        reason=reason,
        opponent=fields.get("opponent", "honest"),
        levels=tuple(levels.split()),
        open_at=tuple(open_at.split()),
        padding=int(fields.get("padding", "0")),
    )


def _fields(path: Path) -> Iterator[tuple[str, str]]:
    key, words = "", ""
    for line in INTERPRETER.sub("", path.read_text()).splitlines():
        comment = LINE.fullmatch(line)
        if comment is None:
            break
        field = FIELD.fullmatch(comment[1])
        if field is None:
            words += " " + comment[1].strip()
            continue
        if key:
            yield key, words
        key, words = field[1], field[2]
    if key:
        yield key, words
