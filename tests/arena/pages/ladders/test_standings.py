import csv
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.timezone import localdate, now

from arena.contests.ladders.models import Entry, LadderMatch, RatingPoint
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import close_season, open_season
from arena.matches.services import queue_match
from arena.pages import ladders
from arena.pages.ladders import StandingsPlace
from engine.packages import load_package
from engine.registry import GAMES
from tests.conftest import make_deal_and_salts

ADDRESS = "/ladders/battleline/standard/"


@pytest.fixture
def enter_many(ladder, house, make_version):
    """Return a function that enters a number of ranked house bots, the best first."""

    def put_in(count: int) -> list[Entry]:
        versions = [make_version(house, f"Bot {number}") for number in range(count)]
        entries = [enter_version(ladder=ladder, version=version) for version in versions]
        for number, entry in enumerate(entries):
            entry.rating, entry.deviation, entry.is_ranked = 1900 - 10 * number, 20, True
            entry.save()
        return entries

    return put_in


def listed(address: str = ADDRESS, client: Client | None = None) -> list[StandingsPlace]:
    blocks = (client or Client()).get(address).context["blocks"]
    return [place for block in blocks for place in block["places"]]


def test_a_ladder_without_bots_says_how_to_be_the_first(ladder):
    page = Client().get(ADDRESS).text
    assert "No bot plays here yet" in page
    assert 'href="/bots/new/"' in page


@pytest.mark.parametrize("address", ["nonsense/", "standard/seasons/7/"])
def test_an_unknown_ladder_is_not_found(ladder, address):
    assert Client().get(f"/ladders/battleline/{address}").status_code == 404


def test_ladders_are_listed(ladder):
    assert ladder.title in Client().get("/ladders/").text


def test_a_place_says_who_how_strong_and_what_came_last(finished, versions):
    page = Client().get(ADDRESS)
    first, second = listed()
    assert first.rank is None and second.rank is None
    assert first.entry.rating >= second.entry.rating
    assert first.win_rate + second.win_rate == 1
    assert first.entry.last_match == second.entry.last_match == finished
    assert [(one.finish.place, one.finish.is_shared) for one in (first, second)] in (
        [(1, False), (2, False)],
        [(2, False), (1, False)],
        [(1, True), (1, True)],
    )
    for word in ("Kingfisher", "ana", "Heron", "ben", f"/matches/{finished.pk}/", "Provisional"):
        assert word in page.text
    assert f"{first.entry.rating:.0f}?" in page.text and f"± {first.entry.margin_95:.0f}" in page.text


def test_own_bots_are_marked_for_their_owner_only(finished, reader, ana, eva):
    assert [place.is_own for place in listed(client=reader(ana))].count(True) == 1
    for user in (eva, None):
        assert "yours" not in reader(user).get(ADDRESS).text


def test_an_entry_without_matches_waits_for_its_first(ladder, versions):
    enter_version(ladder=ladder, version=versions[0])
    assert "waiting for its first match" in Client().get(ADDRESS).text


def test_who_settles_in_comes_after_the_ranked_and_has_no_rank(enter_many):
    best, second, third = enter_many(3)
    Entry.objects.filter(pk=best.pk).update(is_ranked=False)
    assert [(place.rank, place.entry) for place in listed()] == [(1, second), (2, third), (None, best)]


def test_groups_and_plausible_ranks_are_told(enter_many):
    entries = enter_many(4)
    for entry, group, worst in zip(entries, (1, 1, 2, 1), (2, 3, 4, 4), strict=True):
        Entry.objects.filter(pk=entry.pk).update(group=group, rank_low=1, rank_high=worst)
    blocks = Client().get(ADDRESS).context["blocks"]
    assert [(block["group"], len(block["places"])) for block in blocks] == [(1, 2), (2, 2)]
    page = Client().get(ADDRESS).text
    assert "Top group" in page and "2nd group" in page and "<small>1–3</small>" in page


def test_intervals_lie_on_one_axis(enter_many):
    wide, narrow = enter_many(2)
    Entry.objects.filter(pk=wide.pk).update(deviation=100)
    page = Client().get(ADDRESS).text
    assert 'aria-label="95% interval 1704 to 2096"' in page and 'aria-label="95% interval 1851 to 1929"' in page
    assert len(set(re.findall(r'class="ticks" d="([^"]+)"', page))) == 1
    left = [float(x) for x in re.findall(r'<rect x="([\d.]+)"', page)]
    assert left[0] < left[1]
    assert "style=" not in page


