"""A refused request is one line of the log."""

import io
import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from arena.people.accounts.models import User
from tests.conftest import MakeVersion


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What the handler of the settings writes."""
    stream = io.StringIO()
    handler = next(one for one in logging.getLogger().handlers if one.name == "stderr")
    monkeypatch.setattr(handler, "stream", stream)
    yield stream


def test_a_page_of_somebody_else_is_one_line(
    client: Client, ana: User, ben: User, make_version: MakeVersion, written: io.StringIO
) -> None:
    bot = make_version(ana, "Kingfisher").bot
    client.force_login(ben)
    assert client.get(f"/bots/{bot.slug}/upload/").status_code == 403
    (line,) = written.getvalue().splitlines()
    assert line.endswith(f"WARNING django.request: Forbidden: GET /bots/kingfisher/upload/, user {ben.pk}")


def test_a_form_without_its_token_is_one_line_with_the_reason(ana: User, written: io.StringIO) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ana)
    assert client.post("/bots/new/").status_code == 403
    (line,) = written.getvalue().splitlines()
    assert line.endswith(f"django.security.csrf: Forbidden: POST /bots/new/, user {ana.pk} (CSRF cookie not set.)")


def test_an_address_can_not_begin_a_line_of_its_own(db: None, written: io.StringIO) -> None:
    assert Client(enforce_csrf_checks=True).post("/authors/x%0AERROR%20all%20lost/").status_code == 403
    (line,) = written.getvalue().splitlines()
    assert r"POST /authors/x\nERROR all lost/, user none" in line
