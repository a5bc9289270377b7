import pytest
from django.test import Client

from arena.matches.models import LegSeat, Match
from arena.matches.services import queue_match
from arena.pages.bots import faults
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, make_deal_and_salts

ILLEGAL = FIRST_LEGAL.replace(b'message["legal"][0]', b'"play R99 1"')
ADDRESS = "/bots/quitter/faults/"


@pytest.fixture
def broken(ana, ben, make_version, play) -> list[Match]:
    """Two matches of a bot of Ana's, whose first version doesn't start and whose second has its own rules."""
    heron, matches = make_version(ben, "Heron"), []
    for source in (EXITS_AT_ONCE, ILLEGAL):
        versions = [make_version(ana, "Quitter", source), heron]
        matches.append(queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts()))
        assert play(matches[-1])
    return matches


def listed(query: str = "") -> list[tuple[int, int, str]]:
    page = Client().get(ADDRESS + query).context["page"]
    return [(one.seat.leg.match_id, one.seat.leg.number, one.seat.verdict) for one in page.faults]


def test_faults_come_newest_first_and_are_chosen_by_kind_and_version(broken):
    first, second = (match.pk for match in broken)
    illegal = [(second, 1, "malformed"), (second, 2, "malformed")]
    start = [(first, 1, "start"), (first, 2, "start")]
    assert listed() == illegal + start
    assert listed("?kind=crash") == listed("?version=1") == start
    assert listed("?kind=illegal&version=2") == illegal
    assert listed("?kind=timeout") == listed("?version=9") == []
    assert "No fault fits these filters." in Client().get(f"{ADDRESS}?kind=timeout").text
    assert Client().get(f"{ADDRESS}?kind=bad-luck").status_code == 400


def test_each_leads_to_its_step_in_the_replay(broken):
    match = broken[1].pk
    assert f"/matches/{match}/?leg=2&amp;turn=fault-1" in Client().get(ADDRESS).text


def test_the_cause_is_for_the_owner(broken, reader, ana, ben):
    own = reader(ana).get(ADDRESS).text
    assert "I give up" in own and "play R99 1" in own and "What was legal" in own
    assert "The request it had to answer" in own and "(n in the request)" in own
    for user in (ben, None):
        page = reader(user).get(ADDRESS).text
        assert "Unreadable answer" in page and "Did not start" in page
        assert "I give up" not in page and "play R99" not in page and "What was legal" not in page


def test_long_lists_are_paged_at_matches(broken, monkeypatch):
    monkeypatch.setattr(faults, "PAGE_SIZE", 3)
    first, second = (match.pk for match in broken)
    page = Client().get(ADDRESS)
    assert [one.seat.leg.match_id for one in page.context["page"].faults] == [second, second]
    assert f"before={second}" in page.text
    assert [one[0] for one in listed(f"?before={second}")] == [first, first]
    assert Client().get(f"{ADDRESS}?before={second}").context["page"].older is None


def test_only_so_many_matches_are_walked_for_one_page(broken, monkeypatch, play, make_version, ben, ana):
    monkeypatch.setattr(faults, "MAX_MATCHES_SCANNED", 1)
    monkeypatch.setattr("arena.matches.queries.played.MIN_LEGS_PER_MATCH", 0)
    second = broken[1].pk
    assert [one[0] for one in listed("?version=2")] == [second, second]
    assert [one[0] for one in listed("?version=2&before=1")] == []


def test_a_bot_without_faults_says_so(finished):
    assert "No crash, timeout or illegal action in 2 legs." in Client().get("/bots/kingfisher/faults/").text
    assert Client().get("/bots/nobody/faults/").status_code == 404


def test_a_match_that_is_not_over_tells_nothing(broken, reader, ana):
    Match.objects.update(state=Match.State.RUNNING)
    assert listed() == []
    assert "I give up" not in reader(ana).get(ADDRESS).text


def test_what_a_twin_would_tell_waits(broken, reader, ana, monkeypatch):
    monkeypatch.setattr(faults, "list_matches_with_deal_in_play", set)
    assert "I give up" not in reader(ana).get(ADDRESS).text


def test_a_fault_without_details_is_shown(broken, reader, ana):
    LegSeat.objects.update(fault=None, stderr="")
    assert "the log has been deleted since" in reader(ana).get(ADDRESS).text
