"""From an upload to a bot's files and back. Knows no database.

An upload is bytes from a stranger. Nothing is written to a disk, and no more is inflated than a bot may hold.
"""

import hashlib
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from unicodedata import normalize

from arena.errors import ArenaError
from arena.runner.languages import LANGUAGES, entries, language_of, language_of_file
from arena.runner.program import MAX_PATH, BadProgram

MAX_UPLOAD = 4 * 1024 * 1024
MAX_UNPACKED = 16 * 1024 * 1024
MAX_FILES = 200
MAX_MEMBERS = 5000
"""With folders, and what is left out of it."""
MAX_RATIO = 200
"""A zip may grow so many times, as a whole; real programs grow some five times."""
MAX_SHOWN = 80
"""Characters of a stranger's file name in a sentence."""
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
"""Of a zip with members, and of one without any."""
ZIP_MEMBER = b"PK\x01\x02"
LOCAL_HEADER = 30
"""Bytes before the name of a member, where its content lies."""
PLAIN_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The methods that can be inflated in bounded pieces."""
ENCRYPTED = 0x1
UTF8_NAME = 0x800
LEFT_OUT = {"__MACOSX", "__pycache__", ".DS_Store"}
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
    RuntimeError,
)
"""What `zipfile` raises at a damaged file, or one that needs what it can't do (a newer version, strong encryption)."""


class BadArchive(ArenaError):
    """The upload can't become a version. The message says why."""


def read_upload(filename: str, content: bytes) -> dict[str, bytes]:
    """A bot's files by relative path, from one file or a zip; they are of one language. Raises BadArchive."""
    if len(content) > MAX_UPLOAD:
        raise BadArchive(f"The file is too big: {_size(MAX_UPLOAD)} at most.")
    if not content.strip():
        raise BadArchive("The file is empty.")
    if content.startswith(ZIP_STARTS) or filename.lower().endswith(".zip"):
        return _read_zip(content)
    try:
        return {language_of_file(filename.lower(), content).entry: content}
    except BadProgram:
        sentence = (
            f"{_shown(filename)} is neither a program nor a zip: upload a {entries()}, or a zip with it at its top."
        )
        raise BadArchive(sentence) from None


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files. The same files always give the same bytes, since nothing in it is compressed."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as zipped:
        for path in sorted(files):
            zipped.writestr(zipfile.ZipInfo(path), files[path], zipfile.ZIP_STORED)
    return buffer.getvalue()


def digest(zipped: bytes) -> str:
    """The name under which a zip is kept: its SHA-256, hexadecimal."""
    return hashlib.sha256(zipped).hexdigest()


