"""Let a group's organisers read the bots of members who have accepted that, compare them, and say who has read what."""

import zipfile
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

import orjson
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils.timezone import localdate

from arena.bots import similarity
from arena.bots.models import Blob, BotVersion, SourceFingerprints, SourceRead, TeamMember
from arena.bots.queries import list_named_versions
from arena.bots.similarity import Fingerprint, Pair
from arena.contests.ladders.models import Entry
from arena.contests.tournaments.models import Entrant, Tournament
from arena.core.errors import ArenaError, Conflict
from arena.people.accounts.models import User
from arena.people.accounts.names import make_slug
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import is_group_organiser
from arena.runner.data_files import STARTERS_FOLDER
from engine.message import gettext_noop, message

# Say which versions that are, and note who reads them.


def list_readable_versions(group: Group) -> QuerySet[BotVersion]:
    """List the versions that a group's organisers can read, with bot and owner.

    They are of bots for the group only, or play in its tournaments or on its ladders, and all their authors accepted
    it before they were uploaded. When one of these leaves the group, nobody reads them any more.
    """
    accepted = Membership.objects.filter(group=group, reading_accepted_at__isnull=False)
    hidden_from = TeamMember.objects.joined().filter(bot=OuterRef("bot"))
    hidden_from = hidden_from.exclude(
        Exists(accepted.filter(user=OuterRef("user"), reading_accepted_at__lte=OuterRef(OuterRef("created_at"))))
    )
    by_owner = accepted.filter(user=OuterRef("bot__owner"), reading_accepted_at__lte=OuterRef("created_at"))
    by_uploader = accepted.filter(user=OuterRef("uploaded_by"), reading_accepted_at__lte=OuterRef("created_at"))
    entrants = Entrant.objects.filter(tournament__group=group, tournament__is_rehearsal=False, version=OuterRef("pk"))
    # Who withdraws before the start has not taken part.
    entrants = entrants.exclude(state=Entrant.State.WITHDRAWN, number=None)
    entries = Entry.objects.filter(ladder__group=group, version=OuterRef("pk"))
    return (
        list_named_versions()
        .filter(Q(bot__group=group) | Q(Exists(entrants)) | Q(Exists(entries)))
        .filter(Exists(by_owner), Q(uploaded_by=None) | Q(Exists(by_uploader)), ~Exists(hidden_from))
        .exclude(source=None)
        .filter(Exists(Group.objects.filter(pk=group.pk, reads_bots=True)))
    )


def list_own_readable_versions(group: Group, author: User) -> QuerySet[BotVersion]:
    """List the versions of an author that the group's organisers can read, newest first."""
    on_team = TeamMember.objects.joined().filter(bot=OuterRef("bot"), user=author)
    return list_readable_versions(group).filter(Q(bot__owner=author) | Q(Exists(on_team))).order_by("-pk")


MAX_SOURCES = 300
"""Of one page, download or comparison; the newest ones."""


def choose_versions(group: Group, tournament: Tournament | None = None) -> list[BotVersion]:
    """Return the newest readable version of each bot, or those that play in a tournament, by the bots' names."""
    readable = list_readable_versions(group)
    if tournament is not None:
        chosen = readable.filter(pk__in=Entrant.objects.filter(tournament=tournament).values("version"))
    else:
        newer = list_readable_versions(group).filter(bot=OuterRef("bot")).order_by("-number").values("pk")[:1]
        chosen = readable.filter(pk=Subquery(newer))
    return sorted(chosen.order_by("-pk")[:MAX_SOURCES], key=lambda one: one.bot.name.lower())


def find_readable_version(group: Group, reader: User, pk: int) -> BotVersion | None:
    """Return a version with its files if this reader organises the group and can read it, or None."""
    if not is_group_organiser(group, reader):
        return None
    return list_readable_versions(group).select_related("source").filter(pk=pk).first()


def count_members_who_accepted(group: Group) -> int:
    """Count the members who have accepted that organisers read their bots."""
    return Membership.objects.filter(group=group, reading_accepted_at__isnull=False).count()


def note_reads(*, versions: Iterable[BotVersion], group: Group, reader: User, way: SourceRead.Way) -> None:
    """Note that an organiser reads these versions, once a day; their authors see it. One's own don't count."""
    reads = [
        SourceRead(version=version, group=group, reader=reader, way=way, day=localdate())
        for version in versions
        if not version.bot.has_author(reader)
    ]
    SourceRead.objects.bulk_create(reads, ignore_conflicts=True)


READS_SHOWN = 20


def list_reads(version: BotVersion) -> QuerySet[SourceRead]:
    """List who has read the files of a version, the latest first, for its authors."""
    return SourceRead.objects.filter(version=version).select_related("reader")[:READS_SHOWN]


# Write the sources into one zip, as JPlag and MOSS take them.

MAX_ZIP_BYTES = 512 * 2**20
GUIDE = """One folder for each submission is in submissions/; what the arena hands out is in base-code/.

JPlag: java -jar jplag.jar -l python3 -bc base-code/python submissions
MOSS:  perl moss.pl -l python -d -b base-code/python/bot.py submissions/*/*.py

What they find is a hint. Read both texts before you judge.
"""


