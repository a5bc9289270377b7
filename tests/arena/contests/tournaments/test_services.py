"""Entering, taking over, and tables of Battalion."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.services import add_version
from arena.contests.tournaments.document import compute_deal_number
from arena.contests.tournaments.models import Entrant, PairingSeat, Tournament
from arena.contests.tournaments.queries import list_awaited_versions
from arena.contests.tournaments.services.entering import NotEnterable, enter, withdraw
from arena.contests.tournaments.services.organising import (
    NotPlayable,
    TournamentPlan,
    build_plan,
    close_entries,
    create,
    edit,
)
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.services.trials import update_entrants
from arena.contests.tournaments.settings import Settings
from arena.core.errors import Conflict, NotYours
from arena.matches.filters import UnplayableRules
from arena.matches.models import LegSeat, Match
from arena.operations import tasks
from engine.registry import find_game
from engine.series import SeriesLength
from tests.arena.contests.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
)
from tests.conftest import FIRST_LEGAL

pytestmark = pytest.mark.django_db
CUP = {"title": "Cup", "game": "battleline", "edition": "standard"}


def test_an_author_enters_own_bots_up_to_the_limit(ana):
    first, second = make_bots(2, owner=ana)
    tournament = make_tournament(max_entrants_per_author=1)
    enter(tournament=tournament, bot=first, user=ana)
    with pytest.raises(Conflict, match="one bot"):
        enter(tournament=tournament, bot=second, user=ana)
    withdraw(entrant=Entrant.objects.get(), user=ana)
    enter(tournament=tournament, bot=second, user=ana)
    assert {one.bot: one.state for one in tournament.entrants.all()} == {first: "withdrawn", second: "checking"}


def test_others_bots_games_and_versions_are_refused(ana, ben, make_version):
    (bot,) = make_bots(1, owner=ana)
    tournament = make_tournament()
    with pytest.raises(NotYours):
        enter(tournament=tournament, bot=bot, user=ben)
    with pytest.raises(NotEnterable, match="another game"):
        enter(tournament=tournament, bot=make_version(ana, "Wren", game="battalion").bot, user=ana)
    refused = make_version(ana, "Refused", state=BotVersion.State.REJECTED)
    for version in (None, refused):
        with pytest.raises(NotEnterable, match="Refused has no such version, or it failed its trial"):
            enter(tournament=tournament, bot=refused.bot, user=ana, version=version)


def test_a_full_one_takes_nobody_more():
    bots = make_bots(3)
    tournament = make_tournament(bots[:2], max_entrants=2)
    with pytest.raises(Conflict, match="full"):
        enter(tournament=tournament, bot=bots[2], user=bots[2].owner)


def test_who_failed_its_check_fills_no_place_and_gets_one_back_only_while_there_is_one():
    bots = make_bots(3)
    tournament = make_tournament(bots[:2], max_entrants=2, max_entrants_per_author=1)
    pass_checks(tournament, failing=bots[:1])
    enter(tournament=tournament, bot=bots[2], user=bots[2].owner)
    with pytest.raises(Conflict, match="full"):
        enter(tournament=tournament, bot=bots[0], user=bots[0].owner)
    newer, match = accept(bots[0], FIRST_LEGAL + b"# better")
    assert update_entrants(match=match) == [], "its place is taken"
    withdraw(entrant=tournament.entrants.get(bot=bots[2]), user=bots[2].owner)
    assert enter(tournament=tournament, bot=bots[0], user=bots[0].owner).version == newer
    edit(tournament=tournament, organiser=tournament.organiser, plan=replace(build_plan(tournament), max_entrants=2))


def accept(bot, source):
    version, match = upload(bot, source)
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.ACCEPTED)
    return version, match


def test_a_newer_version_takes_over_until_the_deadline_and_is_checked_again():
    following, fixed = make_bots(2)
    tournament = make_tournament([following])
    enter(tournament=tournament, bot=fixed, user=fixed.owner, version=fixed.versions.get())
    pass_checks(tournament)
    newer = {bot: accept(bot, b"# better") for bot in (following, fixed)}
    touched = [update_entrants(match=match) for _, match in newer.values()]
    assert touched == [[tournament], []]
    entrants = {one.bot: one for one in tournament.entrants.all()}
    assert (entrants[following].version, entrants[following].state) == (newer[following][0], "checking")
    assert (entrants[fixed].version.number, entrants[fixed].state) == (1, "ready")
    close_entries(tournament=tournament, organiser=tournament.organiser)
    version, match = accept(following, b"# too late")
    assert (
        update_entrants(match=match) == [] and Entrant.objects.get(bot=following).version.number == version.number - 1
    )


def upload(bot, source):
    """Upload a version whose trial is queued."""
    version = add_version(bot=bot, files={"bot.py": FIRST_LEGAL + source}, state=BotVersion.State.ON_TRIAL)
    tasks.check_version(version.pk)
    return version, Match.objects.get(trial__version=version)


def reach_deadline(tournament):
    Tournament.objects.filter(pk=tournament.pk).update(entries_close_at=now())
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()


def test_a_version_uploaded_before_the_deadline_plays_although_its_trial_ends_after_it():
    bots = make_bots(2)
    tournament = make_tournament(bots, entries_close_at=now() + timedelta(hours=1))
    pass_checks(tournament)
    version, match = upload(bots[0], b"# last minute")
    reach_deadline(tournament)
    deadline = tournament.entries_close_at
    assert tournament.state == "checking" and tournament.entrants.get(bot=bots[0]).version.number == 1
    assert list(list_awaited_versions(tournament)) == [version]
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.ACCEPTED)
    assert update_entrants(match=match) == [tournament]
    pass_checks(tournament)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.entries_close_at) == ("running", deadline)
    assert tournament.entrants.get(bot=bots[0]).version == version


def test_a_version_uploaded_in_time_is_waited_for_however_long_its_trial_waits():
    bots = make_bots(2)
    tournament = make_tournament(bots, entries_close_at=now() + timedelta(hours=1))
    pass_checks(tournament)
    version, _ = upload(bots[0], b"# better")
    reach_deadline(tournament)
    closed = now() - timedelta(hours=5)
    BotVersion.objects.filter(pk=version.pk).update(created_at=closed - timedelta(seconds=9))
    Tournament.objects.filter(pk=tournament.pk).update(entries_close_at=closed)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "checking" and list(list_awaited_versions(tournament)) == [version]


@pytest.mark.parametrize("source", ["rejected", "uploaded late", "entered as it was"])
def test_no_other_version_keeps_a_tournament_from_starting(source):
    bots = make_bots(2)
    tournament = make_tournament(bots, entries_close_at=now() + timedelta(hours=1))
    pass_checks(tournament)
    if source == "entered as it was":
        enter(tournament=tournament, bot=bots[0], user=bots[0].owner, version=bots[0].versions.get())
    version, match = upload(bots[0], b"# better")
    if source == "uploaded late":
        BotVersion.objects.filter(pk=version.pk).update(created_at=now() + timedelta(seconds=1))
    reach_deadline(tournament)
    if source == "rejected":
        assert tournament.state == "checking"
        BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.REJECTED)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "running"
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.ACCEPTED)
    assert update_entrants(match=match) == []
    assert tournament.entrants.get(bot=bots[0]).version.number == 1


def test_its_page_says_what_it_waits_for(client):
    bots = make_bots(2)
    tournament = make_tournament(bots, entries_close_at=now() + timedelta(hours=1))
    pass_checks(tournament)
    upload(bots[0], b"# last minute")
    reach_deadline(tournament)
    page = client.get(tournament.get_absolute_url()).content.decode()
    assert "It&#x27;s waiting for the trial of 1 version uploaded in time." in page


def test_settings_are_edited_until_it_starts_and_the_game_until_somebody_enters():
    tournament = make_tournament()
    plan = TournamentPlan(**(CUP | {"edition": "short"}), settings=Settings(format="groups"))
    tournament = edit(tournament=tournament, organiser=tournament.organiser, plan=plan)
    assert (tournament.edition, tournament.settings["format"]) == ("short", "groups") and build_plan(tournament) == plan
    bots = make_bots(2)
    enter(tournament=tournament, bot=bots[0], user=bots[0].owner)
    with pytest.raises(Conflict, match="can't change the game or its rules"):
        edit(tournament=tournament, organiser=tournament.organiser, plan=TournamentPlan(**CUP))
    started = begin(bots, title="Other")
    with pytest.raises(Conflict, match="started"):
        edit(tournament=started, organiser=started.organiser, plan=build_plan(started))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"edition": "of 1899"}, "no edition"),
        ({"changed_options": {"tiles": "shuffled", "flags": 5}}, "nine tiles need nine flags"),
        ({"changed_options": {"edition": 1}}, "no option 'edition'"),
        ({"title": " "}, "title"),
        ({"settings": Settings(format="by eye")}, "No format called by eye"),
        ({"settings": Settings(seats=3)}, "Battle Line doesn't have tables with 3 seats"),
        ({"settings": Settings(rounds=0)}, "rounds"),
        ({"settings": Settings(scoring="style")}, "no scoring system called"),
        ({"game": "battalion", "settings": Settings(seats=4)}, "Only the Tables format"),
        ({"max_entrants": 1}, "2 to 256"),
        ({"is_rated": True}, "That edition doesn't have a ladder"),
    ],
)
def test_a_plan_that_nobody_can_play_is_refused_with_a_reason(changes, words):
    with pytest.raises((NotPlayable, UnplayableRules), match=words):
        create(organiser=make_organiser(), plan=TournamentPlan(**(CUP | changes)))


def test_battalion_is_played_at_tables_where_everybody_sits_everywhere_as_often():
    bots = make_bots(7, game="battalion")
    tournament = begin(bots, Settings(format="tables", seats=3, rounds=4), game="battalion")
    play_out(tournament)
    assert tournament.state == Tournament.State.FINISHED
    seats = LegSeat.objects.filter(leg__match__pairing_match__isnull=False)
    sat = Counter(seats.values_list("participant__version__bot", "seat", "leg__match"))
    assert set(sat.values()) == {1}, "each seat once in each match"
    played = Counter(bot for bot, _, _ in {(bot, match, 0) for bot, _, match in sat})
    assert set(played.values()) == {4}


def test_between_two_everybody_sits_on_each_seat_as_often():
    play_out(begin(make_bots(5), Settings(rounds=3)))
    seats = LegSeat.objects.filter(leg__match__pairing_match__isnull=False)
    sat = Counter(seats.values_list("participant__version__bot", "seat"))
    assert all(sat[bot, 0] == sat[bot, 1] for bot, _ in sat)


SERIES = Settings(format="round-robin", series=SeriesLength(points=10))


def test_bl_25_a_series_counts_as_one_match_and_its_scores_as_game_points(play):
    bots = make_bots(2)
    tournament = begin(bots, SERIES)
    match = Match.objects.get(pairing_match__isnull=False)
    assert match.series == {"points": 10}
    season, game = tournament.season, find_game("battleline")
    number = compute_deal_number(0, 1, 1, 1)
    deals = season.deals(game, game.options("standard"), 2, number, 7)
    legs = list(match.legs.all())
    assert [match.deal, *(leg.deal for leg in legs[1:])] == deals
    assert [leg.salt for leg in legs] == season.salts(7, number)
    assert play(match)
    advance_tournament(tournament=tournament)
    rows = list(match.participants.all())
    seats = list(PairingSeat.objects.filter(pairing__pairing_matches__match=match))
    assert [seat.points for seat in seats] == [row.points for row in rows]
    assert [seat.game_points for seat in seats] == [row.series_score for row in rows]
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED


def test_a_series_without_a_result_is_played_again_with_the_same_deals():
    tournament = begin(make_bots(2), SERIES)
    first = Match.objects.get(pairing_match__isnull=False)
    Match.objects.filter(pk=first.pk).update(state=Match.State.VOID)
    advance_tournament(tournament=tournament)
    again = Match.objects.get(pairing_match__counts=True)
    assert again != first and again.deal == first.deal
    assert list(again.legs.values_list("deal", "salt")) == list(first.legs.values_list("deal", "salt"))


def test_tournaments_of_series_are_for_two_unrated_and_of_games_that_have_them(ladder):
    organiser = make_organiser()
    for changes, reason in (
        ({"is_rated": True}, "can't count towards a ladder"),
        ({"game": "battalion"}, "Battalion can't be played as a series by this number of players: 2"),
        (
            {"game": "battalion", "settings": Settings(format="tables", seats=3, series=SeriesLength(games=3))},
            "Battalion can't be played as a series by this number of players: 3",
        ),
    ):
        with pytest.raises(NotPlayable, match=reason):
            create(organiser=organiser, plan=TournamentPlan(**{**CUP, "settings": SERIES, **changes}))


def test_settings_stored_before_series_are_read():
    tournament = make_tournament()
    stored = {name: value for name, value in tournament.settings.items() if name != "series"}
    Tournament.objects.filter(pk=tournament.pk).update(settings=stored)
    tournament.refresh_from_db()
    assert tournament.full_settings.series is None
    created = create(organiser=make_organiser(), plan=TournamentPlan(**CUP, settings=SERIES))
    created.refresh_from_db()
    assert created.full_settings.series == SeriesLength(points=10)
    assert Settings.from_json(created.settings) == SERIES
    assert build_plan(created).settings.series == SeriesLength(points=10)


def test_a_series_is_expected_to_take_as_long_as_its_games():
    assert Settings().legs_per_match == 2
    assert Settings(series=SeriesLength(games=5)).legs_per_match == 5
    assert Settings(series=SeriesLength(points=20)).legs_per_match == 5.5
