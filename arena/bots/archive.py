"""From an upload to a bot's files and back. Knows no database.

An upload is bytes from a stranger. Nothing is written to a disk, and no more is inflated than a bot may hold.
"""

import hashlib
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO

from arena.errors import ArenaError

ENTRY = "bot.py"
MAX_UPLOAD = 1024 * 1024
MAX_UNPACKED = 4 * 1024 * 1024
MAX_FILES = 200
MAX_PATH = 200
MAX_RATIO = 200
"""A zip may grow so many times, as a whole; real programs grow some five times."""
ZIP_START = b"PK"
PLAIN_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The methods that can be inflated in bounded pieces."""
ENCRYPTED = 0x1
UTF8_NAME = 0x800
LEFT_OUT = {"__MACOSX", "__pycache__", ".DS_Store"}
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError)
"""What `zipfile` raises at a damaged file, or one that needs what it can't do (a newer version, strong encryption)."""


class BadArchive(ArenaError):
    """The upload can't become a version. The message says why."""


def read_upload(filename: str, content: bytes) -> dict[str, bytes]:
    """A bot's files by relative path, from one Python file or a zip. Raises BadArchive."""
    if len(content) > MAX_UPLOAD:
        raise BadArchive(f"The file is too big: {_size(MAX_UPLOAD)} at most.")
    if not content.strip():
        raise BadArchive("The file is empty.")
    if content.startswith(ZIP_START):
        return _read_zip(content)
    if filename.lower().endswith(".py"):
        return {ENTRY: content}
    raise BadArchive(
        f"{filename} is neither a Python file nor a zip: upload one {ENTRY}, or a zip with {ENTRY} at its top."
    )


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files. The same files always give the same bytes."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(files):
            zipped.writestr(zipfile.ZipInfo(path), files[path], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def digest(zipped: bytes) -> str:
    """The name under which a zip is kept: its SHA-256, hexadecimal."""
    return hashlib.sha256(zipped).hexdigest()


def unpack(zipped: bytes) -> dict[str, bytes]:
    """The files of a zip that `pack` made."""
    with zipfile.ZipFile(BytesIO(zipped)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _read_zip(content: bytes) -> dict[str, bytes]:
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except UnicodeDecodeError:
        raise BadArchive("The zip has a file name that is not UTF-8.") from None
    except DAMAGE:
        raise BadArchive("The file begins like a zip, but can't be read as one.") from None
    with archive:
        members = list(_wanted(archive))
        _check_sizes(members, len(content))
        return _without_top_folder(_inflate(archive, members))


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
    if not name or len(name) > MAX_PATH or not name.isprintable() or "\\" in name:
        raise BadArchive(f"The zip has a file with an unusable name: {name[:MAX_PATH]!r}.")
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or ".." in parts:
        raise BadArchive(f"The zip has a path that leads outside of it: {name!r}.")
    if "" in parts or "." in parts:
        raise BadArchive(f"The zip has a file with an unusable name: {name!r}.")


def _check_kind(member: zipfile.ZipInfo) -> None:
    mode = member.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise BadArchive(f"The zip has a symbolic link, which a bot can't have: {member.filename!r}.")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadArchive(f"The zip has something that is neither a file nor a folder: {member.filename!r}.")
    if member.flag_bits & ENCRYPTED:
        raise BadArchive("The zip is encrypted: upload it without a password.")
    if member.compress_type not in PLAIN_METHODS:
        raise BadArchive(
            f"The zip uses an unusual compression for {member.filename!r}: make it with the ordinary one (deflate)."
        )


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


def _inflate(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Never inflates beyond the sizes that were checked, whatever the members really hold."""
    files: dict[str, bytes] = {}
    for member in members:
        if member.filename in files:
            raise BadArchive(f"The zip has {member.filename!r} twice.")
        try:
            with archive.open(member) as stream:
                files[member.filename] = stream.read(member.file_size)
        except DAMAGE:
            raise BadArchive(f"The zip is damaged: {member.filename!r} can't be read.") from None
    for path in files:
        if any(folder in files for folder in _folders(path)):
            raise BadArchive(f"The zip has a file and a folder of the same name: see {path!r}.")
    return files


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """What one gets by zipping a folder is taken as that folder's content."""
    if ENTRY in files:
        return files
    tops = {path.partition("/")[0] for path in files}
    top = f"{tops.pop()}/" if len(tops) == 1 else ""
    if top and top + ENTRY in files:
        return {path.removeprefix(top): content for path, content in files.items()}
    raise BadArchive(f"There is no {ENTRY} at the top of the zip, nor in a folder that holds all of it.")


def _size(count: int) -> str:
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2)):
        if count >= factor:
            return f"{count / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count} bytes"