def test_who_has_not_played_for_a_month_is_left_out(enter_many):
    gone, stays = enter_many(2)
    Entry.objects.filter(pk=gone.pk).update(rated_at=now() - timedelta(days=31))
    Entry.objects.filter(pk=stays.pk).update(rated_at=now() - timedelta(days=29))
    assert [(place.rank, place.entry) for place in listed()] == [(1, stays)]


def test_a_long_ladder_has_pages_and_ranks_go_on(enter_many, monkeypatch):
    monkeypatch.setattr(ladders, "STANDINGS_PAGE_SIZE", 2)
    enter_many(5)
    page = Client().get(f"{ADDRESS}?page=2")
    assert [place.rank for place in listed(f"{ADDRESS}?page=2")] == [3, 4]
    assert "page=1" in page.text and "page=3" in page.text


def test_a_bot_that_is_searched_for_keeps_its_rank(enter_many, ladder, ana, make_version, reader):
    enter_many(3)
    own = enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    Entry.objects.filter(pk=own.pk).update(rating=1885, is_ranked=True)
    assert [place.rank for place in listed(f"{ADDRESS}?q=kingf")] == [3]
    assert [place.rank for place in listed(f"{ADDRESS}?q=HOUSE")] == [1, 2, 4]
    assert [place.rank for place in listed(f"{ADDRESS}?mine=1", reader(ana))] == [3]
    assert "No bot on this ladder fits" in Client().get(f"{ADDRESS}?q=%25").text


def test_how_ratings_are_worked_out_is_told_with_the_ladders_own_numbers(ladder):
    type(ladder).objects.filter(pk=ladder.pk).update(dispersion=0.87, pair_interaction_sd=42)
    assert f'href="{ADDRESS}how/"' not in Client().get(ADDRESS).text
    page = Client().get(f"{ADDRESS}how/").text
    assert "0.87" in page and "42 Elo." in page and "20 rated matches" in page


def test_two_bots_are_compared_by_their_ratings(enter_many, ladder):
    one, other, third = enter_many(3)
    Entry.objects.filter(pk=one.pk).update(rating=1700, deviation=30)
    Entry.objects.filter(pk=other.pk).update(rating=1600, deviation=40)
    assert f'href="{ADDRESS}how/"' in Client().get(ADDRESS).text
    page = Client().get(f"{ADDRESS}how/?a=Bot+0&b=bot-1")
    pair = page.context["pair"]
    assert (pair.one, pair.other, pair.lead) == (one, other, 100)
    assert pair.is_better == pytest.approx(0.97725, abs=1e-4)
    assert pair.expected == pytest.approx(1 / (1 + 10 ** (-100 / 400)))
    assert (round(pair.low), round(pair.high)) == (2, 198)
    assert "<b>Bot 0</b> is better than <b>Bot 1</b> with 98% certainty" in page.text
    assert "No bot called nobody is on this ladder" in Client().get(f"{ADDRESS}how/?a=nobody&b=bot-1").text
    assert Client().get(f"{ADDRESS}how/").context["pair"].one == third
    assert Client().get("/ladders/battleline/nonsense/how/").status_code == 404


def test_a_trend_is_the_way_of_a_bot_in_thirty_days(enter_many, ladder, make_version, house):
    first, second = enter_many(2)
    newer = enter_version(ladder=ladder, version=make_version(house, "Bot 0"))
    Entry.objects.filter(pk=newer.pk).update(rating=1920, is_ranked=True)
    for entry, days, rating in ((first, 40, 1000), (first, 20, 1850), (newer, 5, 1900), (second, 20, 1893)):
        RatingPoint.objects.create(
            entry=entry, day=localdate() - timedelta(days=days), rating=rating, deviation=20, matches=9
        )
    up, even = listed()
    assert up.entry == newer and up.trend.ratings == (1850, 1900, 1920)
    assert (up.trend.elo, up.trend.direction, even.trend.direction) == (70, "up", "even")
    page = Client().get(ADDRESS).text
    assert 'aria-label="Rating over the last 30 days, from 1850 to 1920"' in page and "+70" in page


def test_a_bot_that_settles_in_is_told_what_it_wants(ladder, versions, house, make_version):
    entry = enter_version(ladder=ladder, version=versions[0])
    enter_version(ladder=ladder, version=versions[1])
    enter_version(ladder=ladder, version=make_version(house, "third"))
    for fields, words in (
        ({"matches": 14}, "14 of 20 matches"),
        ({"matches": 22, "opponents": 1}, "1 of 2 opponents"),
        ({"opponents": 9, "deviation": 100}, "±196, needs ±118"),
    ):
        Entry.objects.filter(pk=entry.pk).update(**fields)
        assert words in Client().get(ADDRESS).text


