"""The analysis of a leg on its replay page, on the page to learn from it, and on the bot's pages."""

import gzip
import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from arena.bots.models import BotVersion, TeamMember
from arena.contests.analysis.models import LegAnalysis, SeatAnalysis, pack
from arena.contests.analysis.services import request_analysis
from arena.contests.comparisons.models import Comparison, ComparisonMatch
from arena.matches.models import Leg, Match, WorkerStatus
from arena.matches.services import queue_match
from arena.pages.bots.bot_page import build_worst_decisions
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from tests.arena.contests.analysis.finished import finish_match, make_analysis, make_coarse_pass
from tests.conftest import MakeVersion

REQUEST = "Analyse this leg"


@pytest.fixture(scope="module")
def ana(module_db: None) -> User:
    return User.objects.create_user("ana", password="ana's password")


@pytest.fixture(scope="module")
def ben(module_db: None) -> User:
    return User.objects.create_user("ben", password="ben's password")


@pytest.fixture(scope="module")
def versions(ana: User, ben: User, make_version: MakeVersion) -> list[BotVersion]:
    return [make_version(ana, "Kingfisher"), make_version(ben, "Heron")]


@pytest.fixture(scope="module")
def match(versions: list[BotVersion]) -> Match:
    """Its second leg is analysed, and the first is not."""
    match = finish_match(versions, decisions=16)
    client = Client()
    client.force_login(versions[0].bot.owner)
    client.post(address(match.legs.get(number=2)))
    assert make_analysis() is not None
    return match


@pytest.fixture
def leg(db: None, match: Match) -> Leg:
    return match.legs.get(number=1)


@pytest.fixture
def reader(db: None, client: Client, ana: User) -> Client:
    client.force_login(ana)
    return client


@pytest.fixture
def analysed(db: None, match: Match) -> LegAnalysis:
    """Requested by the button of the page, with mistakes of both seats."""
    analysis = LegAnalysis.objects.get(leg__match=match, leg__number=2)
    assert {row.seat for row in SeatAnalysis.objects.all() if row.mistakes} == {0, 1}
    return analysis


def address(leg: Leg, what: str = "analysis/") -> str:
    return f"/matches/{leg.match_id}/legs/{leg.number}/{what}"


def replay(client: Client, leg: Leg, query: str = "") -> str:
    return client.get(f"/matches/{leg.match_id}/?leg={leg.number}&{query}").content.decode()


def worst(analysis: LegAnalysis, seat: int) -> dict[str, object]:
    row = SeatAnalysis.objects.get(analysis=analysis, seat=seat)
    found: dict[str, object] = max(row.mistakes, key=lambda mistake: mistake["loss"])
    return found


def test_whoever_is_signed_in_can_request_one(client: Client, ana: User, leg: Leg) -> None:
    assert REQUEST not in replay(client, leg) and "to request an analysis" in replay(client, leg)
    assert "login" in client.post(address(leg))["Location"] and not LegAnalysis.objects.filter(leg=leg).exists()
    client.force_login(ana)
    assert REQUEST in replay(client, leg)
    assert client.post(address(leg))["Location"].endswith("?leg=1#analysis")
    assert LegAnalysis.objects.get(leg=leg).requested_by == ana
    assert "Starts as soon as a worker is free" in replay(client, leg)


def poll(reader: Client, leg: Leg, shown: str = "") -> HttpResponse:
    return reader.get(address(leg), {"shown": shown}, headers={"HX-Request": "true"})


def test_a_page_is_loaded_again_when_there_is_a_coarse_result_and_when_there_is_the_full_one(
    reader: Client, versions: list[BotVersion]
) -> None:
    leg = finish_match(versions, decisions=4).legs.get(number=1)
    reader.post(address(leg))
    waiting = poll(reader, leg)
    assert b"every 2s" in waiting.content and "HX-Refresh" not in waiting
    make_coarse_pass()
    assert poll(reader, leg)["HX-Refresh"] == "true"
    make_analysis(seconds=0.001)
    refining = poll(reader, leg, "coarse")
    assert refining.status_code == 200 and "HX-Refresh" not in refining
    assert "Quick analysis. Refining… 20%" in refining.content.decode() and b"shown=coarse" in refining.content
    make_analysis()
    assert poll(reader, leg, "coarse")["HX-Refresh"] == "true"


