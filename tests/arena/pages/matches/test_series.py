"""A series of games (BL-25) on pages and in the API."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.html import strip_tags

from arena.matches.models import Leg, Match
from arena.matches.queries import list_participants
from arena.matches.services import claim_match, notify_of_match, queue_match, record_heartbeat
from arena.pages.matches.replay import play_to
from arena.people.notices.models import Delivery, Event, Webhook
from arena.runner.match import LegProgress
from engine.series import SeriesLength
from tests.conftest import make_deal_and_salts

POLLS = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def empty_shelf() -> None:
    cache.clear()


def queue(versions, **length: int) -> Match:
    series = SeriesLength(**length)
    chances = [make_deal_and_salts(seed) for seed in range(series.max_games)]
    deals, salts = [chance["deal"] for chance in chances], [chance["salts"][0] for chance in chances]
    return queue_match(
        versions=versions, game="battleline", edition="standard", series=series, deals=deals, salts=salts
    )


@pytest.fixture
def series(versions, play) -> Match:
    """Five games, finished."""
    match = queue(versions, games=5)
    assert play(match)
    match.refresh_from_db()
    return match


def scores_of(match: Match) -> list[str]:
    return [f"{one.series_score:g}" for one in match.participants.all()]


def test_bl_25_the_page_shows_who_started_each_game_and_how_the_series_stood_after_it(series):
    page = Client().get(f"/matches/{series.pk}/")
    assert "series of 5 games: " + " – ".join(scores_of(series)) in " ".join(strip_tags(page.text).split())
    games = page.context["games"]
    assert [game.leg.number for game in games] == [1, 2, 3, 4, 5]
    totals = [0, 0]
    for game in games:
        record = Leg.objects.get(pk=game.leg.pk).record_data
        assert game.starter.participant.index == game.leg.seating[0]
        by_seat = dict(zip(game.leg.seating, record["result"]["scores"], strict=True))
        totals = [total + by_seat[index] for index, total in enumerate(totals)]
        assert game.scores == [str(by_seat[0]), str(by_seat[1])]
        assert game.standing == [str(total) for total in totals]
        assert f"?leg={game.leg.number}" in page.text
    assert games[-1].standing == scores_of(series)
    assert 'data-keeps-turn aria-current="page"' not in page.text


def test_every_leg_can_be_watched_with_its_own_deal(series):
    for leg in series.legs.all():
        page = Client().get(f"/matches/{series.pk}/?leg={leg.number}&turn=1")
        assert page.context["leg"] == leg
        assert page.context["scene"].after == play_to(leg.record_data, 1).after


def test_legs_of_a_series_are_not_put_side_by_side(series):
    assert "sides/" not in Client().get(f"/matches/{series.pk}/").text
    refused = Client().get(f"/matches/{series.pk}/sides/")
    assert refused.status_code == 404
    assert "Each game of a series has its own deal" in refused.text


def test_lists_show_the_series_score(series, versions):
    row = Client().get("/matches/").context["rows"][0]
    assert [part.score for part in row.parts] == scores_of(series) and row.series_name == "series of 5 games"
    own = Client().get("/matches/", {"bot": versions[0].bot.slug})
    assert "series of 5 games" in own.text and "–".join(scores_of(series)) in strip_tags(own.text)


def test_the_page_of_two_bots_counts_a_series_by_its_result(series, versions):
    points = series.participants.get(index=0).points
    page = Client().get(f"/bots/{versions[0].bot.slug}/against/{versions[1].bot.slug}/")
    tally = page.context["tally"]
    assert (tally.won, tally.drawn, tally.lost) == (points == 1, points == 0.5, points == 0)


@pytest.mark.parametrize("language", ["en", "hu"])
def test_the_match_in_words_tells_the_standing_after_each_leg(series, language):
    headers = {"Accept-Language": language}
    page = Client().get(f"/matches/{series.pk}/text/", headers=headers)
    text = Client().get(f"/matches/{series.pk}/text/?format=txt", headers=headers).text
    own, other = scores_of(series)
    for shown in (page.text, text):
        assert f"Kingfisher {own}, Heron {other}" in shown
    assert page.text.count('id="leg-heading-') == 5
    if language == "en":
        assert text.count("Series score: ") == 5 and "series of 5 games" in text


def test_a_series_to_points_is_called_so(versions):
    match = queue(versions, points=20)
    page = Client().get(f"/matches/{match.pk}/")
    assert "series to 20 points" in page.text
    assert page.text.count("Deal of leg") == 11


def test_the_live_page_shows_the_leg_as_it_is_seated_and_dealt(versions, record_of):
    match = queue(versions, points=20)
    attempt = claim_match(match_id=match.pk, worker="mill")
    record = record_of(5)
    Leg.objects.filter(match=match, number=3).update(deal=record["deal"])
    underway = LegProgress(3, record["actions"][:40], (1, 0), (7.0, 10.0))
    record_heartbeat(attempt=attempt, underway=underway)
    page = Client().get(f"/matches/{match.pk}/", headers=POLLS)
    live = page.context["live"]
    assert live.names == ["Heron v1", "Kingfisher v1"]
    assert "Leg 3 of at most 11 is live." in page.text and "Series score: 7 – 10." in page.text
    assert live.record["deal"] == record["deal"]
    assert "Moves, newest first" in page.text and "No moves yet." not in page.text


def test_nobody_sees_the_deal_of_a_game_before_the_series_is_over(versions, record_of):
    match = queue(versions, games=3)
    attempt = claim_match(match_id=match.pk, worker="mill")
    record_heartbeat(attempt=attempt, underway=LegProgress(2, [], (1, 0), (5.0, 2.0)))
    hidden = [leg.deal["troops"][-7:] for leg in match.legs.all()[1:]] + [match.deal["troops"][-7:]]
    addresses = ["", "text/", "sides/", "legs/1/record.json", "legs/2/record.json", "records.zip"]
    pages = [f"/matches/{match.pk}/{path}" for path in addresses] + [f"/api/v1/matches/{match.pk}/"]
    for address in [*pages, f"/api/v1/matches/{match.pk}/legs/1/record/"]:
        answer = Client().get(address)
        shown = answer.text.replace("&quot;", '"').replace(" ", "")
        for cards in hidden:
            assert str(cards).replace("'", '"').replace(" ", "") not in shown
        assert '"deal"' not in shown


def test_the_api_shows_length_scores_and_seating(series, versions):
    shown = Client().get(f"/api/v1/matches/{series.pk}/").json()
    assert shown["series"] == {"games": 5, "points": None}
    assert [one["series_score"] for one in shown["participants"]] == [float(score) for score in scores_of(series)]
    assert [leg["seating"] for leg in shown["legs"]] == [leg.seating for leg in series.legs.all()]
    (listed,) = Client().get("/api/v1/matches/").json()["results"]
    assert listed["series"] == {"games": 5, "points": None} and listed["participants"][0]["series_score"] is not None
    waiting = Client().get(f"/api/v1/matches/{queue(versions, points=5).pk}/").json()
    assert waiting["series"] == {"games": None, "points": 5}
    assert [leg["seating"] for leg in waiting["legs"]] == [[0, 1], [], [], [], []]
    assert [one["series_score"] for one in waiting["participants"]] == [None, None]
    mirrored = queue_match(versions=versions, game="battleline", edition="standard")
    assert Client().get(f"/api/v1/matches/{mirrored.pk}/").json()["series"] is None


def test_webhooks_are_told_the_series_score(series, ana):
    Webhook.objects.create(owner=ana, url="https://8.8.8.8/", events=[Event.MATCH_FINISHED])
    notify_of_match(match=series)
    payload = Delivery.objects.get().payload
    assert payload["series"] == {"games": 5}
    assert [f"{one['series_score']:g}" for one in payload["participants"]] == scores_of(series)


def test_lists_read_the_scores_with_the_participants(series, django_assert_num_queries):
    expected = scores_of(series)
    with django_assert_num_queries(1):
        (participants,) = list_participants([series.pk]).values()
        assert [f"{one.series_score:g}" for one in participants] == expected
