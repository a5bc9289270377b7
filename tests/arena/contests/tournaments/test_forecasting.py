"""What is foretold of a tournament, and when nothing is."""

import pytest

from arena.contests.ladders.services.entering import enter_version as enter_ladder
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.forecasting import (
    explain_missing_forecast,
    is_forecast_due,
    is_forecast_left_out,
    store_forecast,
)
from arena.contests.tournaments.settings import Settings
from arena.core.messages import render_message
from tests.arena.contests.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_round,
)

pytestmark = pytest.mark.django_db


def rate(ladder, bots, ratings, deviation=30.0):
    """Put bots on a ladder, ranked."""
    for bot, rating in zip(bots, ratings, strict=True):
        entry = enter_ladder(ladder=ladder, version=bot.versions.get())
        entry.rating, entry.deviation, entry.is_ranked = rating, deviation, True
        entry.save()


def test_before_the_start_it_is_rehearsed_with_who_is_ready(ladder):
    bots = make_bots(4)
    rate(ladder, bots, (2000, 1700, 1500, 1300))
    tournament = make_tournament(bots[:3], Settings(format="double-elimination"))
    assert not is_forecast_due(tournament)
    pass_checks(tournament, failing=bots[:1])
    assert is_forecast_due(tournament)
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    told = {chance["bot"]: chance["win"] for chance in tournament.forecast.values()}
    assert set(told) == {"bot-2", "bot-3"} and sum(told.values()) == pytest.approx(1)
    assert not is_forecast_due(tournament)
    enter(tournament=tournament, bot=bots[3], user=bots[3].owner)
    pass_checks(tournament)
    assert is_forecast_due(tournament)


def test_the_stronger_is_foretold_to_win(ladder):
    bots = make_bots(4)
    rate(ladder, bots, (2000, 1500, 1500, 1500))
    tournament = begin(bots, Settings(format="single-elimination"))
    assert is_forecast_due(tournament)
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    assert not is_forecast_due(tournament)
    wins = {int(number): chance["win"] for number, chance in tournament.forecast.items()}
    assert wins[1] > 0.8 and sum(wins.values()) == pytest.approx(1)


def test_a_forecast_is_left_out_while_margins_are_wider_than_the_spread_of_the_ratings(ladder):
    bots = make_bots(4)
    rate(ladder, bots, (1650, 1550, 1450, 1350), deviation=60)
    tournament = begin(bots, Settings(format="round-robin"))
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    # Margins of 118 Elo, and a standard deviation of 112.
    assert tournament.forecast is None and tournament.forecast_after_round == 0
    assert is_forecast_left_out(tournament) and not is_forecast_due(tournament)
    assert "too uncertain to tell the bots apart" in render_message(explain_missing_forecast(tournament))
    ladder.entries.update(deviation=55)
    play_round(tournament)
    assert is_forecast_due(tournament), "When a round finishes"
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    assert set(tournament.forecast) == {"1", "2", "3", "4"} and tournament.forecast_after_round == 1
    assert explain_missing_forecast(tournament) is None


def test_before_the_start_a_forecast_that_was_left_out_is_due_once_the_ratings_are_certain(ladder):
    bots = make_bots(3)
    tournament = make_tournament(bots)
    pass_checks(tournament)
    assert is_forecast_due(tournament), "nobody has looked yet"
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    assert is_forecast_left_out(tournament) and not is_forecast_due(tournament), "no bot is on the ladder"
    rate(ladder, bots, (1700, 1500, 1300))
    assert is_forecast_due(tournament)
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.forecast["1"]["bot"] == "bot-1"
    tournament.refresh_from_db()
    ladder.entries.update(deviation=300)
    enter(tournament=tournament, bot=make_bots(1, owner=make_organiser(), name="Other")[0], user=make_organiser())
    pass_checks(tournament)
    store_forecast(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.forecast is None, "what was foretold of others is taken back"


def test_a_forecast_follows_the_ratings_of_now_and_is_the_same_for_the_same_round(ladder):
    bots = make_bots(4)
    rate(ladder, bots, (1900, 1500, 1500, 1300))
    tournament = begin(bots, Settings(format="round-robin"))

    def foretell():
        store_forecast(tournament=tournament)
        tournament.refresh_from_db()
        return tournament.forecast

    before = foretell()
    assert foretell() == before
    entries = {entry.version.bot: entry for entry in ladder.entries.select_related("version__bot")}
    for bot, rating in zip(bots, (1300, 1500, 1500, 1900), strict=True):
        entries[bot].rating = rating
        entries[bot].save()
    after = foretell()
    assert before["1"]["win"] > 0.7 and after["1"]["win"] < 0.2 and after["4"]["win"] > 0.7
