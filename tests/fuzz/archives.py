"""What a stranger may upload, through the reader of archives."""

import io
import warnings
import zipfile
from pathlib import Path

from arena.runner.archive import (
    MAX_FILES_PER_VERSION,
    USUAL_LIMITS,
    BadArchive,
    pack_files,
    read_upload,
    unpack_files,
)
from arena.runner.languages import find_language
from arena.runner.program import Program

CORPUS = Path(__file__).parent / "corpus" / "archives"
DEADLINE_S = 1.0
"""CPU seconds for an upload."""
NAMES = ("bot.py", "bot.zip", "bot.js", "bot", "", "..", "a.tar.gz", "BOT.PY")


def prepare(data: bytes) -> tuple[str, bytes]:
    """A name and a content. The first byte says what is made of the rest."""
    kind, rest = data[:1] or b"\0", data[1:]
    return NAMES[kind[0] % len(NAMES)], zipped(rest) if kind[0] & 0x80 else rest


def check(upload: tuple[str, bytes]) -> None:
    """Raises whatever it should not."""
    try:
        files = read_upload(*upload)
    except BadArchive as error:
        assert str(error).isprintable()
        return
    assert len(files) <= MAX_FILES_PER_VERSION and sum(map(len, files.values())) <= USUAL_LIMITS.unpacked_bytes
    assert unpack_files(pack_files(files)) == files
    Program("fuzzed", 1, files, find_language(files).key)


def zipped(recipe: bytes) -> bytes:
    """A zip by a recipe of members, one a line: mode, flags and method in hexadecimal, a name, a content.

    `81a40000 bot.py print(1)` is a file, `a1ff0000 to /etc` a link, `81a40001 a.txt abc*1000` long, and compressed.
    """
    buffer, left = io.BytesIO(), 2 * USUAL_LIMITS.unpacked_bytes
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")  # the same name twice is among what is tried
        for line in recipe.split(b"\n"):
            numbers, name, content = (line.split(b" ", 2) + [b"", b""])[:3]
            info = zipfile.ZipInfo(name.decode("utf-8", "replace") or "x")
            info.external_attr = number(numbers[:4]) << 16
            info.compress_type = zipfile.ZIP_DEFLATED if number(numbers[6:8]) else zipfile.ZIP_STORED
            body, _, times = content.rpartition(b"*")
            archive.writestr(info, body * min(number(times[:5]), left // len(body)) if body else content)
            left -= info.file_size
            info.flag_bits ^= number(numbers[4:6])
    return buffer.getvalue()


def number(digits: bytes) -> int:
    return int(digits, 16) if digits.isalnum() and all(digit in b"0123456789abcdefABCDEF" for digit in digits) else 0