def write_sources(*, versions: Sequence[BotVersion], names: Mapping[int, str]) -> IO[bytes]:
    """Return a zip of the sources, from its beginning. `names` are those of people by key.

    It is written to disk, one version after the other: together they may be large. Raise Conflict or ArenaError.
    """
    if not versions:
        raise Conflict(message(gettext_noop("This group's organisers can't read any bots yet.")))
    if sum(version.size for version in versions) > MAX_ZIP_BYTES:
        problem = gettext_noop("These bots are too large for one zip: choose a tournament, or read them here.")
        raise ArenaError(message(problem))
    file = TemporaryFile()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        zipped.writestr("README.txt", GUIDE)
        for given in sorted(STARTERS_FOLDER.rglob("*")):
            if given.is_file() and similarity.is_code(given.name, b""):
                zipped.write(given, f"base-code/{given.relative_to(STARTERS_FOLDER)}")
        for version in versions:
            folder = name_folder(version, names)
            for path, content in _fetch_files(version).items():
                zipped.writestr(f"submissions/{folder}/{path}", content)
    file.seek(0)
    return file


def name_folder(version: BotVersion, names: Mapping[int, str]) -> str:
    """Return the folder of a submission: its people, bot and version, in letters that every program takes."""
    people = [names.get(version.bot.owner_id) or version.bot.owner.username]
    people += [names.get(one["id"]) or one["username"] for one in version.bot.co_authors]
    return "-".join([*(make_slug(one) or "member" for one in people), version.bot.slug, f"v{version.number}"])


def _fetch_files(version: BotVersion) -> dict[str, bytes]:
    return Blob.objects.get(pk=version.source_id).files


# Compare the sources: a step at a time, each source once for ever.

SOURCES_PER_STEP = 12
STEP_S = 1.5
Place = tuple[str, int]
"""Path of a file, and number of a line in it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A version with what is known of its files."""

    version: BotVersion
    same_as: list[BotVersion]
    """Others whose files differ in white space at most."""
    given: str
    """The starter or sample that it is, unchanged; empty otherwise."""
    is_compared: bool
    """False until all are compared, and where it took too long."""


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two versions that share more than what both were given."""

    left: BotVersion
    right: BotVersion
    lines: int
    """Number of lines of the one that has fewer that are the same."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of some versions."""

    sources: list[Source]
    pairs: list[SimilarPair]
    """The most similar first; empty until all are compared."""
    done: int
    """Number of those that are compared, or can't be."""

    @property
    def is_complete(self) -> bool:
        """Return whether nothing is left to be done."""
        return self.done == len(self.sources)


def compare_versions(*, versions: Sequence[BotVersion]) -> Comparison:
    """Compare versions as far as a step of some seconds goes, and return what is known then.

    Call it again until it is complete. What was found out of a source is stored, and never found out again.
    """
    keys = {version.sha256 for version in versions}
    known = _fetch_known(keys)
    missing = sorted(keys - known.keys())[:SOURCES_PER_STEP]
    if missing:
        _learn({blob.pk: blob.files for blob in Blob.objects.filter(pk__in=missing)})
        known = _fetch_known(keys)
    is_complete = known.keys() == keys
    prints = _fetch_fingerprints(keys) if is_complete else {}
    alike: dict[str, list[BotVersion]] = defaultdict(list)
    for version in versions:
        if version.sha256 in known:
            alike[known[version.sha256].squeezed].append(version)
    sources = []
    for version in versions:
        row = known.get(version.sha256)
        others = [one for one in alike[row.squeezed] if one.pk != version.pk] if row else []
        is_compared = prints.get(version.sha256) is not None
        sources.append(Source(version, others, row.given if row else "", is_compared))
    done = sum(version.sha256 in known for version in versions)
    pairs = _find_pairs(versions, {key: found or [] for key, found in prints.items()}) if is_complete else []
    return Comparison(sources, pairs, done)


def _fetch_known(keys: Collection[str]) -> dict[str, SourceFingerprints]:
    return SourceFingerprints.objects.filter(method=similarity.METHOD).defer("fingerprints").in_bulk(keys)


def _fetch_fingerprints(keys: Collection[str]) -> dict[str, list[Fingerprint] | None]:
    """Return the fingerprints of sources that are compared; None where it took too long."""
    rows = SourceFingerprints.objects.filter(method=similarity.METHOD, source__in=keys)
    return {
        key: None if packed is None else [Fingerprint(*one) for one in orjson.loads(zlib.decompress(packed))]
        for key, packed in rows.values_list("source", "fingerprints")
    }


