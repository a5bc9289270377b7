import re
from html import unescape

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import (
    ComparisonSettings,
    count_comparison_match,
    queue_comparison_matches,
    start_comparison,
)
from arena.contests.ladders.services.entering import enter_version
from arena.matches.models import Match
from tests.conftest import FIRST_LEGAL

FORM = {"mode": "head_to_head", "preset": "default", "edition": "standard"}
START = "/bots/kingfisher/v/2/compare/"


@pytest.fixture
def old(ana, make_version):
    return make_version(ana, "Kingfisher")


@pytest.fixture
def new(old, ana, make_version):
    return make_version(ana, "Kingfisher", FIRST_LEGAL + b"# better")


@pytest.fixture
def heron(ben, make_version):
    return make_version(ben, "Heron")


@pytest.fixture
def comparison(ana, new):
    return start_comparison(owner=ana, version=new)


@pytest.fixture
def wide(comparison):
    """Between bounds so far apart that the first pairs that count can decide."""
    Comparison.objects.update(elo0=0, elo1=100)
    return comparison


def play_out(comparison: Comparison, points: float) -> None:
    """Finish what waits with such points, as workers would store them."""
    for match in queue_comparison_matches(comparison=comparison):
        match.participants.filter(index=0).update(points=points)
        match.participants.filter(index=1).update(points=1 - points)
        Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED, finished_at=now())
        count_comparison_match(match=match)
    comparison.refresh_from_db()


