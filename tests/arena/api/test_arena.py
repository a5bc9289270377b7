"""The version of the arena in the API."""

from importlib.metadata import version

from django.test import Client

from arena.release import DISTRIBUTION


def test_the_arena_says_which_version_it_is_and_what_it_speaks(db):
    answer = Client().get("/api/v1/arena/")
    assert answer.json() == {"version": version(DISTRIBUTION), "protocol": 1, "record_format": "arena-replay/1"}
    assert answer.status_code == 200