def test_a_coarse_result_is_shown_like_a_full_one_but_offers_no_file_and_no_lesson(
    reader: Client, versions: list[BotVersion]
) -> None:
    leg = finish_match(versions, decisions=16).legs.get(number=2)
    reader.post(address(leg))
    make_coarse_pass()
    response = reader.get(f"/matches/{leg.match_id}/?leg=2&view=all")
    panel, page = response.context["analysis"], response.content.decode()
    assert panel.is_coarse and len(panel.balances) == 2 and panel.mistakes
    assert "Quick analysis. Refining…" in page and "Chances from the analysis" in page and "in 6 random deals" in page
    assert "Learn from these moves" not in page and "analysis.json" not in page
    frames = reader.get(response.context["frames_url"])
    assert b"better:" in gzip.decompress(frames.content) and "immutable" in frames["Cache-Control"]
    twin = reader.get(f"/matches/{leg.match_id}/sides/")
    assert b"Quick analysis, not refined yet" in twin.content
    assert reader.get(address(leg, "analysis.json")).status_code == 404
    assert reader.get(address(leg, "learn/")).status_code == 404
    make_analysis()
    full = reader.get(f"/matches/{leg.match_id}/?leg=2&view=all")
    assert full.context["frames_url"] != response.context["frames_url"]
    assert "in 32 random deals" in full.content.decode() and "Quick analysis" not in full.content.decode()


def test_who_waits_is_told_the_place_in_line_and_the_time(
    reader: Client, ben: User, versions: list[BotVersion]
) -> None:
    match = finish_match(versions)
    first, second = match.legs.order_by("number")
    request_analysis(user=ben, leg=first)
    reader.post(address(second))
    assert "Starts as soon as a worker is free" in replay(reader, second)
    WorkerStatus.objects.create(worker="mill", level="A")
    page = replay(reader, second)
    assert "Analysing… about 5 s left" in page and "1 analysis ahead of yours" in page
    assert "1 analysis ahead of this one" in replay(Client(), second)


