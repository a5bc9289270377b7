import io
import stat
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bots import archive
from arena.bots.archive import BadArchive, pack, read_upload, unpack

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


REFUSED = {
    "too big": ("bot.py", b"#" * (archive.MAX_UPLOAD + 1), "too big: 1 MiB at most"),
    "empty": ("bot.py", b" \n", "empty"),
    "empty zip": ("bot.zip", zipped(), "The zip is empty"),
    "only folders": ("bot.zip", zipped(("lib/", b"")), "The zip is empty"),
    "neither": ("bot.tar.gz", b"\x1f\x8b\x08\x00", "bot.tar.gz is neither a Python file nor a zip"),
    "not a zip": ("bot.zip", b"PK\x03\x04 and nothing of the kind", "can't be read as one"),
    "no bot.py": ("bot.zip", zipped(("main.py", BOT)), "There is no bot.py at the top"),
    "bot.py too deep": ("bot.zip", zipped(("a/b/bot.py", BOT)), "There is no bot.py at the top"),
    "two folders": ("bot.zip", zipped(("a/bot.py", BOT), ("b/x.py", BOT)), "There is no bot.py at the top"),
    "outside": ("bot.zip", zipped(("bot.py", BOT), ("../evil.py", BOT)), "leads outside of it: '../evil.py'"),
    "outside further down": ("bot.zip", zipped(("bot.py", BOT), ("a/../../evil.py", BOT)), "leads outside"),
    "absolute": ("bot.zip", zipped(("/etc/passwd", BOT)), "leads outside of it: '/etc/passwd'"),
    "backslashes": ("bot.zip", zipped(("bot.py", BOT), ("..\\evil.py", BOT)), "unusable name"),
    "a dot": ("bot.zip", zipped(("bot.py", BOT), ("./x.py", BOT)), "unusable name"),
    "newline in a name": ("bot.zip", zipped(("bot.py", BOT), ("a\nb.py", BOT)), "unusable name"),
    "NUL in a name": ("bot.zip", patched(zipped(("bot.py", BOT), ("axb.py", BOT)), b"axb", b"a\0b"), "unusable name"),
    "long name": ("bot.zip", zipped(("bot.py", BOT), ("a" * 201, BOT)), "unusable name"),
    "not UTF-8": ("bot.zip", patched(zipped(("bot.py", BOT), ("xx.py", BOT)), b"xx", b"\xff\xfe"), "not UTF-8"),
    "broken UTF-8": ("bot.zip", patched(zipped(("bot.py", BOT), ("é.py", BOT)), "é".encode(), b"\xc3("), "not UTF-8"),
    "symlink": ("bot.zip", zipped((member("bot.py", stat.S_IFLNK | 0o777), b"/etc/passwd")), "symbolic link"),
    "device": ("bot.zip", zipped((member("bot.py", stat.S_IFCHR | 0o666), b"")), "neither a file nor a folder"),
    "encrypted": ("bot.zip", encrypted(zipped(("bot.py", BOT))), "encrypted"),
    "lzma": ("bot.zip", zipped(("bot.py", BOT), method=zipfile.ZIP_LZMA), "unusual compression"),
    "too many": ("bot.zip", zipped(("bot.py", BOT), *((f"{n}.py", b"") for n in range(200))), "201 files: 200 at most"),
    "too much": ("bot.zip", zipped(("bot.py", bytes(5 * 1024**2))), "would unpack to 5 MiB: 4 MiB at most"),
    "a bomb": ("bot.zip", zipped(("bot.py", bytes(3 * 1024**2))), "times its size, like a bomb: 200 times at most"),
    "a file as folder": ("bot.zip", zipped(("bot.py", BOT), ("a", BOT), ("a/b", BOT)), "file and a folder of the same"),
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


def test_a_zip_that_lies_about_its_size_is_not_inflated_further() -> None:
    content = zipped(("bot.py", bytes(3 * 1024**2)))
    real, said = (3 * 1024**2).to_bytes(4, "little"), (100).to_bytes(4, "little")
    with pytest.raises(BadArchive, match="damaged"):
        read_upload("bot.zip", content.replace(real, said))


def test_a_hundred_megabytes_are_refused_at_once() -> None:
    began = time.perf_counter()
    with pytest.raises(BadArchive, match="too big"):
        read_upload("bot.zip", bytes(100 * 1024**2))
    assert time.perf_counter() - began < 1


def test_one_python_file_of_any_name_becomes_bot_py() -> None:
    assert read_upload("Kingfisher.PY", BOT) == {"bot.py": BOT}


def test_a_zip_keeps_its_folders() -> None:
    content = zipped(("bot.py", BOT), ("lib/", b""), ("lib/é.py", b"x"))
    assert read_upload("bot.zip", content) == {"bot.py": BOT, "lib/é.py": b"x"}


def test_a_zipped_folder_is_taken_as_its_content() -> None:
    content = zipped(("kingfisher/bot.py", BOT), ("kingfisher/lib/x.py", b"x"))
    assert read_upload("bot.zip", content) == {"bot.py": BOT, "lib/x.py": b"x"}


def test_caches_and_extras_of_a_mac_are_left_out() -> None:
    content = zipped(
        ("k/bot.py", BOT), ("__MACOSX/k/._bot.py", b"x"), ("k/.DS_Store", b"x"), ("k/__pycache__/a.pyc", b"")
    )
    assert read_upload("bot.zip", content) == {"bot.py": BOT}


@given(st.dictionaries(st.text("abé/", min_size=1).map(lambda name: f"x{name}x".replace("//", "/")), st.binary()))
def test_packing_gives_back_what_went_in(files: dict[str, bytes]) -> None:
    assert unpack(pack(files)) == files
    assert pack(dict(reversed(files.items()))) == pack(files)


@given(st.binary(max_size=300), st.integers(0, 200))
def test_no_damage_gives_anything_but_a_refusal(noise: bytes, place: int) -> None:
    content = zipped(("bot.py", BOT), ("lib/x.py", b"x" * 500))
    try:
        read_upload("bot.zip", content[:place] + noise + content[place + len(noise) :])
    except BadArchive:
        pass
