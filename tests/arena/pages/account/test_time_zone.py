"""The time zone of an account: chosen in the settings, and used by pages and forms."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.accounts.time_zones import find_time_zone, list_time_zones
from arena.pages.tournaments.forms import TournamentForm
from arena.tournaments.models import Tournament
from tests.arena.tournaments.world import make_organiser, make_tournament

PAGE = "/settings/time-zone/"


@pytest.fixture
def text_of() -> Callable[..., str]:
    """What is read of a page."""
    return lambda page: re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))


def test_it_is_picked_from_a_list_typed_in_any_case_and_taken_back(eva: User, reader, text_of) -> None:
    client = reader(eva)
    assert "<option>Asia/Tokyo</option>" in client.get(PAGE).text
    for typed, stored in (("Asia/Tokyo", "Asia/Tokyo"), (" america/new york ", "America/New_York"), ("", "")):
        answer = client.post(PAGE, {"time_zone": typed}, follow=True)
        assert answer.redirect_chain == [("/settings/", 302)]
        eva.refresh_from_db()
        assert eva.time_zone == stored
        assert f"Time zone {stored or 'as the browser says'}" in text_of(answer)


def test_an_unknown_one_is_refused_where_it_is_typed(eva: User, reader) -> None:
    answer = reader(eva).post(PAGE, {"time_zone": "Europe/Atlantis"})
    assert answer.status_code == 400
    assert answer.context["form"].errors["time_zone"] == [
        "There is no time zone called Europe/Atlantis. Pick one from the list."
    ]
    eva.refresh_from_db()
    assert eva.time_zone == ""


def test_strangers_have_none(db) -> None:
    assert Client().get(PAGE).status_code == 302


def test_a_zone_that_this_machine_does_not_know_counts_as_none(eva: User, reader) -> None:
    eva.time_zone = "Europe/Atlantis"
    eva.save()
    assert find_time_zone(eva) is None
    assert reader(eva).get("/settings/").status_code == 200


def test_those_offered_have_each_zone_by_one_name() -> None:
    offered = list_time_zones()
    assert {"UTC", "Europe/Budapest", "America/Argentina/Buenos_Aires"} <= set(offered)
    assert not [name for name in offered if name.startswith(("Etc/", "US/", "posix"))]


@pytest.fixture
def tournament(db: None) -> Tournament:
    made = make_tournament()
    made.entries_close_at = datetime(2030, 7, 1, 12, 0, tzinfo=UTC)
    made.save()
    return made


def test_pages_show_deadlines_in_it_though_they_are_kept_for_all(tournament, eva: User, ben: User, reader, text_of):
    eva.time_zone = "Asia/Tokyo"
    eva.save()
    own, other, nobody = reader(eva), reader(ben), Client()
    for _ in range(2):
        for client, time in ((own, "21:00 JST"), (other, "12:00 UTC"), (nobody, "12:00 UTC")):
            page = client.get(tournament.get_absolute_url())
            assert time in text_of(page), time
            assert ('data-time-zone="Asia/Tokyo"' in page.text) == (client is own)


def test_forms_name_it_and_read_deadlines_in_it(reader, tournament) -> None:
    organiser = make_organiser()
    organiser.time_zone = "Asia/Tokyo"
    organiser.save()
    client, address = reader(organiser), f"{tournament.get_absolute_url()}edit/"
    page = client.get(address)
    form: TournamentForm = page.context["form"]
    assert "Time zone: Asia/Tokyo." in str(form.fields["entries_close_at"].help_text)
    assert 'value="2030-07-01T21:00"' in page.text
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    answer = client.post(address, sent | {"entries_close_at": "2030-07-02T09:30"})
    assert answer.status_code == 302, answer.context["form"].errors
    tournament.refresh_from_db()
    assert tournament.entries_close_at == datetime(2030, 7, 2, 0, 30, tzinfo=UTC)


def test_the_api_stays_in_the_zone_of_the_arena(tournament, eva: User, reader) -> None:
    eva.time_zone = "Asia/Tokyo"
    eva.save()
    found = reader(eva).get(f"/api/v1/tournaments/{tournament.slug}/").json()
    assert found["entries_close_at"] == "2030-07-01T12:00:00Z"
