"""What spectators are shown, here and in other sites."""

import re
from io import BytesIO
from itertools import accumulate
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.test import Client

from arena.contests.analysis.models import LegAnalysis, SeatAnalysis, pack
from arena.contests.ladders.models import LadderMatch, RatingChange
from arena.contests.ladders.showing import find_longest_leg, list_candidates
from arena.matches.models import LegSeat, Match
from arena.pages.games import find_presentation
from arena.pages.matches.replay import PUBLIC_ONLOOKER, play_back
from arena.pages.watch.showing import find_chances, find_decisive_step, list_shown_marks
from tests.arena.gone import game_gone


@pytest.fixture(autouse=True)
def _a_new_playlist():
    cache.clear()


def test_an_empty_site_says_when_the_first_match_comes(db):
    for address in ("/", "/watch/"):
        page = Client().get(address)
        assert page.context["showing"] is None and "No rated matches yet" in page.text


def test_the_longer_leg_of_a_rated_match_is_shown_from_before_its_decisive_claim(finished):
    showing = Client().get("/watch/").context["showing"]
    assert showing.row.match == finished
    longest = max(finished.legs.all(), key=lambda leg: (leg.decisions, -leg.number))
    assert showing.leg == longest.number == find_longest_leg(finished.pk)
    playback = play_back(longest.record_data, PUBLIC_ONLOOKER)
    claims = [
        step.number for step in playback.steps if any("claim" in event.get("action", "") for event in step.events)
    ]
    assert [mark.step for mark in showing.marks] == claims
    assert showing.start + 6 in claims and showing.last == playback.last
    presentation = find_presentation("battleline", "standard")
    assert showing.start + 6 == find_decisive_step(playback, presentation, showing.marks)


def test_the_winner_takes_the_lead_for_good_with_the_decisive_claim(record_of):
    record = record_of(5)
    playback = play_back(record, PUBLIC_ONLOOKER)
    presentation = find_presentation("battleline", "standard")
    marks = list_shown_marks(playback, presentation)
    winner = record["result"]["places"].index(1)
    decisive = find_decisive_step(playback, presentation, marks)
    lead = list(accumulate(1 if mark.seat == winner else -1 for mark in marks))
    at = [mark.step for mark in marks].index(decisive)
    assert lead[at] > 0 and all(one > 0 for one in lead[at:]) and (at == 0 or lead[at - 1] <= 0)


def test_an_analysed_match_is_shown_from_before_its_worst_decision(finished):
    leg = finished.legs.get(number=2)
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER)
    turn = next(step.number for step in playback.steps for entry in step.entries if entry.number == 40)
    change = playback.steps[turn - 8].entries[-1].number
    chances = [0.2 if number < change else 0.456 for number in range(len(leg.record_data["actions"]) + 1)]
    analysis = LegAnalysis.objects.create(leg=leg, state=LegAnalysis.State.DONE, result=pack({"chances": chances}))
    numbers = dict.fromkeys(("given_away", "start", "result", "luck", "skill", "draw_luck", "draw_luck_squares"), 0.0)
    mistakes = [{"number": number, "loss": loss} for number, loss in ((10, 0.1), (40, 0.3), (60, 0.2))]
    SeatAnalysis.objects.create(analysis=analysis, seat=0, decisions=3, draws=0, mistakes=mistakes, **numbers)
    page = Client().get("/watch/")
    showing, name = page.context["showing"], leg.seats.get(seat=0).participant.version.bot.name
    assert (showing.leg, showing.start, showing.chances.now) == (2, turn - 6, [46, 54])
    assert (
        showing.chances.swing == f"{name}'s chance rose from 20% to 46% in 3 turns" and not showing.chances.is_reported
    )
    assert "Analysed chances, all cards open" in page.text


def test_without_an_analysis_the_bots_own_reports_make_the_bar_once_both_have_spoken(finished):
    leg = finished.legs.get(number=1)
    record = leg.record_data
    for number, entry in enumerate(record["actions"]):
        entry.pop("eval", None)
        if number > 3:
            entry["eval"] = 0.5 if entry["seat"] else -0.1
    playback = play_back(record, PUBLIC_ONLOOKER)
    told = find_chances(playback, ["one", "other"], playback.last, None)
    assert told and told.is_reported and told.now == [35, 65] and told.swing == ""
    assert find_chances(playback, ["one", "other"], 1, None) is None
    assert find_chances(playback, ["one", "other", "third"], playback.last, None) is None


