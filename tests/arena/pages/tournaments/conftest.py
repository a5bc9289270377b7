"""Readers of a tournament's pages."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache

from arena.contests.tournaments.models import Tournament

Ask = Callable[..., Any]
TextOf = Callable[[Any], str]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    cache.clear()


@pytest.fixture
def ask(reader) -> Ask:
    """A page of a tournament as somebody, or nobody, gets it. What was kept is forgotten, as after some seconds."""

    def get(tournament: Tournament, rest: str = "", user: Any = None, **headers: str) -> Any:
        cache.clear()
        return reader(user).get(f"{tournament.get_absolute_url()}{rest}", headers=headers)

    return get


@pytest.fixture
def text_of() -> TextOf:
    """What is read of a page, or of a part of it."""

    def read(page: Any) -> str:
        html = page if isinstance(page, str) else page.content.decode()
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))

    return read
