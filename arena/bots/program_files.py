"""Fetch the files of bots by their hashes, and keep those used lately in memory."""

from collections.abc import Iterable, Mapping

from cachetools import LRUCache

from arena.bots.models import Blob, BotVersion
from arena.runner.program import Program

MAX_CACHED_BYTES = 64 * 2**20
"""Size of the files that a worker process keeps. It plays the same versions over and over."""

Files = Mapping[str, bytes]
"""Content by relative path."""


def _count_bytes(files: Files) -> int:
    return sum(len(content) for content in files.values())


_cache: LRUCache[str, Files] = LRUCache(MAX_CACHED_BYTES, _count_bytes)
"""Files by the hash of their zip, which never change. Used by the one thread that plays matches."""


def fetch_programs(versions: Iterable[BotVersion]) -> list[Program]:
    """Return the program of each version: what is run, or before that what is to be built."""
    versions = list(versions)
    files = _fetch_files({version.blob_id for version in versions})
    return [version.program_of(files[version.blob_id]) for version in versions]


def _fetch_files(hashes: set[str]) -> dict[str, Files]:
    found = {sha256: _cache[sha256] for sha256 in hashes if sha256 in _cache}
    for blob in Blob.objects.filter(pk__in=hashes - found.keys()):
        found[blob.sha256] = files = blob.files
        if _count_bytes(files) <= MAX_CACHED_BYTES:
            _cache[blob.sha256] = files
    return found