def text_of(response) -> str:
    """What is read of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_a_comparison_begins_from_the_page_of_a_version(ana, new, old, reader):
    response = reader(ana).post(START, FORM | {"baseline": old.pk, "promote_if_better": "on", "preset": "strict"})
    comparison = Comparison.objects.get()
    assert response["Location"] == comparison.get_absolute_url()
    assert (comparison.version, comparison.baseline, comparison.promote_if_better) == (new, old, True)
    assert (comparison.elo0, comparison.elo1, comparison.mode) == (0, 10, "head_to_head")


def test_luck_is_taken_off_where_it_is_asked_for(ana, new, old, reader):
    reader(ana).post(START, FORM | {"baseline": old.pk, "adjust_for_luck": "on"})
    comparison = Comparison.objects.get()
    assert comparison.is_adjusted
    Comparison.objects.update(pairs=3, result_counts=[0, 0, 2, 0, 1], adjusted_total=1.8, adjusted_squares=1.2)
    Comparison.objects.update(llr=0.25, adjusted_llr=0.5)
    page = reader(None).get(comparison.get_absolute_url())
    assert page.context["llr"] == "+0.50" and page.context["other"]["llr"] == "+0.25"
    assert "results adjusted" in text_of(page) and comparison.value_function["hash"] in text_of(page)
    Comparison.objects.update(adjustment_suspended=True)
    page = reader(None).get(comparison.get_absolute_url())
    assert page.context["llr"] == "+0.25" and page.context["other"]["llr"] == "+0.50"
    assert "no longer adjusted" in text_of(page)


def test_luck_is_offered_only_to_bots_of_games_with_a_value_function(ana, new, make_version, reader):
    battalion = [make_version(ana, "Wren", files, game="battalion") for files in (b"1", b"2")][1]
    form = reader(ana).get(f"/bots/wren/v/{battalion.number}/compare/").context["form"]
    assert "adjust_for_luck" not in form.fields
    assert "adjust_for_luck" in reader(ana).get(START).context["form"].fields


def test_workers_are_told_once_it_has_begun(ana, new, old, reader, messages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        reader(ana).post(START, FORM | {"baseline": old.pk})
    assert len(messages()) == 1


def test_the_form_offers_own_versions(ana, ben, new, old, make_version, reader):
    make_version(ana, "Wren")
    make_version(ben, "Heron")
    page = reader(ana).get(START)
    assert page.context["form"]["baseline"].value() == old.pk
    assert "Kingfisher v1" in text_of(page) and "Wren v1" in text_of(page) and "Heron" not in text_of(page)


def test_the_form_takes_the_name_of_a_bot_of_the_ladder(ana, heron, new, ladder, reader):
    client = reader(ana)
    refused = client.post(START, FORM | {"rival": "heron"})
    assert refused.status_code == 400 and "No bot called “heron” is on a ladder." in text_of(refused)
    enter_version(ladder=ladder, version=heron)
    client.post(START, FORM | {"rival": "heron"})
    assert Comparison.objects.get().baseline == heron


def test_what_is_wrong_is_said_at_the_form(ana, new, old, comparison, reader):
    again = reader(ana).post(START, FORM | {"baseline": old.pk})
    assert again.status_code == 400 and "These two are already being compared" in text_of(again)
    assert reader(ana).post(START, FORM | {"preset": "generous"}).status_code == 400


def test_its_owner_stops_one(ana, new, comparison, reader):
    stop = f"/comparisons/{comparison.pk}/stop/"
    assert reader(ana).get(stop).status_code == 405
    assert reader(ana).post(stop)["Location"] == comparison.get_absolute_url()
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.STOPPED
    page = reader(ana).post(stop, follow=True)
    assert "This comparison has already ended." in text_of(page)


def test_anybody_may_follow_one(comparison, eva, reader):
    for who in (None, eva):
        page = text_of(reader(who).get(comparison.get_absolute_url()))
        assert "Is Kingfisher v2 better than Kingfisher v1?" in page
        assert "At least 16 pairs needed: 16 more to go." in page
        assert "Stop comparison" not in page


def test_its_page_says_why_nothing_is_played(comparison, reader):
    assert "Next match:" not in text_of(reader(None).get(comparison.get_absolute_url()))
    match = queue_comparison_matches(comparison=comparison)[0]
    page = text_of(reader(None).get(comparison.get_absolute_url()))
    assert "Next match: No worker has reported in the last two minutes. See the queue" in page
    Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING)
    assert "Next match:" not in text_of(reader(None).get(comparison.get_absolute_url()))


def test_its_page_says_what_the_results_say(ana, comparison, reader):
    for points in (1, 0.5, 0.75, 1, 0):
        play_out(comparison, points)
    page = text_of(reader(ana).get(comparison.get_absolute_url()))
    assert comparison.result_counts == [4, 0, 4, 4, 8]
    assert re.search(r"So far, the results are \d\.\d times as likely at \+20 Elo as at 0 Elo\.", page)
    assert re.search(r"So far: \+\d+ Elo, 95% interval [+−]\d+ to \+\d+\.", page)
    assert "too far from 0" in page and "Stop comparison" in page
    assert "2–0 8" in page and "1½–½ 4" in page and "½–1½" not in page


def test_a_poll_brings_the_live_part_and_the_last_one_ends_polling(ana, wide, reader):
    client, address = reader(ana), wide.get_absolute_url()
    part = client.get(address, headers={"HX-Request": "true"})
    assert b"<html" not in part.content and part["ETag"]
    assert client.get(address, headers={"HX-Request": "true", "If-None-Match": part["ETag"]}).status_code == 304
    while not wide.is_over:
        play_out(wide, 1)
    last = client.get(address, headers={"HX-Request": "true"})
    assert last.status_code == 286 and "A version at 0 Elo gets this answer at most 5% of the time." in text_of(last)
    assert "over 99% likely" in text_of(last)
    assert b"data-hx-get" not in client.get(address).content


@pytest.mark.parametrize(("points", "words"), [(1, "no worse"), (0, "worse")])
def test_who_asks_whether_it_is_no_worse_is_answered_that(ana, new, points, words, reader):
    comparison = start_comparison(owner=ana, version=new, settings=ComparisonSettings(preset="non-regression"))
    Comparison.objects.update(elo0=-80, elo1=80)
    while not comparison.is_over:
        play_out(comparison, points)
    page = reader(ana).get(comparison.get_absolute_url())
    assert "Is Kingfisher v2 no worse than Kingfisher v1?" in text_of(page)
    assert page.context["chip"].label == words


def test_a_field_is_named(ana, heron, new, ladder, make_version, reader):
    for version in (heron, make_version(heron.bot.owner, "Egret")):
        enter_version(ladder=ladder, version=version)
    comparison = start_comparison(owner=ana, version=new, settings=ComparisonSettings(mode="field"))
    play_out(comparison, 0.5)
    page = text_of(reader(None).get(comparison.get_absolute_url()))
    assert "Heron v1" in page and "Egret v1" in page and "±0 4" in page


def test_own_comparisons_are_listed(ana, ben, comparison, reader):
    play_out(comparison, 0.75)
    page = text_of(reader(ana).get("/comparisons/"))
    assert "Is Kingfisher v2 better than Kingfisher v1? head to head, 0 … +20, Standard running" in page
    assert "No comparisons yet." in text_of(reader(ben).get("/comparisons/"))
    assert reader(None).get("/comparisons/").status_code == 302


def test_a_version_that_has_not_passed_is_not_compared(ana, new, make_version, reader):
    make_version(ana, "Kingfisher", b"3", BotVersion.State.REJECTED)
    page = reader(ana).post("/bots/kingfisher/v/3/compare/", FORM)
    assert page.status_code == 400 and "hasn't passed its trial." in text_of(page)


def test_a_match_of_a_comparison_leads_to_it(comparison, play, client):
    match = queue_comparison_matches(comparison=comparison)[0]
    play(match)
    page = client.get(match.get_absolute_url())
    assert f'href="{comparison.get_absolute_url()}"' in page.content.decode()
    assert "unrated match" in text_of(page)
