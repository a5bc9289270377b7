"""Live games are analysed like legs, once they are over, for who played them."""

import re
from datetime import timedelta
from random import Random

import pytest
from django.test import Client
from django.utils.html import escape
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.teams import QuotaSpent
from arena.contests.analysis.models import LegAnalysis, NotAnalysable, NotPlayed, SeatAnalysis, WaitingLine
from arena.contests.analysis.queries import fetch_result, find_analyses
from arena.contests.analysis.services import analyse_coarsely_unasked, request_live_analysis
from arena.contests.lifecycle import list_expired_analyses
from arena.matches.lesson import start_lesson
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, resign, start_live_game, swap_seats, take_seat
from arena.matches.livegames.position import LivePlayer
from arena.matches.models import Leg
from arena.pages.matches.match_page import find_turn_to_show
from arena.pages.matches.replay import play_back
from arena.pages.play.context import Review
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse
from engine.registry import find_game
from tests.arena.contests.analysis.finished import claim_full_pass, make_analysis
from tests.arena.matches.livegames.conftest import step
from tests.conftest import MakeVersion


@pytest.fixture
def players(ana: User, ben: User) -> list[LivePlayer]:
    return [LivePlayer(ana), LivePlayer(ben)]


STEPS = 20
"""Random steps after which both have made a mistake."""


@pytest.fixture
def eva(db: None) -> User:
    return User.objects.create_user("eva")


@pytest.fixture
def running(players: list[LivePlayer]) -> LiveGame:
    """A game of Ana and Ben by link, some steps in; all chance of it is always the same."""
    sitting = Sitting("battleline", (PersonSeat.ME, PersonSeat.LINK), edition="short")
    game = start_live_game(player=players[0], sitting=sitting, address="192.0.2.7")
    rules = find_game("battleline")
    deal = rules.deal(rules.options("short"), 2, Random("live"))
    LiveGame.objects.filter(pk=game.pk).update(deal=deal, salt="salt")
    link = game.seats.get(seat=1).link
    assert link is not None
    take_seat(link=link, player=players[1])
    rng = Random(5)
    for _ in range(STEPS):
        game.refresh_from_db()
        assert game.seat_to_act is not None
        step(game, players[game.seat_to_act], rng=rng)
    game.refresh_from_db()
    return game


@pytest.fixture
def game(running: LiveGame, players: list[LivePlayer]) -> LiveGame:
    resign(game=running, player=players[1])
    running.refresh_from_db()
    return running


def test_the_analysis_of_a_live_game_is_that_of_its_record(game: LiveGame, players: list[LivePlayer]) -> None:
    requested = request_live_analysis(player=players[0], game=game)
    assert requested.state == "waiting" and request_live_analysis(player=players[1], game=game) == requested
    analysis = make_analysis(seconds=0.0)
    while analysis is not None and not analysis.is_done:
        assert 0 <= analysis.progress < 1
        analysis = make_analysis(seconds=0.2)
    evaluator = find_evaluator("battleline", "short")
    assert analysis is not None and evaluator is not None
    assert analysis.result_data == analyse(game.record_data, evaluator)
    assert [(row.seat, row.participant) for row in SeatAnalysis.objects.order_by("seat")] == [(0, None), (1, None)]
    assert fetch_result(game) == find_analyses(game).done == analysis


def test_nothing_is_analysed_before_the_end(running: LiveGame, players: list[LivePlayer]) -> None:
    with pytest.raises(NotAnalysable, match="games with a result"):
        request_live_analysis(player=players[0], game=running)
    LiveGame.objects.update(state=LiveGame.State.VOID)
    running.refresh_from_db()
    with pytest.raises(NotAnalysable, match="games with a result"):
        request_live_analysis(player=players[0], game=running)


def test_it_is_for_who_played_and_is_signed_in(game: LiveGame, eva: User) -> None:
    for player in (LivePlayer(eva), LivePlayer(guest="somebody"), LivePlayer()):
        with pytest.raises(NotPlayed):
            request_live_analysis(player=player, game=game)


def test_it_waits_while_the_deal_is_played_again(game: LiveGame, players: list[LivePlayer]) -> None:
    request_live_analysis(player=players[0], game=game)
    again = swap_seats(game=game, player=players[0], address="")
    assert claim_full_pass() is None
    LegAnalysis.objects.all().delete()
    with pytest.raises(NotAnalysable, match="swapped seats"):
        request_live_analysis(player=players[0], game=game)
    resign(game=again, player=players[0])
    request_live_analysis(player=players[0], game=game)
    assert claim_full_pass() is not None


def test_rules_without_a_value_function_are_refused(game: LiveGame, players: list[LivePlayer]) -> None:
    LiveGame.objects.update(edition="terrain")
    game.refresh_from_db()
    with pytest.raises(NotAnalysable, match="no value function"):
        request_live_analysis(player=players[0], game=game)


