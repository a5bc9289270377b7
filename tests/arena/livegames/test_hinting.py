"""Hints in practice games: who gets one, what it is made from, and what bounds them."""

from datetime import timedelta

import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.livegames import limits
from arena.livegames.errors import CannotStart, NoHint, NotSeated, NotYourTurn, StaleTable, TooManyHints
from arena.livegames.models import LiveGame, LiveHint
from arena.livegames.players import Player
from arena.livegames.queries.games import count_results
from arena.livegames.queries.hints import find_hint_asked
from arena.livegames.retention import list_expired_live_games
from arena.livegames.services.deciding import resign, undo_step
from arena.livegames.services.hinting import MAX_TRIES, make_hint, pick_hints_to_republish, request_hint
from arena.livegames.services.starting import Person, swap_seats
from engine.analysis.evaluators import find_evaluator
from engine.analysis.hint import find_hint
from tests.arena.livegames.conftest import Start, see, step
from tests.conftest import MakeVersion


@pytest.fixture
def game(start: Start) -> LiveGame:
    return start(has_hints=True, edition="short")


def ask(game: LiveGame, player: Player) -> LiveHint:
    return request_hint(game=game, player=player, at=see(game)[1])


def find_own_hint(game: LiveGame) -> LiveHint | None:
    game.refresh_from_db()
    return find_hint_asked(game, game.seats.get(seat=0))


def test_a_hint_is_what_the_engine_says_of_the_position(game: LiveGame, player: Player) -> None:
    hint = ask(game, player)
    assert hint.state == "waiting" and find_own_hint(game) == hint
    assert make_hint(hint_id=hint.pk) and not make_hint(hint_id=hint.pk)
    hint.refresh_from_db()
    evaluator = find_evaluator("battleline", "short")
    assert evaluator is not None
    found = find_hint(see(game)[0], evaluator)
    assert found is not None and found.second is not None and hint.result is not None
    assert [one["action"] for one in hint.result] == [found.best.action, found.second.action]
    assert hint.state == "done" and 0 < hint.cpu_s < 30
    assert ask(game, player) == hint


def test_two_deals_with_the_same_view_give_the_same_hint(game: LiveGame, start: Start, player: Player) -> None:
    other = start(has_hints=True, edition="short")
    own = see(game)[0].view(0)["hand"]
    hidden = [card for card in game.deal["troops"] if card not in own]
    dealt_anew = iter(reversed(hidden))
    troops = [card if card in own else next(dealt_anew) for card in game.deal["troops"]]
    LiveGame.objects.filter(pk=other.pk).update(deal=game.deal | {"troops": troops})
    other.refresh_from_db()
    assert see(other)[0].view(0) == see(game)[0].view(0) and see(other)[0].view(1) != see(game)[0].view(1)
    results = [make_hint_and_read(ask(one, player)) for one in (game, other)]
    assert results[0] is not None and results[0] == results[1]


def test_a_hint_is_for_one_position(game: LiveGame, player: Player) -> None:
    hint = ask(game, player)
    at = see(game)[1]
    step(game, player)
    assert find_own_hint(game) is None
    with pytest.raises(StaleTable):
        request_hint(game=game, player=player, at=at)
    assert not make_hint_and_read(hint), "the person has gone on"
    undo_step(game=game, player=player, at=see(game)[1])
    again = ask(game, player)
    assert again == hint and again.state == "waiting" and make_hint_and_read(again)


def make_hint_and_read(hint: LiveHint) -> object:
    make_hint(hint_id=hint.pk)
    hint.refresh_from_db()
    return hint.result


def test_it_is_for_who_is_to_decide(game: LiveGame, player: Player, ben: User) -> None:
    with pytest.raises(NotSeated):
        ask(game, Player(ben))
    step(game, player)
    step(game, player, "draw troop")
    game.refresh_from_db()
    assert game.bot_to_act is not None
    with pytest.raises(NotYourTurn):
        ask(game, player)


def test_games_without_hints_have_none(start: Start, player: Player, house_bot: BotVersion) -> None:
    with pytest.raises(NoHint):
        ask(start(), player)
    with pytest.raises(CannotStart, match="against bots"):
        start(Person.ME, Person.LINK, has_hints=True)
    with pytest.raises(CannotStart, match="No hint for this edition"):
        start(has_hints=True, options={"envelopment": 3})


def test_editions_without_a_value_function_say_so(
    start: Start, house: User, make_version: MakeVersion, player: Player
) -> None:
    bot = make_version(house, "second", game="battalion")
    with pytest.raises(CannotStart, match="No hint for this edition"):
        start(Person.ME, bot, game="battalion", has_hints=True)
    game = start(Person.ME, bot, game="battalion")
    LiveGame.objects.update(has_hints=True)
    with pytest.raises(NoHint, match="No hint for this edition"):
        ask(game, player)


def test_they_are_bounded(game: LiveGame, player: Player, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    hint = ask(game, player)
    LiveHint.objects.update(cpu_s=settings.MAX_LIVE_CPU_S_PER_ADDRESS)
    assert ask(game, player) == hint, "the one there is costs nothing"
    step(game, player)
    with pytest.raises(TooManyHints, match="Try again later"):
        ask(game, player)
    LiveHint.objects.update(created_at=now() - timedelta(hours=25))
    monkeypatch.setattr(limits, "MAX_HINTS_PER_GAME", 1)
    with pytest.raises(TooManyHints, match="1 hints"):
        ask(game, player)


def test_lost_ones_are_made_again(game: LiveGame, player: Player) -> None:
    hint = ask(game, player)
    assert pick_hints_to_republish() == []
    LiveHint.objects.update(published_at=now() - timedelta(minutes=1))
    assert pick_hints_to_republish() == [hint.pk] and pick_hints_to_republish() == []
    for _ in range(MAX_TRIES):
        LiveHint.objects.update(state="making", published_at=now() - timedelta(minutes=1))
        LiveHint.objects.update(tries=LiveHint.objects.get().tries + 1)
        picked = pick_hints_to_republish()
    assert picked == [] and LiveHint.objects.get().state == "failed"
    assert ask(game, player).state == "waiting"


def test_a_game_with_hints_is_practice(game: LiveGame, player: Player, house_bot: BotVersion, start: Start) -> None:
    resign(game=game, player=player)
    assert count_results(player, [house_bot.bot_id]) == {}
    game.refresh_from_db()
    assert swap_seats(game=game, player=player, address="").has_hints
    resign(game=start(), player=player)
    assert count_results(player, [house_bot.bot_id]) == {house_bot.bot_id: (0, 0, 1)}


def test_hints_are_removed_some_days_after_the_end(game: LiveGame, player: Player) -> None:
    ask(game, player)
    resign(game=game, player=player)
    expired = {one.kind: one.rows for one in list_expired_live_games(logs_before=now())}["hints of live games"]
    assert not expired.exists()
    LiveGame.objects.update(finished_at=now() - timedelta(days=3))
    assert expired.count() == 1
