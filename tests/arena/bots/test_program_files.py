"""A worker asks the database once for files that it runs again and again."""

import os

import pytest

from arena.bots import running
from arena.bots.running import fetch_programs

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache():
    running._cache.clear()


def test_files_are_fetched_once(ana, make_version, django_assert_num_queries):
    versions = [make_version(ana, "kingfisher"), make_version(ana, "heron", b"print()")]
    with django_assert_num_queries(1):
        programs = fetch_programs(versions)
    assert programs == [version.program for version in versions]
    with django_assert_num_queries(0):
        assert fetch_programs(reversed(versions)) == programs[::-1]


def test_only_so_many_bytes_are_kept(ana, make_version, monkeypatch):
    monkeypatch.setattr(running, "_cache", running.LRUCache(2500, running._count_bytes))
    monkeypatch.setattr(running, "MAX_CACHED_BYTES", 2500)
    sizes = (1000, 1200, 3000, 900)
    versions = [make_version(ana, f"bot {size}", os.urandom(size)) for size in sizes]
    for version in versions:
        assert fetch_programs([version]) == [version.program]
    assert running._cache.currsize == 2100
