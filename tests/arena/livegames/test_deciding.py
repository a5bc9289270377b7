"""Decisions of people: drafts, stored steps, and everything that may not happen."""

import zlib
from datetime import timedelta
from random import Random

import orjson
import pytest
from django.utils.timezone import now

from arena.accounts.models import User
from arena.livegames.errors import ForbiddenAction, GameOver, NotSeated, NotYourTurn, StaleTable, TooManyDecisions
from arena.livegames.models import LiveDecision, LiveGame
from arena.livegames.players import Player
from arena.livegames.position import fetch_entries
from arena.livegames.services.deciding import abandon_idle_games, resign, take_step, undo_step
from arena.livegames.services.starting import Person
from engine.replay import verify
from tests.arena.livegames.conftest import AnswerAll, Start, see, step


def draft(game: LiveGame) -> list[str]:
    return [entry["action"] for entry in game.seats.get(seat=0).draft]


def test_a_card_on_a_flag_can_be_taken_back_until_a_card_is_drawn(start: Start, player: Player) -> None:
    game = start()
    step(game, player)
    assert len(draft(game)) == 1 and not game.stored_decisions.exists()
    undo_step(game=game, player=player, at=1)
    assert draft(game) == []
    step(game, player)
    game = step(game, player, "draw troop")
    assert draft(game) == []
    assert [entry["action"] for entry in fetch_entries(game)][1] == "draw troop"
    assert game.bot_to_act is not None
    with pytest.raises(NotYourTurn):
        undo_step(game=game, player=player, at=2)


def test_there_is_nothing_to_take_back_at_first(start: Start, player: Player) -> None:
    with pytest.raises(StaleTable, match="nothing to take back"):
        undo_step(game=start(), player=player, at=0)


def test_a_step_that_is_sent_twice_is_taken_once(start: Start, player: Player) -> None:
    game = start()
    action = list(see(game)[0].actions())[0]
    for _ in range(2):
        take_step(game=game, player=player, action=action, at=0)
    assert draft(game) == [action]
    for _ in range(2):
        take_step(game=game, player=player, action="draw troop", at=1)
    game.refresh_from_db()
    assert [entry["action"] for entry in fetch_entries(game)[:2]] == [action, "draw troop"]


def test_a_step_on_an_old_page_changes_nothing(start: Start, player: Player) -> None:
    game = start()
    one, other = list(see(game)[0].actions())[:2]
    take_step(game=game, player=player, action=one, at=0)
    with pytest.raises(StaleTable, match="has gone on"):
        take_step(game=game, player=player, action=other, at=0)
    assert draft(game) == [one]


def test_the_rules_say_why_an_action_is_refused(start: Start, player: Player) -> None:
    game = start()
    with pytest.raises(ForbiddenAction, match="BL-"):
        take_step(game=game, player=player, action="claim 3", at=0)
    with pytest.raises(ForbiddenAction):
        take_step(game=game, player=player, action="<b>", at=0)
    assert draft(game) == []


def test_nobody_else_may_play_it(start: Start, ben: User) -> None:
    for stranger in (Player(ben), Player(), Player.of_secret(None, "s")):
        with pytest.raises(NotSeated):
            take_step(game=start(), player=stranger, action="draw troop", at=0)


def test_a_guest_has_a_seat_by_a_secret(start: Start, house_bot: object) -> None:
    guest = Player.of_secret(None, "a long secret")
    game = start()
    game.seats.filter(seat=0).update(user=None, guest=guest.guest)
    step(game, guest)
    assert len(draft(game)) == 1 and "long" not in guest.guest


@pytest.mark.parametrize("edition", ["short", pytest.param("hundred-years", marks=pytest.mark.full)])
def test_a_game_is_played_to_its_end_and_its_record_verified(
    start: Start, player: Player, answer_all: AnswerAll, edition: str
) -> None:
    rng, game = Random(5), start(edition=edition)
    while not game.is_over:
        game = step(game, player, rng=rng)
        answer_all(game)
    assert game.state == LiveGame.State.FINISHED and game.record is not None
    record = orjson.loads(zlib.decompress(game.record))
    verify(record)
    assert [seat["kind"] for seat in record["seats"]] == ["person", "bot"]
    assert record["seats"][0]["name"] == "ana" and "seed" in record["seats"][1]
    assert game.seats.get(seat=1).place == record["result"]["places"][1]
    assert [entry["action"] for entry in record["actions"]] == [e["action"] for e in fetch_entries(game)]
    with pytest.raises(GameOver):
        take_step(game=game, player=player, action="pass", at=game.decisions)


def test_whoever_resigns_has_lost_and_no_fault(start: Start, player: Player) -> None:
    game = start()
    step(game, player)
    resign(game=game, player=player)
    game.refresh_from_db()
    assert game.is_over and game.reason == "resigned"
    assert fetch_entries(game) == [{"seat": 0, "action": "forfeit", "reason": "resigned"}]
    assert list(game.seats.values_list("place", "verdict", "draft")) == [(2, "ok", []), (1, "ok", [])]
    verify(game.record_data)
    with pytest.raises(GameOver):
        resign(game=game, player=player)


def test_who_stays_away_for_a_day_has_left(start: Start) -> None:
    game, table, fresh = start(), start(Person.ME, Person.LINK), start()
    LiveGame.objects.exclude(pk=fresh.pk).update(decided_at=now() - timedelta(hours=25))
    assert abandon_idle_games() == [game.pk]
    assert set(LiveGame.objects.values_list("pk", "state")) == {(game.pk, "finished"), (fresh.pk, "playing")}
    assert not LiveGame.objects.filter(pk=table.pk).exists()
    assert LiveGame.objects.get(pk=game.pk).reason == "abandoned"


def test_decisions_of_a_minute_are_limited(start: Start, player: Player, settings: object) -> None:
    settings.MAX_LIVE_DECISIONS_PER_MINUTE = 2  # type: ignore[attr-defined]
    game = start()
    LiveDecision.objects.bulk_create(LiveDecision(game=game, number=n, entry={}) for n in (90, 91))
    with pytest.raises(TooManyDecisions):
        take_step(game=game, player=player, action="draw troop", at=0)
