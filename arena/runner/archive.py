"""Turn an upload into a bot's files and back. No database access.

An upload is bytes from a stranger: nothing is written to disk, and no more is inflated than a bot may hold.
"""

import hashlib
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from unicodedata import normalize

from arena.runner.bot_packages import choose_packages
from arena.runner.languages import (
    LANGUAGES,
    PYTHON,
    Language,
    PackageSet,
    describe_office_document,
    find_file_language,
    find_language,
    format_entries,
    is_office_document,
    name_source,
)
from arena.runner.program import MAX_PATH_BYTES, BadProgramError, is_left_out
from arena.runner.protocol import make_visible
from engine.message import gettext_noop, message

MIB = 1024 * 1024
MAX_FILES_PER_VERSION = 200
MAX_ZIP_MEMBERS = 5000
"""Zips have folders and ignored files beside the files of a bot."""
MAX_COMPRESSION_RATIO = 200
"""Real programs compress to about a fifth."""
MAX_SIZE_MIB = 64
"""No arena takes more, packed or unpacked: a runner process holds all programs of a match in memory."""
MAX_FILE_NAME_LENGTH_SHOWN = 80
"""Longer names of files, in characters, are cut off in messages."""
ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip: with members, and empty."""
ZIP_CENTRAL_HEADER_SIGNATURE = b"PK\x01\x02"
ZIP_CENTRAL_HEADER = struct.Struct("<28x3H12x")
"""Of the header of a member: the lengths of name, extra field and comment, which follow it in this order."""
ZIP_SIGNATURE_PREFIX = b"PK"
MAX_ZIP_EXTRA_BYTES = 512
"""Times, owners and the Unicode name of a member take less than half of this."""
ZIP_LOCAL_HEADER_BYTES = 30
SUPPORTED_COMPRESSION_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Only these can be inflated in bounded pieces."""
ZIP_ENCRYPTED_FLAG = 0x1
ZIP_UTF8_NAME_FLAG = 0x800
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
    RuntimeError,
)
"""Errors of damaged zips, and of those that `zipfile` can't read, as one with a password.

OSError isn't among them, since it can come from the disk to which a file is unpacked.
"""


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """The sizes that an arena takes, which its operator can change."""

    packed_bytes: int = 4 * MIB
    """Size of what is sent."""
    unpacked_bytes: int = 16 * MIB
    """Size of all files."""


USUAL_LIMITS = UploadLimits()
LARGEST_UPLOAD = UploadLimits(MAX_SIZE_MIB * MIB, MAX_SIZE_MIB * MIB)
"""The largest sizes that any arena can set: the command line doesn't know its arena's."""


class BadArchive(BadProgramError):
    """The upload can't become a version, for the reason that the message gives."""


class PackedFiles(dict[str, bytes]):
    """A bot's files by path, with the key and the compressed content under which they are stored.

    Packing 16 MiB takes half a second: make it before the transaction that stores it, which locks the uploader.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        zipped = pack_files(files)
        self.sha256 = hash_zip(zipped)
        self.content = zlib.compress(zipped)


class Upload(PackedFiles):
    """The files of a version with their language: made once of what was sent, and passed down from there."""

    def __init__(
        self, files: Mapping[str, bytes], language: Language | None = None, left_out: Sequence[str] = ()
    ) -> None:
        super().__init__(files)
        self.language = language or find_language(files)
        self.left_out = left_out
        """Paths of the files in the zip that bots don't get."""
        self.packages: Mapping[str, str] = {}
        """Version of each package that it uses, by name, once `use_packages` has found them."""
        self.package_set = ""

    def use_packages(self, found: PackageSet | None) -> None:
        """Find the packages that a bot in Python uses. Raises PackagesMissingError where one isn't in the set."""
        if self.language is PYTHON:
            self.packages = choose_packages(self, found)
            self.package_set = found.hash if found is not None and self.packages else ""


LEFT_OUT_SHOWN = 3
MAX_LEFT_OUT_CHARS = 80
"""Characters of the path of a file that is left out; a zip may have longer ones."""


def name_left_out(paths: Sequence[str]) -> tuple[str, int]:
    """Return the first of the files that are left out, as they are shown, and how many more there are."""
    shown = paths[:LEFT_OUT_SHOWN]
    return ", ".join(make_visible(path[:MAX_LEFT_OUT_CHARS]) for path in shown), len(paths) - len(shown)