def test_quotas_count_legs_and_live_games_together(game: LiveGame, players: list[LivePlayer], settings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 0
    with pytest.raises(QuotaSpent):
        request_live_analysis(player=players[0], game=game)


def test_it_goes_with_its_game_and_not_with_records_of_matches(
    game: LiveGame, leg: Leg, players: list[LivePlayer]
) -> None:
    request_live_analysis(player=players[0], game=game)
    (expired,) = list_expired_analyses()
    assert not expired.rows.exists()
    game.delete()
    assert not LegAnalysis.objects.exists()


def address(game: LiveGame) -> str:
    return f"{game.get_absolute_url()}replay/"


def test_the_replay_shows_it_to_whoever_sees_the_game(client: Client, ana: User, eva: User, game: LiveGame) -> None:
    client.force_login(eva)
    assert not client.get(address(game)).context["analysis"].may_request
    refused = client.post(f"{game.get_absolute_url()}analysis/", follow=True)
    assert "Only signed-in players" in [str(one) for one in refused.context["messages"]][0]
    client.force_login(ana)
    asked = client.post(f"{game.get_absolute_url()}analysis/", follow=True)
    assert asked.context["analysis"].found.pending is not None
    progress = client.get(f"{game.get_absolute_url()}analysis/", headers={"HX-Request": "true"})
    assert progress.context["analysis"].percent == 0
    make_analysis()
    reader = Client()
    page = reader.get(address(game))
    panel = page.context["analysis"]
    assert [balance.seat for balance in panel.balances] == [0, 1]
    assert panel.mistakes and b"better:" in page.content
    assert not reader.get(f"{address(game)}?analysis=off").context["analysis"].balances
    assert reader.get(panel.file_url).json() == LegAnalysis.objects.get().result_data
    lesson = reader.get(panel.learn_url).context["lesson"]
    guessed = reader.get(f"{panel.learn_url}?seat={lesson.seat}&guess={lesson.better.action}")
    assert guessed.context["lesson"].is_right
    assert guessed.context["origin"].replay_url == f"{address(game)}?view=all&turn="


def test_who_played_learns_from_the_own_seat(
    client: Client, ben: User, game: LiveGame, players: list[LivePlayer]
) -> None:
    request_live_analysis(player=players[0], game=game)
    make_analysis()
    client.force_login(ben)
    assert {row.seat for row in SeatAnalysis.objects.all() if row.mistakes} == {0, 1}
    learn = client.get(f"{game.get_absolute_url()}learn/")
    assert (learn.context["seat"], learn.context["origin"].title) == (1, "ana v ben")


def test_there_are_no_pages_of_it_while_the_game_is_played(client: Client, ana: User, running: LiveGame) -> None:
    client.force_login(ana)
    LegAnalysis.objects.create(live_game=running, state="done", function_version="0", finished_at=now())
    for name in ("analysis/", "analysis.json", "learn/", "replay/"):
        assert client.get(f"{running.get_absolute_url()}{name}").status_code == 404
    assert client.post(f"{running.get_absolute_url()}analysis/").status_code == 404
    path = f"/api/v1/live-games/{running.slug}/analysis/"
    assert client.get(path).status_code == client.post(path).status_code == 404


def test_the_api_requests_follows_and_reads_it(client: Client, ana: User, eva: User, game: LiveGame) -> None:
    path = f"/api/v1/live-games/{game.slug}/analysis/"
    missing = client.get(path)
    assert missing.status_code == 404 and "POST" in missing.json()["error"]["message"]
    assert client.post(path).status_code in (401, 403)
    client.force_login(eva)
    assert client.post(path).json()["error"]["code"] == "not_played"
    client.force_login(ana)
    requested = client.post(path)
    assert (requested.status_code, requested.json()["state"]) == (202, "waiting")
    assert make_analysis() is not None
    done = Client().get(path).json()
    assert (done["state"], done["progress"]) == ("done", 1.0)
    assert done["result"] == LegAnalysis.objects.get().result_data and client.post(path).status_code == 200


def test_a_coarse_pass_that_nobody_asked_for_waits_for_who_wants_more(
    game: LiveGame, players: list[LivePlayer], make_version: MakeVersion, house: User
) -> None:
    assert analyse_coarsely_unasked(player=players[0], game=game) is None, "no bot sits there"
    game.seats.filter(seat=1).update(user=None, version=make_version(house, "first"))
    assert analyse_coarsely_unasked(player=players[1], game=game) is None, "a stranger"
    made = analyse_coarsely_unasked(player=players[0], game=game)
    assert made is not None and made.line is WaitingLine.COARSE and made.requested_by is None
    make_analysis(seconds=0.0)
    made.refresh_from_db()
    assert made.state == "coarse" and not made.is_pending and find_analyses(game).shown is not None
    assert analyse_coarsely_unasked(player=players[0], game=game) == made
    assert not LegAnalysis.objects.in_full_pass().exists()
    asked = request_live_analysis(player=players[0], game=game)
    assert asked == made and asked.line is WaitingLine.FULL and asked.requested_by == players[0].user


def test_coarse_passes_that_nobody_asked_for_have_a_share(
    game: LiveGame, players: list[LivePlayer], make_version: MakeVersion, house: User, settings: Settings
) -> None:
    game.seats.filter(seat=1).update(user=None, version=make_version(house, "first"))
    settings.ANALYSIS_SHARE_PERCENT = 0
    assert analyse_coarsely_unasked(player=players[0], game=game) is None
    settings.ANALYSIS_SHARE_PERCENT = 25
    start_lesson(ends_at=now() + timedelta(hours=1))
    assert analyse_coarsely_unasked(player=players[0], game=game) is None
    assert not LegAnalysis.objects.exists()
    assert request_live_analysis(player=players[0], game=game).line is WaitingLine.COARSE


def read_review(game: LiveGame, user: User) -> Review | None:
    """Return what the end of a game says of it to a reader."""
    reader = Client()
    reader.force_login(user)
    page = reader.get(game.get_absolute_url())
    assert page.status_code == 200
    return page.context.get("review")


def test_the_end_shows_boards_of_the_turning_points_and_what_was_better(
    game: LiveGame, players: list[LivePlayer], ana: User, ben: User, eva: User
) -> None:
    request_live_analysis(player=players[0], game=game)
    make_analysis()
    won, lost = read_review(game, ana), read_review(game, ben)
    assert won is not None and lost is not None and read_review(game, eva) is None
    assert 0 < len(won.points) <= 3 and [one.step for one in won.points] == [one.step for one in lost.points]
    for point in won.points:
        assert point.picture.startswith('<svg class="miniature"') and point.better and point.gained >= 3
    assert any("Better for" in str(point.better) for point in won.points)
    assert won.chance_left is None and lost.chance_left is not None and 0 < lost.chance_left < 100
    for review in (won, lost):
        balance = review.balance
        assert [kind for kind, *_ in review.bar] == ["skill", "luck"]
        ends = sorted(place for _, _, left, width in review.bar for place in (left, left + width))
        assert {balance.start, balance.start + balance.total} <= set(ends) and 0 <= ends[0] <= ends[-1] <= 100


def test_its_figures_are_for_who_saw_the_deal_while_it_is_played_again(
    game: LiveGame, players: list[LivePlayer], ana: User, ben: User, eva: User
) -> None:
    """Of the other seat's hand not even they are told more than they saw."""
    request_live_analysis(player=players[0], game=game)
    make_analysis()
    before = read_review(game, ana)
    again = swap_seats(game=game, player=players[0], address="")
    review = read_review(game, ana)
    assert before is not None and review is not None and read_review(game, eva) is None
    assert review.balance == before.balance and [one.step for one in review.points] == [
        one.step for one in before.points
    ]
    for one, was in zip(review.points, before.points, strict=True):
        assert one.better == (was.better if one.step % 2 else "") and one.picture == was.picture
    for user in (ana, ben, eva):
        reader = Client()
        reader.force_login(user)
        assert b"replay/" not in reader.get(game.get_absolute_url()).content
        for name in ("analysis/", "analysis.json", "learn/", "replay/", "turn/3.png"):
            assert reader.get(f"{game.get_absolute_url()}{name}").status_code == 404
        assert reader.get(f"/api/v1/live-games/{game.slug}/analysis/").status_code == 404
    resign(game=again, player=players[0])
    assert Client().get(f"{game.get_absolute_url()}analysis.json").status_code == 200


def test_a_replay_is_as_its_player_saw_it_with_that_seat_below(game: LiveGame, ana: User, ben: User, eva: User) -> None:
    for user, onlooker, near in ((ana, 0, 0), (ben, 1, 1), (eva, None, 0)):
        reader = Client()
        reader.force_login(user)
        page = reader.get(address(game))
        assert (page.context["scene"].onlooker, page.context["board"].near) == (onlooker, near)
        rows = re.findall(r'class="seat-row seat-(\d)"', page.content.decode())
        assert rows == [str(1 - near), str(near)]
        assert reader.get(f"{address(game)}?view=all").context["scene"].onlooker is None


def test_a_link_to_a_replay_shows_its_decisive_turn_and_how_it_ended(game: LiveGame) -> None:
    reader = Client()
    page = reader.get(address(game))
    preview = page.context["preview"]
    turn = find_turn_to_show(play_back(game.record_data, None))
    assert preview.image == f"http://testserver{game.get_absolute_url()}turn/{turn}.png?view=all&result=on"
    assert preview.title == "ana v ben" and "ben resigned" in preview.description
    assert f'property="og:image" content="{escape(preview.image)}"' in page.content.decode()
    picture = reader.get(preview.image.removeprefix("http://testserver"))
    assert picture.content.startswith(b"\x89PNG") and picture["Cache-Control"] == "private, no-store"
    assert reader.get(f"{game.get_absolute_url()}turn/999.png").status_code == 404
