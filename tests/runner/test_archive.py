import io
import os
import stat
import struct
import zipfile
from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner import archive
from arena.runner.archive import BadArchive, name_left_out, pack_files, read_upload, unpack_files
from arena.runner.languages import find_language
from arena.runner.program import Program

BOT = b"print('hello')\n"


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def member(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def patched(content: bytes, old: bytes, new: bytes) -> bytes:
    assert old in content and len(old) == len(new)
    return content.replace(old, new)


def encrypted(content: bytes) -> bytes:
    """The same zip with the flag of encryption set in both headers."""
    local, central = content.index(b"PK\x03\x04") + 6, content.index(b"PK\x01\x02") + 8
    changed = bytearray(content)
    changed[local] |= 1
    changed[central] |= 1
    return bytes(changed)


def overlapping(content: bytes) -> bytes:
    """The same zip, with the last member said to lie where the first one does."""
    entry = content.rindex(b"PK\x01\x02")
    return content[: entry + 42] + bytes(4) + content[entry + 46 :]


def far_away(content: bytes) -> bytes:
    """The same zip, with its member said to lie beyond what any file can hold."""
    entry, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    name = int.from_bytes(content[entry + 28 : entry + 30], "little")
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    changed = bytearray(content[:entry] + content[entry : entry + 46 + name] + extra + content[end:])
    changed[entry + 30 : entry + 32] = len(extra).to_bytes(2, "little")
    changed[entry + 42 : entry + 46] = b"\xff" * 4
    size = len(changed) - len(content) + int.from_bytes(content[end + 12 : end + 16], "little")
    place = end + len(changed) - len(content) + 12
    changed[place : place + 4] = size.to_bytes(4, "little")
    return bytes(changed)


def many(count: int) -> bytes:
    return zipped(("bot.py", BOT), *((f"{number}.py", b"") for number in range(count)))


BOMB_EXTRA = struct.pack("<HH", 0xCAFE, 0) * 16383


def with_extra_fields(extra: bytes, count: int) -> bytes:
    """A bot and empty files, each with an extra field in the directory."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("bot.py", BOT)
        for number in range(count):
            archive.writestr(f"x/{number}", b"")
        for info in archive.infolist():
            info.extra = extra
    return buffer.getvalue()


def with_bot(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    return zipped(("bot.py", BOT), *members)


REFUSED = {
    "too big": ("bot.py", b"#" * (archive.USUAL_LIMITS.packed_bytes + 1), "too big (maximum 4 MiB)"),
    "no byte": ("bot.py", b"", "The file is empty"),
    "only space": ("bot.py", b" \n", "The file is empty"),
    "empty zip": ("bot.zip", zipped(), "The zip is empty"),
    "only folders": ("bot.zip", zipped(("lib/", b"")), "The zip is empty"),
    "an empty entry": ("bot.zip", zipped(("bot.py", b""), ("lib.py", BOT)), "bot.py is empty"),
    "neither": ("bot.tar.gz", b"\x1f\x8b\x08\x00", "'bot.tar.gz' is neither a program nor a zip"),
    "no suffix": ("bot", b"#!/bin/sh", "'bot' is neither a program nor a zip"),
    "not a zip": ("bot.zip", b"PK\x03\x04 and nothing of the kind", "can't be read as a zip"),
    "a text called zip": ("bot.zip", BOT, "can't be read as a zip"),
    "no entry": ("bot.zip", zipped(("main.py", BOT)), ": no bot.py, "),
    "an entry too deep": ("bot.zip", zipped(("a/b/bot.py", BOT)), ": no bot.py, "),
    "two folders": ("bot.zip", zipped(("a/bot.py", BOT), ("b/x.py", BOT)), ": no bot.py, "),
    "two entries": ("bot.zip", with_bot(("bot.js", b"1")), "top level: bot.py, bot.js; keep one"),
    "outside": ("bot.zip", with_bot(("../evil.py", BOT)), "points outside it: '../evil.py'"),
    "outside further down": ("bot.zip", with_bot(("a/../../evil.py", BOT)), "points outside"),
    "absolute": ("bot.zip", zipped(("/etc/passwd", BOT)), "points outside it: '/etc/passwd'"),
    "backslashes": ("bot.zip", with_bot(("..\\evil.py", BOT)), "points outside it"),
    "a dot": ("bot.zip", with_bot(("./x.py", BOT)), "unusable file name"),
    "two slashes": ("bot.zip", with_bot(("a//x.py", BOT)), "unusable file name"),
    "newline in a name": ("bot.zip", with_bot(("a\nb.py", BOT)), "unusable file name"),
    "a name that turns around": ("bot.zip", with_bot(("a\u202eyp.exe", BOT)), "unusable file name"),
    "NUL in a name": ("bot.zip", patched(with_bot(("axb.py", BOT)), b"axb", b"a\0b"), "unusable file name"),
    "long name": ("bot.zip", with_bot(("a" * 201, BOT)), "longer than 200 bytes: 'aaa"),
    "long in bytes": ("bot.zip", with_bot(("é" * 101, BOT)), "longer than 200 bytes: 'ééé"),
    "isn't UTF-8": ("bot.zip", patched(with_bot(("xx.py", BOT)), b"xx", b"\xff\xfe"), "isn't UTF-8"),
    "broken UTF-8": ("bot.zip", patched(with_bot(("é.py", BOT)), "é".encode(), b"\xc3("), "isn't UTF-8"),
    "only case": ("bot.zip", with_bot(("Lib.py", BOT), ("lib.py", BOT)), "differ only in case: 'Lib.py' and 'lib.py'"),
    "only case of a folder": ("bot.zip", with_bot(("A/x", BOT), ("a/y", BOT)), "differ only in case: 'A' and 'a'"),
    "only case, file and folder": ("bot.zip", with_bot(("A", BOT), ("a/y", BOT)), "differ only in case: 'a' and 'A'"),
    "only accents": ("bot.zip", with_bot(("\xe9", BOT), ("e\u0301", BOT)), "differ only in case"),
    "symlink": ("bot.zip", zipped((member("bot.py", stat.S_IFLNK | 0o777), b"/etc/passwd")), "symbolic link"),
    "device": ("bot.zip", zipped((member("bot.py", stat.S_IFCHR | 0o666), b"")), "neither a file nor a folder"),
    "pipe": ("bot.zip", with_bot((member("p", stat.S_IFIFO | 0o666), b"")), "neither a file nor a folder"),
    "socket": ("bot.zip", with_bot((member("s", stat.S_IFSOCK | 0o666), b"")), "neither a file nor a folder"),
    "encrypted": ("bot.zip", encrypted(zipped(("bot.py", BOT))), "encrypted"),
    "lzma": ("bot.zip", zipped(("bot.py", BOT), method=zipfile.ZIP_LZMA), "unsupported compression method"),
    "too many": ("bot.zip", many(200), "201 files (maximum 200)"),
    "thousands": ("bot.zip", many(5000), "thousands of files (maximum 200)"),
    "too much": ("bot.zip", zipped(("bot.py", bytes(20 * 1024**2))), "would unpack to 20 MiB (maximum 16 MiB)"),
    "zip bomb": (
        "bot.zip",
        zipped(("bot.py", bytes(3 * 1024**2))),
        "times its size, like a zip bomb (maximum 200 times)",
    ),
    "long extra fields": ("bot.zip", with_extra_fields(BOMB_EXTRA, 60), "more than 512 bytes of extra fields"),
    "an overlap": ("bot.zip", overlapping(with_bot(("x.py", b"1"), ("y.py", b"2"))), "overlap, as in a zip bomb"),
    "far away": ("bot.zip", far_away(zipped(("bot.py", BOT))), "is damaged: 'bot.py' can't be read"),
    "a file as folder": ("bot.zip", with_bot(("a", BOT), ("a/b", BOT)), "file and a folder with the same name: 'a'"),
    "damaged": ("bot.zip", patched(zipped(("bot.py", BOT), method=0), b"hello", b"hallo"), "damaged"),
}


@pytest.mark.parametrize(("filename", "content", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_bad_upload_is_refused_with_the_reason(filename: str, content: bytes, sentence: str) -> None:
    with pytest.raises(BadArchive) as refusal:
        read_upload(filename, content)
    assert sentence in str(refusal.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_path_that_comes_twice_is_refused() -> None:
    with pytest.raises(BadArchive, match="twice"):
        read_upload("bot.zip", zipped(("bot.py", BOT), ("bot.py", BOT)))


@pytest.mark.parametrize("said", [0, 100, 4 * 1024**2], ids=["nothing", "less", "more"])
def test_a_zip_that_lies_about_its_size_is_not_inflated_further(said: int) -> None:
    noise = Random(1).randbytes(30_000) * 100
    content = zipped(("bot.py", noise))
    real = len(noise).to_bytes(4, "little")
    with pytest.raises(BadArchive, match="damaged"):
        read_upload("bot.zip", content.replace(real, said.to_bytes(4, "little")))


def test_a_hundred_megabytes_are_refused() -> None:
    with pytest.raises(BadArchive, match="too big"):
        read_upload("bot.zip", bytes(100 * 1024**2))


@pytest.mark.parametrize(
    ("filename", "content", "entry"),
    [
        ("Kingfisher.PY", BOT, "bot.py"),
        ("k.js", b"1", "bot.js"),
        ("k.c", b"1", "bot.c"),
        ("k.cpp", b"1", "bot.cpp"),
        ("k.rs", b"1", "bot.rs"),
        ("k.go", b"1", "bot.go"),
        ("k.java", b"1", "Bot.java"),
        ("a.out", b"\x7fELF\x02", "bot"),
    ],
)
def test_one_file_of_any_name_becomes_the_entry_of_its_language(filename: str, content: bytes, entry: str) -> None:
    assert read_upload(filename, content) == {entry: content}


def test_a_zip_is_known_by_its_first_bytes() -> None:
    assert read_upload("bot.py", zipped(("bot.js", b"1"))) == {"bot.js": b"1"}


def test_long_extra_fields_cost_nothing() -> None:
    began = process_time()
    with pytest.raises(BadArchive):
        read_upload("bot.zip", with_extra_fields(BOMB_EXTRA, 62))
    assert process_time() - began < 0.3
    fine = read_upload("bot.zip", with_extra_fields(struct.pack("<HH", 0xCAFE, 508) + bytes(508), 150))
    assert len(fine) == 151


def test_a_zip_in_a_zip_is_a_file_like_any_other() -> None:
    bomb = zipped(("x", bytes(3 * 1024**2)))
    assert read_upload("bot.zip", with_bot(("book.zip", bomb))) == {"bot.py": BOT, "book.zip": bomb}


def test_a_zip_keeps_its_folders() -> None:
    content = zipped(("bot.py", BOT), ("lib/", b""), ("lib/é.py", b"x"))
    assert read_upload("bot.zip", content) == {"bot.py": BOT, "lib/é.py": b"x"}


def test_a_zipped_folder_is_taken_as_its_content() -> None:
    content = zipped(("kingfisher/bot.py", BOT), ("kingfisher/lib/x.py", b"x"))
    assert read_upload("bot.zip", content) == {"bot.py": BOT, "lib/x.py": b"x"}


def test_files_of_tools_are_left_out_and_counted() -> None:
    link = member("k/.venv/bin/python", stat.S_IFLNK | 0o777)
    content = zipped(
        ("k/bot.py", BOT),
        ("__MACOSX/k/._bot.py", b"x"),
        ("k/.DS_Store", b"x"),
        ("k/__pycache__/a.pyc", b""),
        ("k/.git/HEAD", b"x"),
        ("k/node_modules/a/index.js", b"x"),
        ("k/Thumbs.db", b"x"),
        (link, b"/usr/bin/python3"),
    )
    upload = read_upload("bot.zip", content)
    assert upload == {"bot.py": BOT} and name_left_out(upload.left_out) == (
        "__MACOSX/k/._bot.py, k/.DS_Store, k/__pycache__/a.pyc",
        4,
    )


def test_backslashes_in_names_are_folders() -> None:
    """Windows PowerShell writes them."""
    content = zipped((member("k\\lib\\", 0), b""), (member("k\\bot.py", 0), BOT), (member("k\\lib\\x.py", 0), b"x"))
    assert read_upload("bot.zip", content) == {"bot.py": BOT, "lib/x.py": b"x"}


FILES = st.dictionaries(st.text("abé/", min_size=1).map(lambda name: f"x{name}x".replace("//", "/")), st.binary())


@given(FILES)
def test_packing_gives_back_what_went_in(files: dict[str, bytes]) -> None:
    assert unpack_files(pack_files(files)) == files
    assert pack_files(dict(reversed(files.items()))) == pack_files(files)


def test_the_hash_of_the_same_files_never_changes() -> None:
    """Whatever versions of Python and zlib come: it says which uploads are the same."""
    files = {"bot.py": BOT, "lib/é.py": b"", "lib/x.bin": bytes(range(256))}
    assert archive.hash_zip(pack_files(files)) == "7cc8bafc573937c0b37a19d16635bc22d534ee38c4dfb456b3292f1c655f19b1"


@given(FILES, st.booleans())
def test_whatever_is_taken_can_go_into_a_sandbox(files: dict[str, bytes], in_a_folder: bool) -> None:
    folder = "a/" if in_a_folder else ""
    upload = zipped(*((folder + path, content) for path, content in ({"bot.js": b"1"} | files).items()))
    try:
        taken = read_upload("bot.zip", upload)
    except BadArchive:
        return
    assert Program("k", 1, taken, find_language(taken).key).files == {"bot.js": b"1"} | files


@given(st.binary(max_size=300), st.integers(0, 200))
def test_no_damage_gives_anything_but_a_refusal(noise: bytes, place: int) -> None:
    content = zipped(("bot.py", BOT), ("lib/x.py", b"x" * 500))
    try:
        read_upload("bot.zip", content[:place] + noise + content[place + len(noise) :])
    except BadArchive:
        pass


@pytest.mark.parametrize(
    ("path", "way_out"),
    [
        ("main.py", "at the top level; rename 'main.py' to bot.py"),
        ("Bot.py", "at the top level; rename 'Bot.py' to bot.py"),
        ("Main.java", "at the top level; rename 'Main.java' to Bot.java, and its class to Bot"),
        ("deeper/still/bot.py", "but found 'deeper/still/bot.py'; upload the contents of the folder 'deeper/still'"),
    ],
)
def test_a_refusal_names_the_way_to_an_entry_file(path: str, way_out: str) -> None:
    with pytest.raises(BadArchive) as refused:
        read_upload("bot.zip", zipped((path, BOT), ("readme.txt", b"x"), ("docs/notes.txt", b"x")))
    assert way_out in str(refused.value)


@pytest.mark.parametrize("content", [zipped(("[Content_Types].xml", b"<x/>")), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_document_of_an_office_is_named_so(content: bytes) -> None:
    with pytest.raises(BadArchive, match="'bot.docx' is an office document. Save your program as plain text"):
        read_upload("bot.docx", content)


def test_a_class_of_java_keeps_its_name() -> None:
    source = b"import java.util.*;\npublic class Main {\n}\n"
    upload = read_upload("Main.java", source)
    assert upload.language.key == "java" and upload["Main.java"] == source and b"Main.main(" in upload["Bot.java"]
    assert dict(read_upload("Bot.java", b"public class Bot {}")) == {"Bot.java": b"public class Bot {}"}


def test_an_arena_can_take_more_or_less() -> None:
    large = zipped(("bot.py", BOT), ("weights.bin", os.urandom(5 * 1024**2)))
    with pytest.raises(BadArchive, match="too big"):
        read_upload("bot.zip", large)
    assert len(read_upload("bot.zip", large, archive.UploadLimits(8 * archive.MIB))) == 2
    with pytest.raises(BadArchive, match="would unpack to 5 MiB"):
        read_upload("bot.zip", large, archive.UploadLimits(8 * archive.MIB, 2 * archive.MIB))