def _learn(programs: Mapping[str, Mapping[str, bytes]]) -> None:
    for key, found in similarity.fingerprint_in_child(programs, budget_s=STEP_S).items():
        packed = None if found is None else zlib.compress(orjson.dumps([tuple(one) for one in found]))
        values = {
            "method": similarity.METHOD,
            "squeezed": similarity.squeeze_files(programs[key]),
            "given": similarity.find_given(programs[key]),
            "fingerprints": packed,
        }
        # Files that staff removes meanwhile take these along.
        if Blob.objects.filter(pk=key).exists():
            SourceFingerprints.objects.update_or_create(source_id=key, defaults=values)


def _find_pairs(versions: Sequence[BotVersion], prints: Mapping[str, list[Fingerprint]]) -> list[SimilarPair]:
    by_key = {str(version.pk): version for version in versions}
    hashes = {key: {one.gram for one in prints[version.sha256]} for key, version in by_key.items()}
    authors = {key: frozenset(version.bot.author_keys) for key, version in by_key.items()}
    found = similarity.find_pairs(hashes, authors)
    return [SimilarPair(by_key[pair.left], by_key[pair.right], _count_lines(pair, by_key, prints)) for pair in found]


def _count_lines(pair: Pair, by_key: Mapping[str, BotVersion], prints: Mapping[str, list[Fingerprint]]) -> int:
    sides = [prints[by_key[key].sha256] for key in (pair.left, pair.right)]
    return min(len(_mark_lines([one for one in side if one.gram in pair.shared])) for side in sides)


def _mark_lines(prints: Iterable[Fingerprint]) -> set[Place]:
    return {(one.path, line) for one in prints for line in range(one.first, one.last + 1)}


# Show sources as text, and two of them next to each other with the parts that they share.

MAX_LINES_SHOWN = 3_000
MAX_LINE_LENGTH_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a source as it is shown."""

    number: int
    text: str
    part: int = 0
    """Number of the part that it belongs to, which the other source has as well; 0 for none."""
    is_first: bool = False
    """Whether its part begins with it."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of a source."""

    path: str
    lines: list[Line]
    size: int
    is_text: bool
    is_cut: bool
    """Whether not all of it is shown."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sources."""

    version: BotVersion
    files: list[ShownFile]
    shared: int
    """Number of lines that the other one has as well, without those that both were given."""
    lines: int
    """Number of all lines of code."""

    @property
    def parts(self) -> list[int]:
        """Return the numbers of the parts that are shown, in their order."""
        return [line.part for file in self.files for line in file.lines if line.is_first]


def show_files(version: BotVersion) -> list[ShownFile]:
    """Return the files of a version as text, as far as a page has room. Raise FilesRemoved."""
    return _show_files(version.files, {})


def compare_pair(left: BotVersion, right: BotVersion) -> tuple[Side, Side] | None:
    """Return two versions next to each other, the same parts with the same number; None until they are compared."""
    known = _fetch_fingerprints({left.sha256, right.sha256})
    if known.keys() != {left.sha256, right.sha256}:
        return None
    given = similarity.list_given()[1]
    one, two = (
        [found for found in known[version.sha256] or [] if found.gram not in given] for version in (left, right)
    )
    shared = {found.gram for found in one} & {found.gram for found in two}
    one, two = ([found for found in side if found.gram in shared] for side in (one, two))
    parts = _number_parts(_mark_lines(one))
    part_of_gram: dict[int, int] = {}
    for found in one:
        part_of_gram.setdefault(found.gram, parts[found.path, found.first])
    of_right = {
        (found.path, line): part_of_gram[found.gram] for found in two for line in range(found.first, found.last + 1)
    }
    return _show_side(left, parts), _show_side(right, of_right)


def _number_parts(marked: Iterable[Place]) -> dict[Place, int]:
    """Return the lines with the number of their part, which are lines that follow each other."""
    parts: dict[Place, int] = {}
    latest = 0
    for path, line in sorted(marked):
        latest += (path, line - 1) not in parts
        parts[path, line] = latest
    return parts


def _show_side(version: BotVersion, parts: Mapping[Place, int]) -> Side:
    texts = similarity.read_code(version.files)
    files = _show_files({path: text.encode() for path, text in texts.items()}, parts)
    return Side(version, files, len(parts), sum(text.count("\n") + 1 for text in texts.values()))


def _show_files(files: Mapping[str, bytes], parts: Mapping[Place, int]) -> list[ShownFile]:
    room, shown, begun = MAX_LINES_SHOWN, [], set()
    for path, content in sorted(files.items()):
        is_text = b"\0" not in content
        text = content[: room * MAX_LINE_LENGTH_SHOWN].decode(errors="replace") if is_text else ""
        lines = []
        for number, line in enumerate(text.removesuffix("\n").split("\n")[:room], start=1):
            part = parts.get((path, number), 0)
            lines.append(Line(number, line[:MAX_LINE_LENGTH_SHOWN], part, part > 0 and part not in begun))
            begun.add(part)
        whole = content.decode(errors="replace").removesuffix("\n") if is_text else ""
        is_cut = sum(len(line.text) + 1 for line in lines) < len(whole)
        shown.append(ShownFile(path, lines, len(content), is_text, is_cut))
        room -= len(lines)
    return shown