def unpack(zipped: bytes) -> dict[str, bytes]:
    """The files of a zip that `pack` made."""
    with zipfile.ZipFile(BytesIO(zipped)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _read_zip(content: bytes) -> dict[str, bytes]:
    if content.count(ZIP_MEMBER) > MAX_MEMBERS:
        raise BadArchive(f"The zip has thousands of files: {MAX_FILES} at most.")
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except UnicodeDecodeError:
        raise BadArchive("The zip has a file name that is not UTF-8.") from None
    except DAMAGE:
        raise BadArchive("The file can't be read as a zip.") from None
    with archive:
        members = list(_wanted(archive))
        _check_sizes(members, len(content))
        _check_places(archive)
        _check_paths([member.filename for member in members])
        files = _without_top_folder(_inflate(archive, members))
    _check_entry(files)
    return files


def _wanted(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The members that are files, each looked at closely. Caches and a Mac's extras are left out."""
    for member in archive.infolist():
        _check_name(member)
        _check_kind(member)
        if not member.is_dir() and not LEFT_OUT & set(member.filename.split("/")):
            yield member


def _check_name(member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    if not member.flag_bits & UTF8_NAME and not name.isascii():
        raise BadArchive("The zip has a file name that is not UTF-8.")
    if not name.isprintable() or "\\" in name:
        raise BadArchive(f"The zip has a file with an unusable name: {_shown(name)}.")
    if len(name.encode()) > MAX_PATH:
        raise BadArchive(f"The zip has a path that is longer than {MAX_PATH} bytes: {_shown(name)}.")
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or ".." in parts:
        raise BadArchive(f"The zip has a path that leads outside of it: {_shown(name)}.")
    if "" in parts or "." in parts:
        raise BadArchive(f"The zip has a file with an unusable name: {_shown(name)}.")


def _check_kind(member: zipfile.ZipInfo) -> None:
    mode = member.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise BadArchive(f"The zip has a symbolic link, which a bot can't have: {_shown(member.filename)}.")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadArchive(f"The zip has something that is neither a file nor a folder: {_shown(member.filename)}.")
    if member.flag_bits & ENCRYPTED:
        raise BadArchive("The zip is encrypted: upload it without a password.")
    if member.compress_type not in PLAIN_METHODS:
        raise BadArchive(f"The zip uses an unusual compression for {_shown(member.filename)}: make it with deflate.")


def _check_sizes(members: list[zipfile.ZipInfo], upload_size: int) -> None:
    if not members:
        raise BadArchive("The zip is empty.")
    if len(members) > MAX_FILES:
        raise BadArchive(f"The zip has {len(members)} files: {MAX_FILES} at most.")
    total = sum(member.file_size for member in members)
    if total > MAX_UNPACKED:
        raise BadArchive(f"The zip would unpack to {_size(total)}: {_size(MAX_UNPACKED)} at most.")
    if total > MAX_RATIO * upload_size:
        raise BadArchive(
            f"The zip would grow to {total // upload_size} times its size, like a bomb: {MAX_RATIO} times at most."
        )


def _check_places(archive: zipfile.ZipFile) -> None:
    """Members that share their bytes are how a small zip becomes thousands of big files."""
    end = 0
    for member in sorted(archive.infolist(), key=lambda member: member.header_offset):
        if member.header_offset < end:
            raise BadArchive("The zip's files overlap, like a bomb.")
        end = member.header_offset + LOCAL_HEADER + member.compress_size


def _check_paths(paths: list[str]) -> None:
    """What can't lie in one folder: two of one name, or of names that some machines take for the same."""
    folders = {folder for path in paths for folder in _folders(path)}
    names: dict[str, str] = {}
    for name in [*sorted(folders), *dict.fromkeys(paths)]:
        other = names.setdefault(normalize("NFC", name).casefold(), name)
        if other != name:
            raise BadArchive(f"The zip has names that differ only in case: {_shown(other)} and {_shown(name)}.")
    for path, count in Counter(paths).items():
        if path in folders:
            raise BadArchive(f"The zip has a file and a folder of the same name: {_shown(path)}.")
        if count > 1:
            raise BadArchive(f"The zip has {_shown(path)} twice.")


def _inflate(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Never inflates beyond the sizes that were checked, whatever the members really hold."""
    files: dict[str, bytes] = {}
    for member in members:
        try:
            with archive.open(member) as stream:
                content = stream.read(member.file_size + 1)
        except DAMAGE:
            content = None
        if content is None or len(content) != member.file_size:
            raise BadArchive(f"The zip is damaged: {_shown(member.filename)} can't be read.")
        files[member.filename] = content
    return files


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """What one gets by zipping a folder is taken as that folder's content."""
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or any(language.entry in files for language in LANGUAGES.values()):
        return files
    top = f"{tops.pop()}/"
    return {path.removeprefix(top): content for path, content in files.items()}


def _check_entry(files: Mapping[str, bytes]) -> None:
    try:
        entry = language_of(files).entry
    except BadProgram as problem:
        raise BadArchive(f"In the zip, or the one folder that holds all of it, {problem}.") from None
    if not files[entry].strip():
        raise BadArchive(f"{entry} is empty.")


def _shown(name: str) -> str:
    """A stranger's name for a file, in a sentence."""
    return repr(name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…")


def _size(count: int) -> str:
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2)):
        if count >= factor:
            return f"{count / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count} bytes"
