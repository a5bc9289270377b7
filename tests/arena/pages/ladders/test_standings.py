import csv
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.timezone import localdate, now

from arena.bots.teams import invite_author
from arena.contests.ladders.models import Entry, PairStat, RatingPoint
from arena.contests.ladders.queries import fetch_leaders
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import close_season, open_season
from arena.operations.acts import join_team
from arena.pages import ladders
from arena.pages.ladders import ListRow
from engine.packages import load_package
from engine.registry import GAMES

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


def listed(address: str = ADDRESS, client: Client | None = None) -> list[ListRow]:
    rows: list[ListRow] = (client or Client()).get(address).context["rows"]
    return rows


def number(row: ListRow) -> int | None:
    return row.place.number if row.place else None


def test_a_ladder_without_bots_says_how_to_be_the_first(ladder):
    page = Client().get(ADDRESS).text
    assert "No bots yet" in page
    assert 'href="/bots/new/"' in page


@pytest.mark.parametrize("address", ["nonsense/", "standard/seasons/7/"])
def test_an_unknown_ladder_is_not_found(ladder, address):
    assert Client().get(f"/ladders/battleline/{address}").status_code == 404


def test_ladders_are_listed(ladder):
    assert ladder.title in Client().get("/ladders/").text


def test_a_row_says_who_how_strong_and_what_is_missing(finished):
    page = Client().get(ADDRESS)
    first, second = listed()
    assert first.place is None and second.place is None
    assert first.entry.rating >= second.entry.rating
    assert first.missing[0] == "1 of 20 matches" and "±" in first.missing[-1]
    for word in ("Kingfisher", "ana", "Heron", "ben", "Provisional", "No bot has a place yet"):
        assert word in page.text
    assert f"{first.entry.rating:.0f}</b><b>?</b>" in page.text and f"± {first.entry.margin_95:.0f}" in page.text


def test_own_bots_are_marked_for_their_owner_only(finished, reader, ana, eva):
    assert [place.is_own for place in listed(client=reader(ana))].count(True) == 1
    for user in (eva, None):
        assert "yours" not in reader(user).get(ADDRESS).text


def test_a_provisional_bot_stands_where_its_rating_puts_it(enter_many):
    best, second, third = enter_many(3)
    Entry.objects.filter(pk=second.pk).update(is_ranked=False)
    assert [(number(row), row.entry) for row in listed()] == [(1, best), (None, second), (3, third)]


def test_nobody_leads_while_the_first_bot_is_provisional(enter_many, ladder):
    best, second, _third = enter_many(3)
    assert fetch_leaders([ladder.pk]) == {ladder.pk: best}
    assert "leads" in Client().get("/ladders/").text and "leads Battle Line" in Client().get("/bots/").text
    Entry.objects.filter(pk=best.pk).update(is_ranked=False)
    assert fetch_leaders([ladder.pk]) == {}
    assert (
        "<span>leads</span>" not in Client().get("/ladders/").text
        and "leads Battle Line" not in Client().get("/bots/").text
    )
    Entry.objects.filter(pk=best.pk).update(rated_at=now() - timedelta(days=31))
    assert fetch_leaders([ladder.pk]) == {ladder.pk: second}


def test_bands_and_plausible_places_are_told(enter_many):
    entries = enter_many(4)
    for entry, group, worst in zip(entries, (1, 1, 2, 1), (2, 3, 4, 4), strict=True):
        Entry.objects.filter(pk=entry.pk).update(group=group, place_low=1, place_high=worst)
    assert [(row.band, row.begins_band) for row in listed()] == [(0, True), (0, False), (1, True), (1, False)]
    assert "<small>1–3</small>" in Client().get(ADDRESS).text


def test_intervals_lie_on_one_axis(enter_many):
    wide, narrow = enter_many(2)
    Entry.objects.filter(pk=wide.pk).update(deviation=100, is_ranked=False)
    page = Client().get(ADDRESS).text
    assert 'aria-label="1900 plus or minus 196, provisional"' in page and 'aria-label="1890 plus or minus 39"' in page
    assert len(set(re.findall(r'class="ticks" d="([^"]+)"', page))) == 1
    left = [float(x) for x in re.findall(r'class="line" d="M([\d.]+)', page)]
    assert left[0] < left[1]
    assert "style=" not in page


