"""From what an author types to a bot's files."""

from pathlib import Path

from arena.runner.program import ENTRY, BadProgram, Program, read_program

SAMPLES = Path(__file__).resolve().parents[2] / "bots" / "samples"


def find_program(text: str) -> Program:
    """A bot by the path of a file or folder, or by the name of a sample. Raises BadProgram."""
    path = Path(text)
    try:
        if path.exists():
            return read_program(path)
        if text in sample_names():
            files = read_program(SAMPLES / text).files
            return Program(text, 1, files)
    except OSError as error:
        raise BadProgram(f"{text} can't be read: {error.strerror or error}") from error
    raise BadProgram(f"{text} is no file, no folder, and none of the samples: {', '.join(sample_names())}")


def sample_names() -> list[str]:
    """Folders below `bots/samples` with a bot in them, faulty ones as `faulty/NAME`."""
    return [entry.parent.relative_to(SAMPLES).as_posix() for entry in sorted(SAMPLES.rglob(ENTRY))]
