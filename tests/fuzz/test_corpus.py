from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner.archive import BadArchive, read_upload
from tests.fuzz import archives, lines

INPUTS = [(reader, path) for reader in (lines, archives) for path in sorted(reader.CORPUS.iterdir())]


@pytest.mark.parametrize(("reader", "path"), INPUTS, ids=[path.name for _, path in INPUTS])
def test_what_was_found_before_raises_nothing_unexpected(reader: ModuleType, path: Path) -> None:
    reader.check(reader.prepare(path.read_bytes()))


@given(st.binary())
def test_no_bytes_raise_anything_unexpected(data: bytes) -> None:
    for reader in (lines, archives):
        reader.check(reader.prepare(data))


def test_the_corpus_is_small() -> None:
    sizes = [path.stat().st_size for _, path in INPUTS]
    assert sizes and sum(sizes) < 64 * 1024


def test_a_filling_is_repeated_up_to_the_longest_line() -> None:
    assert lines.prepare(b"1a\0b\0c") == b"a" + b"b" * (64 * 1024 - 2) + b"c"
    assert lines.prepare(b"0a\0b\0c") == b"a\0b\0c"


def test_lines_in_pieces_come_out_whole() -> None:
    for seed in range(20):
        content = b"".join(b"%d" % number * 3000 + b"\n" for number in range(9))
        found = lines.lines(content, Random(seed))
        assert found and content.startswith(b"\n".join(found) + b"\n")


def test_recipes_are_zips() -> None:
    assert read_upload("a.zip", archives.zipped(b"81a40001 bot.py 1*1f\n41ed0000 a/ ")) == {"bot.py": b"1" * 31}
    with pytest.raises(BadArchive, match="symbolic link"):
        read_upload("a.zip", archives.zipped(b"a1ff0000 bot.py /etc/passwd"))
