"""Decisions of bots: claimed once, stored once, resumed after everything that can happen to a worker."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version
from arena.matches.attempts import AttemptLost
from arena.matches.livegames import answering
from arena.matches.livegames.answering import (
    answer_attempt,
    claim_answer,
    forget_kept,
    list_outdated_tables,
    list_waiting_turns,
    name_table,
    requeue_lost_answers,
    store_answer,
)
from arena.matches.livegames.models import LiveAttempt, LiveGame
from arena.matches.livegames.playing import PersonSeat, resign, swap_seats
from arena.matches.livegames.position import LivePlayer, fetch_entries
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from arena.runner.live_turn import TurnReport
from tests.arena.capabilities import able
from tests.arena.matches.livegames.conftest import AnswerAll, Start, see, step
from tests.conftest import EXITS_AT_ONCE, MakeVersion

PLAYED = {"seat": 0, "action": "", "ms": 1, "cpu_ms": 1, "note": "I know", "eval": 0.5}


@pytest.fixture
def game(start: Start, house_bot: BotVersion) -> LiveGame:
    """A game in which the bot begins."""
    return start(house_bot, PersonSeat.ME)


def claim(game: LiveGame, worker: str = "") -> LiveAttempt | None:
    return claim_answer(game_id=game.pk, worker=worker or this_worker(), capabilities=able())


def report(game: LiveGame, cpu_ms: float = 5.0) -> TurnReport:
    state, _ = see(game)
    action = next(iter(state.actions()))
    state.play(state.parse(action))
    return TurnReport([PLAYED | {"action": action}], None, "said\0", 900.0, cpu_ms, 2, to_act=state.to_act)


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
    assert claim_answer(game_id=game.pk, worker=this_worker(), capabilities=able("c")) is None
    assert claim_answer(game_id=game.pk + 1, worker=this_worker(), capabilities=able()) is None


def test_the_answer_of_a_dead_worker_comes_again(game: LiveGame, answer_all: AnswerAll) -> None:
    dead = this_worker().rsplit("/", 2)[0] + "/999999/1"
    lost = claim(game, dead)
    assert lost is not None and claim(game) is None
    assert requeue_lost_answers() == [game.pk]
    assert answer_all(game) == 1 and game.seat_to_act == 1
    with pytest.raises(AttemptLost):
        store_answer(attempt=lost, report=report(game))


def test_a_silent_worker_loses_the_decision(game: LiveGame) -> None:
    attempt = claim(game, "elsewhere/1/2/3")
    assert attempt is not None and requeue_lost_answers() == []
    LiveAttempt.objects.update(heartbeat_at=now() - timedelta(minutes=1))
    assert requeue_lost_answers() == [game.pk]
    assert list(LiveAttempt.objects.values_list("ending", flat=True)) == ["lost"]


def test_failures_of_ours_are_repeated_for_an_hour_and_end_the_game_without_a_result(game: LiveGame) -> None:
    def fails(spec: object, beat: object) -> TurnReport:
        raise RuntimeError("no disk")

    for number in range(1, 5):
        LiveAttempt.objects.filter(number=0).update(ended_at=now() - timedelta(minutes=61))
        attempt = claim(game)
        assert attempt is not None and not answer_attempt(attempt=attempt, answer=fails)
        game.refresh_from_db()
        is_resting = not LiveGame.objects.waiting_for_worker().exists()
        assert is_resting and (game.state == LiveGame.State.PLAYING) == (number < 4)
    assert game.state == LiveGame.State.VOID and "For an hour" in str(game.void_reason)
    assert set(game.seats.values_list("verdict", "fault")) == {("ok", None)}


def kept_report(game: LiveGame) -> TurnReport:
    return replace(report(game), is_kept=True)


class TestAKeptProcess:
    def test_is_known_by_its_worker_until_it_must_end(self, game: LiveGame, player: LivePlayer) -> None:
        attempt = claim(game, "here/1/2/3")
        assert attempt is not None and store_answer(attempt=attempt, report=kept_report(game))
        assert game.seats.get(seat=0).kept_by == "here/1/2/3"
        assert list_outdated_tables(worker="here/1/2/3") == []
        resign(game=game, player=player)
        assert list_outdated_tables(worker="here/1/2/3") == [name_table(game.pk, 0)]
        forget_kept(worker="here/1/2/3", tables=[name_table(game.pk, 0)])
        assert list_outdated_tables(worker="here/1/2/3") == [] and game.seats.get(seat=0).kept_by == ""

    def test_ends_when_its_bot_is_stopped_or_has_a_newer_version(self, game: LiveGame, house_bot: BotVersion) -> None:
        attempt = claim(game, "here/1/2/3")
        assert attempt is not None and store_answer(attempt=attempt, report=kept_report(game))
        Bot.objects.update(stopped_at=now())
        assert list_outdated_tables(worker="here/1/2/3") == [name_table(game.pk, 0)]
        Bot.objects.update(stopped_at=None)
        assert list_outdated_tables(worker="here/1/2/3") == []
        add_version(bot=house_bot.bot, files={"bot.py": b"# newer"}, state=BotVersion.State.ACCEPTED)
        assert list_outdated_tables(worker="here/1/2/3") == [name_table(game.pk, 0)]

    def test_is_not_kept_for_an_answer_that_is_discarded(self, game: LiveGame, player: LivePlayer) -> None:
        attempt, told = claim(game), kept_report(game)
        let_go: list[str] = []
        assert attempt is not None

        def answer(spec: object, beat: object) -> TurnReport:
            resign(game=game, player=player)
            return told

        answer_attempt(attempt=attempt, answer=answer, let_go=let_go.append)
        assert let_go == [name_table(game.pk, 0)] and game.seats.get(seat=0).kept_by == ""

    def test_must_end_before_the_same_deal_is_played_from_the_other_side(
        self, game: LiveGame, player: LivePlayer
    ) -> None:
        attempt = claim(game, "here/1/2/3")
        assert attempt is not None and store_answer(attempt=attempt, report=kept_report(game))
        resign(game=game, player=player)
        other = swap_seats(game=game, player=player, address="")
        step_until_bot(other, player)
        assert claim(other, "there/1/2/3") is None
        forget_kept(worker="here/1/2/3", tables=list_outdated_tables(worker="here/1/2/3"))
        assert claim(other, "there/1/2/3") is not None

    def test_leads_the_turn_to_the_worker_that_has_it(self, game: LiveGame, player: LivePlayer) -> None:
        attempt = claim(game, "here/1/2/3")
        assert attempt is not None and store_answer(attempt=attempt, report=kept_report(game))
        step_until_bot(game, player)
        assert list_turns("here/1/2/3") == ([game.pk], False)
        assert list_turns("there/1/2/3") == ([], True)
        LiveGame.objects.update(decided_at=now() - timedelta(seconds=2))
        assert list_turns("there/1/2/3") == ([game.pk], False), "the other one is too busy"


def list_turns(worker: str) -> tuple[list[int], bool]:
    turns, are_some_left = list_waiting_turns(worker=worker, capabilities=able())
    return [turn.game for turn in turns], are_some_left


def step_until_bot(game: LiveGame, player: LivePlayer) -> None:
    game.refresh_from_db()
    while game.bot_to_act_id is None:
        step(game, player)
        game.refresh_from_db()


def test_the_shortest_turn_comes_first(
    start: Start, house: User, make_version: MakeVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {}
    games = []
    for name, expected in (("slow", 4.0), ("unknown", None), ("quick", 0.01)):
        version = make_version(house, name)
        seconds[version.pk] = expected
        games.append(start(version, PersonSeat.ME).pk)
    monkeypatch.setattr(answering, "estimate_turn_seconds", seconds.__getitem__)
    turns, _ = list_waiting_turns(worker=this_worker(), capabilities=able())
    assert [turn.game for turn in turns] == [games[2], games[1], games[0]]
    assert [turn.is_long for turn in turns] == [False, True, True]


def test_a_bot_that_fails_forfeits(
    start: Start, house: object, make_version: MakeVersion, answer_all: AnswerAll
) -> None:
    game = start(make_version(house, "broken", EXITS_AT_ONCE), PersonSeat.ME)
    answer_all(game)
    assert game.is_over and game.reason == "start"
    bot, person = game.seats.all()
    assert (bot.verdict, bot.place, person.place) == ("start", 2, 1)
    assert "I give up" in bot.stderr and bot.fault["message"]
    assert game.record_data["actions"] == [{"seat": 0, "action": "forfeit", "verdict": "start"}]


def test_an_answer_after_the_person_has_left_changes_nothing(game: LiveGame, player: LivePlayer) -> None:
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
    assert game.state == LiveGame.State.VOID and "used 1 minutes of computing time" in str(game.void_reason)