def read_upload(filename: str, content: bytes, limits: UploadLimits = USUAL_LIMITS) -> Upload:
    """Return a bot's files by relative path, from one file or a zip. They are of one language. Raises BadArchive."""
    if len(content) > limits.packed_bytes:
        most = format_size(limits.packed_bytes)
        raise BadArchive(message(gettext_noop("The file is too big (maximum %(most)s)."), most=most))
    if not content.strip():
        raise BadArchive(message(gettext_noop("The file is empty.")))
    if is_office_document(content):
        raise BadArchive(describe_office_document(_quote_file_name(filename)))
    if content.startswith(ZIP_SIGNATURES) or filename.lower().endswith(".zip"):
        return _read_zip(content, limits.unpacked_bytes)
    try:
        language = find_file_language(filename.lower(), content)
    except BadProgramError:
        problem = gettext_noop(
            "%(file)s is neither a program nor a zip. Upload a %(entries)s, or a zip with one at the top level."
        )
        raise BadArchive(message(problem, file=_quote_file_name(filename), entries=format_entries())) from None
    return Upload(name_source(content, language), language)


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files. The same files always give the same bytes, since nothing in it is compressed."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as zipped:
        for path in sorted(files):
            zipped.writestr(zipfile.ZipInfo(path), files[path], zipfile.ZIP_STORED)
    return buffer.getvalue()


def hash_zip(zipped: bytes) -> str:
    """Return the key under which a zip is stored: its SHA-256, hexadecimal."""
    return hashlib.sha256(zipped).hexdigest()