def test_a_refusal_is_told(reader: Client, leg: Leg, settings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 0
    assert "You can't request analyses" in unescape(reader.post(address(leg), follow=True).text)


def test_the_replay_shows_judgements_and_what_was_better(reader: Client, analysed: LegAnalysis) -> None:
    mistake = worst(analysed, 0)
    page = replay(reader, analysed.leg, f"view=all&turn=decision-{mistake['number']}")
    assert "Chances from the analysis" in page and 'data-kind="mistake"' in page
    caption = page.partition('class="judged"')[2].partition("</div>")[0]
    assert str(mistake["judgement"]).title() in caption and "better:" in caption
    frames = reader.get(address(analysed.leg, "frames.json") + "?view=all").content
    assert b"better:" in gzip.decompress(frames)


def test_who_sees_with_one_seat_is_not_told_the_choices_of_the_other(reader: Client, analysed: LegAnalysis) -> None:
    page = replay(reader, analysed.leg, f"view=1&turn=decision-{worst(analysed, 0)['number']}")
    caption = page.partition('class="judged"')[2].partition("</div>")[0]
    assert str(worst(analysed, 0)["judgement"]).title() in caption and "better was" not in caption


def test_a_mean_over_hidden_cards_says_whose_knowledge_it_is(reader: Client, analysed: LegAnalysis) -> None:
    content = analysed.result_data
    number = content["known"][0]["number"]
    mean = {"number": number + 1, "seat": 1, "chance": 0.6212, "cases": 42}
    LegAnalysis.objects.filter(pk=analysed.pk).update(result=pack({**content, "expected": [mean]}))
    title, knowledge = "Expected: North 62%", "all 42 hands and deck orders that fit what North could see"
    for view in ("all", "1"):
        page = replay(reader, analysed.leg, f"view={view}&turn=decision-{number}")
        assert page.count(title) == 2 and page.count(knowledge) == 2
        assert f'title="The mean over {knowledge}' in page and "After turn 1</a>" in page
    assert "Expected:" not in replay(reader, analysed.leg, f"view=0&turn=decision-{number}")


def test_it_can_be_hidden(reader: Client, analysed: LegAnalysis) -> None:
    page = replay(reader, analysed.leg, "view=all&analysis=off")
    assert "Analysis hidden" in page and "better was" not in page and "analysis=off" in page
    frames = reader.get(address(analysed.leg, "frames.json") + "?view=all&analysis=off").content
    assert b"better:" not in gzip.decompress(frames)


def test_luck_and_skill_add_up_as_they_are_shown(reader: Client, analysed: LegAnalysis) -> None:
    for balance in reader.get(f"/matches/{analysed.leg.match_id}/").context["analysis"].balances:
        assert balance.luck + balance.skill == balance.total


def test_the_file_is_the_analysis(client: Client, analysed: LegAnalysis) -> None:
    sent = client.get(address(analysed.leg, "analysis.json"))
    assert json.loads(sent.content) == analysed.result_data
    assert (
        client.get(address(analysed.leg, "record.json")).content == analysed.leg.record_json
    )  # which has nothing of it


def test_rules_without_a_value_function_say_so(reader: Client, versions: list[BotVersion]) -> None:
    queued = queue_match(versions=versions, game="battleline", edition="terrain")
    leg = finish_match([], queued=queued).legs.get(number=1)
    assert "Analysis isn't available for these rules" in replay(reader, leg)
    assert reader.get(address(leg, "analysis.json")).status_code == 404
    assert reader.get(address(leg, "learn/")).status_code == 404


def test_a_guess_is_told_how_good_it_is(reader: Client, analysed: LegAnalysis) -> None:
    decisions = [one for one in analysed.result_data["decisions"] if one["judgement"] and one["seat"] == 0]
    asked = reader.get(address(analysed.leg, "learn/") + "?seat=0&mistake=1")
    lesson = asked.context["lesson"]
    offered = {choice.action for group in lesson.groups for choice in group.choices}
    assert offered == set(decisions[0]["choices"]) and lesson.guess is None
    assert decisions[0]["better"] in offered and b"better:" not in asked.content
    right = reader.get(address(analysed.leg, "learn/"), {"seat": 0, "mistake": 1, "guess": decisions[0]["better"]})
    assert b"Right: nothing is better" in right.content
    wrong = reader.get(address(analysed.leg, "learn/"), {"seat": 0, "mistake": 1, "guess": decisions[0]["action"]})
    assert b"short of the best" in wrong.content
    nonsense = reader.get(address(analysed.leg, "learn/"), {"seat": 7, "mistake": 99, "guess": "fly"})
    assert nonsense.status_code == 200 and nonsense.context["lesson"].number == nonsense.context["lesson"].last


def test_the_table_to_learn_from_shows_one_hand(reader: Client, analysed: LegAnalysis) -> None:
    scene = reader.get(address(analysed.leg, "learn/") + "?seat=1").context["scene"]
    assert scene.onlooker == 1 and not scene.sees(0)


def test_an_author_sees_the_typical_mistakes_and_everybody_the_luck(
    reader: Client, ben: User, analysed: LegAnalysis
) -> None:
    page = reader.get("/bots/kingfisher/mistakes/")
    assert page.context["legs"] == 1 and page.context["kinds"]
    example = page.context["kinds"][0]["examples"][0]
    assert b'class="judged"' in reader.get(example["url"]).content
    assert b"Luck over " in reader.get("/bots/kingfisher/").content
    stranger = Client()
    stranger.force_login(ben)
    assert stranger.get("/bots/kingfisher/mistakes/").status_code == 403
    assert b"Luck over " in stranger.get("/bots/kingfisher/").content


def test_the_twin_page_says_what_the_first_difference_cost(reader: Client, analysed: LegAnalysis) -> None:
    page = reader.get(f"/matches/{analysed.leg.match_id}/sides/")
    parting = page.context["parting"]
    assert parting.turn == 1
    (loss,) = (one["loss"] for one in analysed.result_data["decisions"] if one["number"] == 0)
    assert [choice.given_away for choice in parting.choices] == [None, round(100 * loss)]
    assert parting.cost and parting.cost in unescape(page.text)


def test_without_an_analysis_the_twin_page_offers_one(reader: Client, versions: list[BotVersion]) -> None:
    match = finish_match(versions, decisions=4)
    sides = f"/matches/{match.pk}/sides/"
    assert "to request it" in Client().get(sides).text
    page = reader.get(sides)
    assert not page.context["parting"].cost and ">Analyse leg 1</button>" in page.text
    reader.post(address(match.legs.get(number=1)))
    assert "Analysing… The result shows" in reader.get(sides).text


# The worst decisions of the week.


def find_worst(client: Client, page: str = "/") -> list[Any]:
    found: list[Any] = client.get(page).context.get("worst", [])
    return found


@pytest.mark.parametrize("page", ["/", "/authors/ana/"])
def test_an_author_is_shown_the_worst_decisions_of_the_week(reader: Client, analysed: LegAnalysis, page: str) -> None:
    found = find_worst(reader, page)
    rows = [
        (mistake["loss"], row.seat, mistake["number"])
        for row in SeatAnalysis.objects.filter(participant__version__bot__name="Kingfisher")
        for mistake in row.mistakes
    ]
    expected = sorted(rows, reverse=True)[:5]
    assert found and [one.points for one in found] == [round(100 * loss) for loss, _seat, _number in expected]
    worst, (_loss, seat, number) = found[0], expected[0]
    assert worst.command == (
        f"pennant rerun http://testserver/matches/{worst.match.pk}/legs/2/record.json --bot kingfisher/1 "
        f"--seat {seat} --until {number}"
    )
    text = unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", "", reader.get(page).text)))
    for words in (f"Your {len(found)} worst decisions this week", worst.command, worst.cause, "Heron"):
        assert words in text
    shown = reader.get(worst.url).context
    assert shown["view"] == str(seat) and number in [entry.number for entry in shown["scene"].step.entries]
    decided = next(one for one in analysed.result_data["decisions"] if one["number"] == number)
    assert f"{round(100 * decided['chance'])}%" in str(worst.sentence)
    assert f"{round(100 * decided['best_chance'])}%" in str(worst.sentence)


def test_each_author_sees_the_decisions_of_own_bots_and_strangers_see_none(
    client: Client, ana: User, ben: User, versions: list[BotVersion], analysed: LegAnalysis
) -> None:
    assert "Your worst decisions" not in client.get("/").text
    eva = User.objects.create_user("eva")
    client.force_login(eva)
    assert "worst decisions" not in client.get("/").text and find_worst(client, "/authors/ana/") == []
    TeamMember.objects.create(bot=versions[0].bot, user=eva)
    assert find_worst(client) == []
    TeamMember.objects.update(joined_at=now())
    on_team = find_worst(client)
    client.force_login(ben)
    assert {one.version for one in find_worst(client)} == {versions[1]} and {one.version for one in on_team} == {
        versions[0]
    }


def test_matches_that_the_author_may_not_see_are_left_out(
    reader: Client, ben: User, versions: list[BotVersion], analysed: LegAnalysis
) -> None:
    match = analysed.leg.match
    assert find_worst(reader)
    Match.objects.filter(pk=match.pk).update(is_withheld=True)
    assert find_worst(reader) == []
    Match.objects.filter(pk=match.pk).update(
        is_withheld=False, group=Group.objects.create(name="Others", slug="others")
    )
    assert find_worst(reader) == []
    Match.objects.filter(pk=match.pk).update(group=None)
    other = queue_match(versions=versions, game="battleline", edition="standard")
    comparison = Comparison.objects.create(
        owner=ben, version=versions[1], baseline=versions[0], edition="standard", mode=Comparison.Mode.FIELD
    )
    for one, of_baseline in ((match, False), (other, True)):
        ComparisonMatch.objects.create(comparison=comparison, match=one, number=1, of_baseline=of_baseline)
    assert find_worst(reader) == []


def test_older_matches_are_left_out_and_without_analyses_there_is_a_way_on(
    reader: Client, analysed: LegAnalysis
) -> None:
    Match.objects.update(finished_at=now() - timedelta(days=8))
    page = reader.get("/")
    assert page.context["worst"] == []
    assert re.search(r'class="button" href="/bots/kingfisher/mistakes/">Analyse losses</a>', page.text)


def test_the_worst_decisions_take_as_many_queries_for_many_legs_as_for_one(
    rf, ana: User, versions: list[BotVersion], analysed: LegAnalysis, django_assert_num_queries
) -> None:
    request = rf.get("/")
    request.user = ana
    with CaptureQueriesContext(connection) as queries:
        assert build_worst_decisions(request)["worst"]
    finish_match(versions, decisions=8, seed="another")
    for leg in Leg.objects.order_by("-pk")[:2]:
        request_analysis(user=ana, leg=leg)
        make_analysis()
    with django_assert_num_queries(len(queries)):
        build_worst_decisions(request)
    assert len(queries) <= 6