def test_who_has_not_played_for_a_month_is_left_out(enter_many):
    gone, stays = enter_many(2)
    Entry.objects.filter(pk=gone.pk).update(rated_at=now() - timedelta(days=31))
    Entry.objects.filter(pk=stays.pk).update(rated_at=now() - timedelta(days=29))
    assert [(number(row), row.entry) for row in listed()] == [(1, stays)]


def test_a_long_ladder_has_pages_and_ranks_go_on(enter_many, monkeypatch):
    monkeypatch.setattr(ladders, "STANDINGS_PAGE_SIZE", 2)
    enter_many(5)
    page = Client().get(f"{ADDRESS}?page=2")
    assert [number(row) for row in listed(f"{ADDRESS}?page=2")] == [3, 4]
    assert "page=1" in page.text and "page=3" in page.text


def test_a_bot_that_is_searched_for_keeps_its_rank(enter_many, ladder, ana, make_version, reader):
    enter_many(3)
    own = enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    Entry.objects.filter(pk=own.pk).update(rating=1885, is_ranked=True)
    assert [number(row) for row in listed(f"{ADDRESS}?q=kingf")] == [3]
    assert [number(row) for row in listed(f"{ADDRESS}?q=HOUSE")] == [1, 2, 4]
    assert [number(row) for row in listed(f"{ADDRESS}?mine=1", reader(ana))] == [3]
    assert "No matching bots on this ladder" in Client().get(f"{ADDRESS}?q=%25").text


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
    assert "No bot called nobody on this ladder." in Client().get(f"{ADDRESS}how/?a=nobody&b=bot-1").text
    assert Client().get(f"{ADDRESS}how/").context["pair"].one == third
    assert Client().get("/ladders/battleline/nonsense/how/").status_code == 404


def test_the_crosstable_has_both_sides_of_each_pair(enter_many, ladder):
    one, other, third = enter_many(3)
    PairStat.objects.create(ladder=ladder, low=one, high=other, seats=2, matches=40, halves=105)
    PairStat.objects.create(ladder=ladder, low=one, high=third, seats=2, matches=4, halves=12)
    RatingPoint.objects.create(entry=one, day=localdate(), rating=1900, deviation=20, rank=1, place=1, matches=44)
    RatingPoint.objects.create(
        entry=one, day=localdate() - timedelta(days=3), rating=1500, deviation=200, place=3, matches=4
    )
    page = Client().get(f"{ADDRESS}?bot=bot-1")
    table = page.context["crosstable"]
    cells = {entry: row for entry, row in table.rows}
    assert [cell and (cell.percent, cell.tone) for cell in cells[one]] == [None, (66, "w1"), (75, "few")]
    assert [cell and (cell.percent, cell.tone) for cell in cells[other]] == [(34, "l1"), None, (0, "none")]
    assert [cell and cell.percent for cell in cells[third]][0] == 25
    assert 'href="/bots/bot-0/against/bot-1/"' in page.text and "Bot 0 v Bot 1: 66% of 40 matches" in page.text
    assert table.chosen == 1 and table.places[0] == [(3, False), (1, True)]


def test_of_many_bots_the_twelve_around_yours_are_crossed(enter_many, ladder, ana, make_version, reader):
    entries = enter_many(30)
    PairStat.objects.create(ladder=ladder, low=entries[12], high=entries[13], seats=2, matches=40, halves=105)
    PairStat.objects.create(ladder=ladder, low=entries[0], high=entries[1], seats=2, matches=40, halves=105)
    own = enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    Entry.objects.filter(pk=own.pk).update(rating=1900 - 145, is_ranked=True)
    table = reader(ana).get(ADDRESS).context["crosstable"]
    assert (table.first, table.last, table.before, table.after) == (10, 21, 1, 22)
    assert own in [entry for entry, _cells in table.rows]
    table = Client().get(ADDRESS).context["crosstable"]
    assert (table.first, table.last, table.before, table.after) == (1, 12, None, 13)


