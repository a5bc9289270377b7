"""Decisions of bots: claimed once, stored once, resumed after everything that can happen to a worker."""

from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.livegames.answer import answer_attempt
from arena.livegames.models import LiveAttempt, LiveGame
from arena.livegames.players import Player
from arena.livegames.position import fetch_entries
from arena.livegames.services.answering import (
    claim_answer,
    pick_games_to_republish,
    requeue_lost_answers,
    store_answer,
)
from arena.livegames.services.deciding import resign
from arena.livegames.services.starting import Person
from arena.matches.services import AttemptLost
from arena.matches.workers import this_worker
from arena.runner.live_turn import TurnReport
from tests.arena.livegames.conftest import AnswerAll, Start, see
from tests.conftest import EXITS_AT_ONCE, MakeVersion

PLAYED = {"seat": 0, "action": "", "ms": 1, "cpu_ms": 1, "note": "I know", "eval": 0.5}


@pytest.fixture
def game(start: Start, house_bot: BotVersion) -> LiveGame:
    """A game in which the bot begins."""
    return start(house_bot, Person.ME)


def claim(game: LiveGame, worker: str = "") -> LiveAttempt | None:
    return claim_answer(game_id=game.pk, worker=worker or this_worker(), languages={"python"})


def report(game: LiveGame, cpu_ms: float = 5.0) -> TurnReport:
    action = next(iter(see(game)[0].actions()))
    return TurnReport([PLAYED | {"action": action}], None, "said\0", 900.0, cpu_ms, 2)


def test_one_worker_at_a_time_has_a_decision(game: LiveGame) -> None:
    assert claim(game) is not None
    assert claim(game) is None


def test_a_decision_is_stored_once(game: LiveGame) -> None:
    attempt = claim(game)
    assert attempt is not None
    told = report(game)
    store_answer(attempt=attempt, report=told)
    with pytest.raises(AttemptLost):
        store_answer(attempt=attempt, report=told)
    game.refresh_from_db()
    assert game.decisions == 1 and fetch_entries(game)[0]["note"] == "I know"
    seat = game.seats.get(seat=0)
    assert (seat.bank_ms, seat.changed_answers) == (900.0, 2) and "\0" not in seat.stderr


def test_who_has_not_the_language_leaves_it_to_others(game: LiveGame) -> None:
    assert claim_answer(game_id=game.pk, worker=this_worker(), languages={"c"}) is None
    assert claim_answer(game_id=game.pk + 1, worker=this_worker(), languages={"python"}) is None


def test_the_answer_of_a_dead_worker_comes_again(game: LiveGame, answer_all: AnswerAll) -> None:
    dead = this_worker().rsplit("/", 2)[0] + "/999999/1"
    lost = claim(game, dead)
    assert lost is not None and claim(game) is None
    assert requeue_lost_answers(game.pk) == [game.pk]
    assert answer_all(game) == 1 and game.seat_to_act == 1
    with pytest.raises(AttemptLost):
        store_answer(attempt=lost, report=report(game))


def test_a_silent_worker_loses_the_decision(game: LiveGame) -> None:
    attempt = claim(game, "elsewhere/1/2/3")
    assert attempt is not None and requeue_lost_answers() == []
    LiveAttempt.objects.update(heartbeat_at=now() - timedelta(minutes=1))
    assert requeue_lost_answers() == [game.pk]
    assert list(LiveAttempt.objects.values_list("ending", flat=True)) == ["lost"]


def test_lost_messages_are_sent_again(game: LiveGame) -> None:
    assert pick_games_to_republish() == []
    LiveGame.objects.update(published_at=now() - timedelta(minutes=1))
    assert pick_games_to_republish() == [game.pk] and pick_games_to_republish() == []


def test_three_failures_of_ours_end_a_game_without_a_result(game: LiveGame, player: Player) -> None:
    def fails(spec: object, beat: object) -> TurnReport:
        raise RuntimeError("no disk")

    for _ in range(3):
        attempt = claim(game)
        assert attempt is not None and not answer_attempt(attempt=attempt, answer=fails)
    game.refresh_from_db()
    assert game.state == LiveGame.State.VOID and "3 times" in str(game.void_reason)
    assert set(game.seats.values_list("verdict", "fault")) == {("ok", None)}


def test_a_bot_that_fails_forfeits(
    start: Start, house: object, make_version: MakeVersion, answer_all: AnswerAll
) -> None:
    game = start(make_version(house, "broken", EXITS_AT_ONCE), Person.ME)
    answer_all(game)
    assert game.is_over and game.reason == "start"
    bot, person = game.seats.all()
    assert (bot.verdict, bot.place, person.place) == ("start", 2, 1)
    assert "I give up" in bot.stderr and bot.fault["message"]
    assert game.record_data["actions"] == [{"seat": 0, "action": "forfeit", "verdict": "start"}]


def test_an_answer_after_the_person_has_left_changes_nothing(game: LiveGame, player: Player) -> None:
    attempt, told = claim(game), report(game)
    assert attempt is not None
    resign(game=game, player=player)
    store_answer(attempt=attempt, report=told)
    game.refresh_from_db()
    assert game.reason == "resigned" and game.decisions == 1


def test_bots_compute_no_longer_than_allowed(game: LiveGame, settings: object) -> None:
    settings.MAX_LIVE_CPU_S_PER_GAME = 60  # type: ignore[attr-defined]
    attempt = claim(game)
    assert attempt is not None
    store_answer(attempt=attempt, report=report(game, cpu_ms=61_000))
    game.refresh_from_db()
    assert game.state == LiveGame.State.VOID and "computed for 1 minutes" in str(game.void_reason)