def unpack_files(zipped: bytes) -> dict[str, bytes]:
    """Return the files of a zip that `pack_files` made."""
    with zipfile.ZipFile(BytesIO(zipped)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _read_zip(content: bytes, unpacked_bytes: int) -> Upload:
    if content.count(ZIP_CENTRAL_HEADER_SIGNATURE) > MAX_ZIP_MEMBERS:
        raise BadArchive(
            message(gettext_noop("The zip contains thousands of files (maximum %(most)s)."), most=MAX_FILES_PER_VERSION)
        )
    _check_extra_fields(content)
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except UnicodeDecodeError:
        raise BadArchive(message(gettext_noop("The zip contains a file name that isn't UTF-8."))) from None
    except (OSError, *ZIP_ERRORS):
        raise BadArchive(message(gettext_noop("The file can't be read as a zip."))) from None
    with archive:
        every = [(read_member_path(member), member) for member in archive.infolist()]
        files_in_zip = [(path, member) for path, member in every if not path.endswith("/")]
        members = [(path, member) for path, member in files_in_zip if not is_left_out(path)]
        for path, member in members:
            _check_member_name(path, member)
            _check_member_kind(path, member)
        _check_member_sizes([member for _, member in members], len(content), unpacked_bytes)
        _check_member_overlaps(archive)
        _check_path_collisions([path for path, _ in members])
        files = _strip_top_folder(_inflate_members(archive, members))
        left_out = [path for path, _ in files_in_zip if is_left_out(path)]
    return Upload(files, _check_entry_file(files), left_out)


def read_member_path(member: zipfile.ZipInfo) -> str:
    """Return the path of a file in a zip, with slashes where Windows PowerShell writes backslashes."""
    return member.orig_filename.replace("\\", "/")


def _check_extra_fields(content: bytes) -> None:
    """Refuse members with long extra fields before `zipfile` reads them, in a time that grows with their square.

    What looks like a header may be a part of a file, unless the next header or the end of the directory follows.
    """
    at = content.find(ZIP_CENTRAL_HEADER_SIGNATURE)
    while 0 <= at <= len(content) - ZIP_CENTRAL_HEADER.size:
        name, extra, comment = ZIP_CENTRAL_HEADER.unpack_from(content, at)
        end = at + ZIP_CENTRAL_HEADER.size + name + extra + comment
        if extra > MAX_ZIP_EXTRA_BYTES and content.startswith(ZIP_SIGNATURE_PREFIX, end):
            problem = gettext_noop(
                "The zip contains a file with more than %(most)s bytes of extra fields. Create the zip again."
            )
            raise BadArchive(message(problem, most=MAX_ZIP_EXTRA_BYTES))
        at = content.find(ZIP_CENTRAL_HEADER_SIGNATURE, at + 1)


def _check_member_name(name: str, member: zipfile.ZipInfo) -> None:
    if not member.flag_bits & ZIP_UTF8_NAME_FLAG and not name.isascii():
        raise BadArchive(message(gettext_noop("The zip contains a file name that isn't UTF-8.")))
    if not name.isprintable():
        raise BadArchive(
            message(gettext_noop("The zip contains an unusable file name: %(file)s."), file=_quote_file_name(name))
        )
    if len(name.encode()) > MAX_PATH_BYTES:
        raise BadArchive(
            message(
                gettext_noop("The zip contains a path longer than %(most)s bytes: %(file)s."),
                most=MAX_PATH_BYTES,
                file=_quote_file_name(name),
            )
        )
    parts = name.split("/")
    if name.startswith("/") or ".." in parts:
        raise BadArchive(
            message(
                gettext_noop("The zip contains a path that points outside it: %(file)s."), file=_quote_file_name(name)
            )
        )
    if "" in parts or "." in parts:
        raise BadArchive(
            message(gettext_noop("The zip contains an unusable file name: %(file)s."), file=_quote_file_name(name))
        )


def _check_member_kind(path: str, member: zipfile.ZipInfo) -> None:
    mode = member.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise BadArchive(
            message(
                gettext_noop("The zip contains a symbolic link, which bots can't have: %(file)s."),
                file=_quote_file_name(path),
            )
        )
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadArchive(
            message(
                gettext_noop("The zip contains something that is neither a file nor a folder: %(file)s."),
                file=_quote_file_name(path),
            )
        )
    if member.flag_bits & ZIP_ENCRYPTED_FLAG:
        raise BadArchive(message(gettext_noop("The zip is encrypted. Upload it without a password.")))
    if member.compress_type not in SUPPORTED_COMPRESSION_METHODS:
        raise BadArchive(
            message(
                gettext_noop("The zip uses an unsupported compression method for %(file)s. Use deflate."),
                file=_quote_file_name(path),
            )
        )


def _check_member_sizes(members: list[zipfile.ZipInfo], upload_size: int, unpacked_bytes: int) -> None:
    if not members:
        raise BadArchive(message(gettext_noop("The zip is empty.")))
    if len(members) > MAX_FILES_PER_VERSION:
        raise BadArchive(
            message(
                gettext_noop("The zip contains %(count)s files (maximum %(most)s)."),
                count=len(members),
                most=MAX_FILES_PER_VERSION,
            )
        )
    total = sum(member.file_size for member in members)
    if total > unpacked_bytes:
        raise BadArchive(
            message(
                gettext_noop("The zip would unpack to %(size)s (maximum %(most)s)."),
                size=format_size(total),
                most=format_size(unpacked_bytes),
            )
        )
    if total > MAX_COMPRESSION_RATIO * upload_size:
        problem = gettext_noop(
            "The zip would unpack to %(times)s times its size, like a zip bomb (maximum %(most)s times)."
        )
        raise BadArchive(message(problem, times=total // upload_size, most=MAX_COMPRESSION_RATIO))


def _check_member_overlaps(archive: zipfile.ZipFile) -> None:
    """Refuse members that share their bytes: so a small zip becomes thousands of big files."""
    end = 0
    for member in sorted(archive.infolist(), key=lambda member: member.header_offset):
        if member.header_offset < end:
            raise BadArchive(message(gettext_noop("The zip's files overlap, as in a zip bomb.")))
        end = member.header_offset + ZIP_LOCAL_HEADER_BYTES + member.compress_size


def _check_path_collisions(paths: list[str]) -> None:
    """Refuse paths that can't be in one folder: equal ones, or equal on a file system that ignores case."""
    folders = {folder for path in paths for folder in _iterate_parent_folders(path)}
    names: dict[str, str] = {}
    for name in [*sorted(folders), *dict.fromkeys(paths)]:
        other = names.setdefault(normalize("NFC", name).casefold(), name)
        if other != name:
            raise BadArchive(
                message(
                    gettext_noop("The zip contains names that differ only in case: %(one)s and %(other)s."),
                    one=_quote_file_name(other),
                    other=_quote_file_name(name),
                )
            )
    for path, count in Counter(paths).items():
        if path in folders:
            raise BadArchive(
                message(
                    gettext_noop("The zip contains a file and a folder with the same name: %(file)s."),
                    file=_quote_file_name(path),
                )
            )
        if count > 1:
            raise BadArchive(message(gettext_noop("The zip contains %(file)s twice."), file=_quote_file_name(path)))


def _inflate_members(archive: zipfile.ZipFile, members: list[tuple[str, zipfile.ZipInfo]]) -> dict[str, bytes]:
    """Return the members' content, never inflating beyond the sizes that were checked."""
    files: dict[str, bytes] = {}
    for path, member in members:
        try:
            with archive.open(member) as stream:
                content = stream.read(member.file_size + 1)
        except (OSError, *ZIP_ERRORS):
            content = None
        if content is None or len(content) != member.file_size:
            raise BadArchive(
                message(gettext_noop("The zip is damaged: %(file)s can't be read."), file=_quote_file_name(path))
            )
        files[path] = content
    return files


def _iterate_parent_folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _strip_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files without the one folder that holds them all, as zipping a folder makes it."""
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or any(language.entry in files for language in LANGUAGES.values()):
        return files
    top = f"{tops.pop()}/"
    return {path.removeprefix(top): content for path, content in files.items()}


def _check_entry_file(files: Mapping[str, bytes]) -> Language:
    try:
        language = find_language(files)
    except BadProgramError as problem:
        raise BadArchive(
            message(
                gettext_noop("In the zip, or in the only folder in it: %(problem)s."),
                problem=problem.message,
            )
        ) from None
    if not files[language.entry].strip():
        raise BadArchive(message(gettext_noop("%(file)s is empty."), file=language.entry))
    return language


def _quote_file_name(name: str) -> str:
    """Return a stranger's name of a file for a message: quoted, and cut off where long."""
    return repr(name if len(name) <= MAX_FILE_NAME_LENGTH_SHOWN else f"{name[:MAX_FILE_NAME_LENGTH_SHOWN]}…")


def format_size(byte_count: int) -> str:
    """Return a size as people write it, such as "4 MiB"."""
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2)):
        if byte_count >= factor:
            return f"{byte_count / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{byte_count} bytes"
