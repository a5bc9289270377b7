"""From what an author types to a bot that can be started."""

from pathlib import Path

from arena.runner.languages import LANGUAGES
from arena.runner.program import BadProgramError, Program, read_program
from arena.runner.sandbox import Sandbox
from arena.runner.sandbox.base import BuildError

SAMPLES = Path(__file__).resolve().parents[2] / "bots" / "samples"


def find_program(text: str) -> Program:
    """A bot by the path of a file or folder, or by the name of a sample. Raises BadProgramError."""
    path = Path(text)
    try:
        if path.exists():
            return read_program(path)
        if text in sample_names():
            sample = read_program(SAMPLES / text)
            return Program(text, 1, sample.files, sample.language)
    except OSError as error:
        raise BadProgramError(f"{text} can't be read: {error.strerror or error}") from error
    raise BadProgramError(f"{text} is no file, no folder, and none of the samples: {', '.join(sample_names())}")


def sample_names() -> list[str]:
    """Folders below `bots/samples` with a bot in them: faulty ones as `faulty/NAME`, other languages' by their keys."""
    entries = [entry for language in LANGUAGES.values() for entry in SAMPLES.rglob(language.entry)]
    return sorted(entry.parent.relative_to(SAMPLES).as_posix() for entry in entries)


def build_program(program: Program, sandbox: Sandbox) -> Program:
    """The program as it is run. Raises BadProgramError, with the log of the compiler, and SandboxError."""
    language = LANGUAGES[program.language]
    if language.key not in sandbox.languages:
        raise BadProgramError(f"{program.name} is in {language.title}, which doesn't run here: {language.advice}")
    try:
        built, _ = sandbox.build(program)
    except BuildError as failure:
        raise BadProgramError(f"{program.name} can't be built:\n{failure.log}{failure}") from failure
    return built
