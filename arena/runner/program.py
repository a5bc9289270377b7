"""Read and check the files of a bot."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from arena.runner.languages import LANGUAGES, find_file_language, find_language
from arena.runner.languages.base import BadProgramError

__all__ = ["BadProgramError", "Program", "read_program"]

MAX_FILES = 256
"""Each file is an open descriptor while its sandbox is being set up."""
MAX_PATH_BYTES = 200
IGNORED_NAMES = {"__pycache__"}
PARAMETERS_FILE = "params.json"
"""File at the top with numbers that a bot reads; it is beside the built file, too, where a language is compiled."""


@dataclass(frozen=True, slots=True)
class Program:
    """The files of a bot, either the source or the result of a build. Raises BadProgramError."""

    name: str
    version: int
    files: Mapping[str, bytes]
    """Content by relative POSIX path. A source has the entry file of its language at the top."""
    language: str = "python"
    """A key of LANGUAGES."""

    def __post_init__(self) -> None:
        language = LANGUAGES.get(self.language)
        if language is None:
            raise BadProgramError(f"there is no language {self.language!r}")
        if language.entry not in self.files and language.artefact not in self.files:
            raise BadProgramError(f"there is no {language.entry} at the top")
        if len(self.files) > MAX_FILES:
            raise BadProgramError(f"{len(self.files)} files are too many: {MAX_FILES} at most")
        for path in self.files:
            _check_path(path)
        folders = {str(folder) for path in self.files for folder in PurePosixPath(path).parents}
        for path in folders & set(self.files):
            raise BadProgramError(f"{path!r} is a file and a folder at once")


def _check_path(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path != "/".join(parts) or ".." in parts or "\0" in path:
        raise BadProgramError(f"{path!r} is not a plain path inside the bot's folder")
    try:
        length = len(path.encode())
    except UnicodeEncodeError:
        raise BadProgramError(f"{path!r} is not text") from None
    if length > MAX_PATH_BYTES:
        raise BadProgramError(f"{path[:40]!r}… is longer than {MAX_PATH_BYTES} bytes")


def read_program(source: Path, version: int = 1) -> Program:
    """Return the source in a file, or in a folder with a language's entry at its top.

    Raises BadProgramError and OSError.
    """
    if source.is_file():
        content = source.read_bytes()
        language = find_file_language(source.name, content)
        name = source.resolve().parent.name if source.name == language.entry else source.stem
        return Program(name, version, {language.entry: content}, language.key)
    if not source.is_dir():
        raise BadProgramError(f"{source} is neither a file nor a folder")
    paths = [path for path in sorted(source.rglob("*")) if path.is_file() and not _is_ignored(path.relative_to(source))]
    if len(paths) > MAX_FILES:
        raise BadProgramError(f"{source} holds {len(paths)} files: {MAX_FILES} at most")
    names = {path: path.relative_to(source).as_posix() for path in paths}
    try:
        language = find_language(names.values())
    except BadProgramError as fault:
        raise BadProgramError(f"{source}: {fault}") from None
    files = {name: path.read_bytes() for path, name in names.items()}
    return Program(source.resolve().name, version, files, language.key)


def _is_ignored(path: Path) -> bool:
    return any(part in IGNORED_NAMES or part.startswith(".") for part in path.parts)