def test_a_bot_that_settles_in_is_told_what_it_wants(ladder, versions, house, make_version):
    entry = enter_version(ladder=ladder, version=versions[0])
    enter_version(ladder=ladder, version=versions[1])
    enter_version(ladder=ladder, version=make_version(house, "third"))
    for fields, words in (
        ({"matches": 14}, "14 of 20 matches"),
        ({"matches": 22, "opponents": 1}, "1 opponent, needs 2"),
        ({"opponents": 9, "deviation": 100}, "± 196, needs ± 117"),
    ):
        Entry.objects.filter(pk=entry.pk).update(**fields)
        assert words in Client().get(ADDRESS).text


def test_bots_of_co_authors_are_no_opponents_that_are_wanted(ladder, versions, house, make_version):
    entry, other = (enter_version(ladder=ladder, version=version) for version in versions[:2])
    enter_version(ladder=ladder, version=make_version(house, "third"))
    Entry.objects.filter(pk=entry.pk).update(matches=22, opponents=0)
    assert "0 opponents, needs 2" in Client().get(ADDRESS).text
    bot, friend = entry.version.bot, other.version.bot.owner
    invite_author(bot=bot, by=bot.owner, user=friend)
    join_team(bot=bot, user=friend)
    assert "0 opponents, needs 1" in Client().get(ADDRESS).text


def test_a_ladder_is_taken_home_as_a_file(enter_many, ladder, make_version, ana):
    enter_many(3)
    own = enter_version(ladder=ladder, version=make_version(ana, "=HYPERLINK(1)"))
    Entry.objects.filter(pk=own.pk).update(rating=1895)
    answer = Client().get(f"{ADDRESS}?format=csv&page=9&q=Bot+1")
    assert answer["Content-Type"].startswith("text/csv")
    assert answer["Content-Disposition"] == 'attachment; filename="battleline-standard-1.csv"'
    lines = list(csv.DictReader(answer.getvalue().decode("utf-8-sig").splitlines()))
    assert [(line["rank"], line["place"], line["bot"], line["author"]) for line in lines] == [
        ("1", "1", "Bot 0", "house"),
        ("", "", "'=HYPERLINK(1)", "ana"),
        ("2", "3", "Bot 1", "house"),
        ("3", "4", "Bot 2", "house"),
    ]
    assert lines[0]["rating"] == "1900.0"


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
    assert ladder.secret not in page and "after the last matches" in page


def test_a_new_season_takes_the_place_of_the_old_one_everywhere(ladder, versions, client):
    """Its row is the youngest, and it is shown where that edition always is."""
    open_season(game="battleline", edition="advanced", title="Battle Line, Advanced")
    following = close_season(ladder=ladder)
    for version in versions:
        enter_version(ladder=following, version=version)
    tops = client.get("/").context["tops"]
    assert [top.ladder for top in tops] == [following]
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
    long_ago = Entry.objects.filter(pk=best.pk)
    assert long_ago.update(rated_at=now() - timedelta(days=31)) and ladder.entries.active().count() == 5
    assert Client().get("/ladders/").context["cards"][0].ladder.bots == 4 == len(listed())
    long_ago.update(rated_at=now())
    assert f'aria-label="{card.draw().says}"' in Client().get("/ladders/").text
    Entry.objects.update(is_ranked=False)
    cache.clear()
    page = Client().get("/ladders/")
    assert page.context["cards"][0].leader is None and "No leader yet." in page.text


def test_the_standing_over_all_editions_ranks_who_plays_two(enter_many, ladder, house, make_version):
    assert Client().get("/ladders/battleline/")["Location"] == ADDRESS
    other = open_season(game="battleline", edition="advanced", title="Battle Line, Advanced")
    entries = enter_many(3)
    for entry, rating in zip(entries[:2], (1500, 1600), strict=True):
        own = enter_version(ladder=other, version=entry.version)
        Entry.objects.filter(pk=own.pk).update(rating=rating, deviation=30, is_ranked=True)
    page = Client().get("/ladders/battleline/")
    assert [(row.bot.name, row.place) for row in page.context["rows"]][2:] == [("Bot 2", None)]
    assert sorted(row.place for row in page.context["rows"][:2]) == [1, 2]
    assert "Every edition counts equally" in page.text and "style=" not in page.text
    assert "Battle Line, all editions" in Client().get("/ladders/").text
    assert Client().get("/ladders/nothing/").status_code == 404