def test_a_ladder_is_taken_home_as_a_file(enter_many, ladder, make_version, ana):
    enter_many(3)
    enter_version(ladder=ladder, version=make_version(ana, "=HYPERLINK(1)"))
    answer = Client().get(f"{ADDRESS}?format=csv&page=9&q=Bot+1")
    assert answer["Content-Type"].startswith("text/csv")
    assert answer["Content-Disposition"] == 'attachment; filename="battleline-standard-1.csv"'
    lines = list(csv.DictReader(answer.getvalue().decode().splitlines()))
    assert [(line["rank"], line["bot"], line["author"]) for line in lines] == [
        ("1", "Bot 0", "house"),
        ("2", "Bot 1", "house"),
        ("3", "Bot 2", "house"),
        ("", "'=HYPERLINK(1)", "ana"),
    ]
    assert lines[0]["rating"] == "1900.0"


def test_a_last_match_is_told_with_its_cause_and_whom_it_was_against(ladder, ana, ben, make_version, play):
    versions = [make_version(ana, "Quitter", b"raise SystemExit(3)"), make_version(ben, "Heron")]
    for version in versions:
        enter_version(ladder=ladder, version=version)
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    LadderMatch.objects.create(ladder=ladder, match=match)
    assert play(match)
    append_finished_matches(ladder=ladder)
    page = Client().get(ADDRESS).text
    assert "Won, opponent " in page and "v Quitter, " in page and re.search(r"Lost, (crashed|did not start)", page)
    assert 'href="/authors/ana/"' in page and "Python" in page


def test_a_closed_season_stays_to_be_read_and_gives_its_secret_away(finished, ladder, versions):
    assert ladder.secret not in Client().get(ADDRESS).text
    assert ladder.commitment in Client().get(ADDRESS).text
    following = close_season(ladder=ladder)
    over = Client().get(f"{ADDRESS}seasons/1/")
    assert ladder.secret in over.text and ladder.commitment in over.text
    assert over.context["ladder"] == ladder
    now_open = Client().get(ADDRESS)
    assert now_open.context["ladder"] == following and following.secret not in now_open.text
    assert "/seasons/1/" in now_open.text
    assert Client().get(f"{ADDRESS}seasons/2/")["Location"] == ADDRESS
    assert "Season 1" in Client().get("/ladders/").text or "season 2" in Client().get("/ladders/").text


def test_a_closed_season_keeps_its_secret_while_a_match_is_in_flight(queued, ladder):
    close_season(ladder=ladder)
    page = Client().get(f"{ADDRESS}seasons/1/").text
    assert ladder.secret not in page and "as soon as the last matches are played" in page


def test_a_new_season_takes_the_place_of_the_old_one_everywhere(ladder, versions, client):
    """Its row is the youngest, and it is shown where that edition always is."""
    open_season(game="battleline", edition="advanced", title="Battle Line, Advanced")
    following = close_season(ladder=ladder)
    for version in versions:
        enter_version(ladder=following, version=version)
    tops = client.get("/").context["tops"]
    assert [top["ladder"] for top in tops] == [following]
    for address in (following.get_absolute_url(), ladder.get_absolute_url()):
        assert [one.edition for one in client.get(address).context["ladders"]] == ["standard", "advanced"]
    assert [one.edition for one in client.get("/ladders/").context["ladders"]] == ["standard", "advanced"]


def test_a_game_without_rules_has_no_link_to_them(db, monkeypatch):
    game = load_package("goofspiel").game
    monkeypatch.setitem(GAMES, game.key, game)
    open_season(game="goofspiel", edition="short", title="Goofspiel, Short")
    open_season(game="battleline", edition="standard", title="Battle Line, Standard")
    for address in ("/ladders/", "/ladders/goofspiel/short/"):
        page = Client().get(address)
        assert page.status_code == 200 and "/rules/goofspiel/" not in page.text
    assert "/rules/battleline/standard/" in Client().get("/ladders/").text
    assert "/rules/battleline/standard/" in Client().get("/ladders/battleline/standard/").text


def test_a_ladder_is_a_card_with_its_leader_and_newest_match(enter_many, ladder, finished):
    best = enter_many(3)[0]
    cache.clear()
    (card,) = Client().get("/ladders/").context["cards"]
    assert (card.ladder, card.leader, card.newest, card.emblem) == (ladder, best, finished.pk, "wedge")
    assert f'aria-label="{card.draw().says}"' in Client().get("/ladders/").text
    Entry.objects.update(is_ranked=False)
    cache.clear()
    page = Client().get("/ladders/")
    assert page.context["cards"][0].leader is None and "Nobody has a rank yet." in page.text
