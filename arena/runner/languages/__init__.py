"""Define the languages of bots: one file for each language, one line in LANGUAGES."""

from collections.abc import Iterable
from pathlib import PurePath

from arena.runner.languages.base import BadProgramError, Language
from arena.runner.languages.c import C
from arena.runner.languages.cpp import CPP
from arena.runner.languages.executable import EXECUTABLE
from arena.runner.languages.go import GO
from arena.runner.languages.java import JAVA
from arena.runner.languages.javascript import JAVASCRIPT
from arena.runner.languages.python import PYTHON
from arena.runner.languages.rust import RUST
from engine.message import gettext_noop, message

LANGUAGES: dict[str, Language] = {
    language.key: language for language in (PYTHON, JAVASCRIPT, C, CPP, RUST, GO, JAVA, EXECUTABLE)
}
"""Languages by key, with those of most interest to newcomers first."""

ELF = b"\x7fELF"

__all__ = ["LANGUAGES", "find_file_language", "find_language", "format_entries"]


def find_language(paths: Iterable[str]) -> Language:
    """Return the language of a source by its entry file. Raises BadProgramError unless there is exactly one."""
    names = set(paths)
    found = [language for language in LANGUAGES.values() if language.entry in names]
    if len(found) == 1:
        return found[0]
    if not found:
        raise BadProgramError(message(gettext_noop("there is no %(entries)s at the top"), entries=format_entries()))
    both = ", ".join(language.entry for language in found)
    template = gettext_noop("%(entries)s are at the top: a bot begins with one of them")
    raise BadProgramError(message(template, entries=both))


def find_file_language(name: str, content: bytes) -> Language:
    """Return the language of a source in one file, by its suffix. Raises BadProgramError."""
    if content.startswith(ELF):
        return EXECUTABLE
    suffix = PurePath(name).suffix
    for language in LANGUAGES.values():
        if suffix and PurePath(language.entry).suffix == suffix:
            return language
    raise BadProgramError(f"{PurePath(name).name} is no program that is known here: a bot is one of {format_entries()}")


def format_entries() -> str:
    """Return the names of all entry files, with "or" before the last."""
    *most, last = (language.entry for language in LANGUAGES.values())
    return f"{', '.join(most)} or {last}"
