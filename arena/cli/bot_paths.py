"""Find and build the bots that an author names on the command line."""

from difflib import get_close_matches
from pathlib import Path

from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.languages import LANGUAGES
from arena.runner.program import BadProgramError, Program, read_program
from arena.runner.sandbox import Sandbox
from arena.runner.sandbox.base import BuildError
from engine.registry import PACKAGES


def find_program(text: str) -> Program:
    """Return the bot at the path of a file or folder, or the sample of this name. Raises BadProgramError."""
    path = Path(text)
    try:
        if path.exists():
            return read_program(path)
        if folder := list_samples().get(text):
            sample = read_program(folder)
            return Program(text, 1, sample.files, sample.language)
    except OSError as error:
        raise BadProgramError(f"{text} can't be read: {error.strerror or error}") from error
    samples = list_samples()
    near = get_close_matches(text, [*samples, *_list_bots_here()], n=1)
    hint = f". Did you mean {near[0]}?" if near else ""
    raise BadProgramError(f"{text} is no file, no folder, and none of the samples: {', '.join(samples)}{hint}")


def _list_bots_here() -> list[str]:
    """Return the names in this folder that may be those of a bot."""
    entries = {language.entry for language in LANGUAGES.values()}
    suffixes = {Path(entry).suffix for entry in entries} - {""}
    return [
        path.name
        for path in Path().iterdir()
        if (path.suffix in suffixes if path.is_file() else any((path / entry).is_file() for entry in entries))
    ]


def list_samples() -> dict[str, Path]:
    """Return the folders with a sample bot by name: `random`, `faulty/NAME`, `languages/KEY`, those of other games."""
    folders = [SAMPLES_FOLDER, *(package.folder / "samples" for package in PACKAGES.values())]
    found = {
        entry.parent.relative_to(folder).as_posix(): entry.parent
        for folder in reversed(folders)
        for language in LANGUAGES.values()
        for entry in folder.rglob(language.entry)
    }
    return dict(sorted(found.items()))


def build_program(program: Program, sandbox: Sandbox) -> Program:
    """Return the program ready to run. Raises BadProgramError, with the log of the compiler, and SandboxError."""
    language = LANGUAGES[program.language]
    if language.key not in sandbox.languages:
        raise BadProgramError(f"{program.name} is in {language.title}, which doesn't run here: {language.advice}")
    try:
        built, _ = sandbox.build(program)
    except BuildError as failure:
        raise BadProgramError(f"{program.name} can't be built:\n{failure.log}{failure}") from failure
    return built