def test_only_backs_of_cards_in_hands_are_shown(finished):
    page = Client().get("/watch/")
    hand = re.search(r'<ol [^>]*class="hand.*?</ol>', page.text, re.DOTALL)
    assert hand and "card back" in hand[0] and "data-card" not in hand[0]
    assert page.context["scene"].onlooker == PUBLIC_ONLOOKER


def test_the_candidates_have_the_ratings_before_the_match(finished):
    (candidate,) = list_candidates()
    changes = RatingChange.objects.filter(ladder_match__match=finished)
    assert sorted(candidate.ratings) == sorted(changes.values_list("before", flat=True))
    assert candidate.first_version == 1


def test_faults_lost_records_and_excluded_matches_are_not_shown(finished):
    assert list_candidates()
    LegSeat.objects.filter(leg__match=finished, seat=0).update(verdict="crash")
    assert not list_candidates()
    LegSeat.objects.filter(leg__match=finished).update(verdict="ok")
    record = finished.legs.first().record
    finished.legs.filter(number=1).update(record=None)
    assert not list_candidates()
    finished.legs.filter(number=1).update(record=record)
    LadderMatch.objects.update(void_sequence=2)
    assert not list_candidates()


def test_a_match_can_be_asked_for_and_one_that_is_not_over_is_not_there(finished, versions):
    assert Client().get(f"/watch/?match={finished.pk}").context["showing"].row.match == finished
    Match.objects.filter(pk=finished.pk).update(state="running")
    assert Client().get(f"/watch/?match={finished.pk}").status_code == 404
    assert Client().get(f"/embed/matches/{finished.pk}/").status_code == 404


def test_a_game_that_is_gone_is_not_shown(finished):
    with game_gone("battleline"):
        assert Client().get("/watch/").context["showing"] is None


def test_other_sites_may_frame_the_embedded_match_alone(finished):
    answer = Client().get(f"/embed/matches/{finished.pk}/?leg=2")
    assert answer.context["showing"].leg == 2
    assert "frame-ancestors *" in answer["Content-Security-Policy"] and not answer.has_header("X-Frame-Options")
    assert not answer.cookies and answer["Cache-Control"].startswith("public")
    page = Client().get(f"/matches/{finished.pk}/")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"] and page["X-Frame-Options"] == "DENY"


def test_previews_are_png_pictures_in_the_size_that_other_sites_show(finished):
    page = Client().get(f"/matches/{finished.pk}/?leg=1&turn=4")
    address = page.context["preview"].image_path
    assert f"/matches/{finished.pk}/turn/4.png" in address and page.context["preview"].image.startswith("http")
    answer = Client().get(address)
    assert answer["Content-Type"] == "image/png" and answer.content[:8] == b"\x89PNG\r\n\x1a\n"
    size = BytesIO(answer.content[16:24])
    assert [int.from_bytes(size.read(4), "big") for _ in range(2)] == [1200, 630]
    assert Client().get(f"/matches/{finished.pk}/turn/999.png").status_code == 404


def test_the_end_of_a_leg_leads_on(finished, versions, play):
    last = Client().get(f"/matches/{finished.pk}/?turn=last&leg=last")
    assert last.context["leg"].number == 2 and last.context["scene"].is_over
    assert last.context["other_leg"].number == 1 and last.context["next_matches"] == []
    assert any(part.change for part in last.context["row"].parts)


def test_a_page_that_waited_lands_on_the_last_turn(finished):
    answer = Client().get(f"/matches/{finished.pk}/", headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == f"/matches/{finished.pk}/?leg=last&turn=last"


def test_the_badge_has_the_rating(finished, versions):
    entry = versions[0].entries.get()
    answer = Client().get("/bots/kingfisher/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    root = ElementTree.fromstring(answer.text)
    assert f"{entry.rating:.0f} ± " in root.attrib["aria-label"]
    assert "–" in Client().get("/bots/kingfisher/badge.svg?edition=none").text
