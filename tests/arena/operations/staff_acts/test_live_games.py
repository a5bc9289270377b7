"""Live games with bots that are stopped: they end at once without a result, and the person is told why."""

import pytest
from django.test import Client

from arena.bots.models import Bot, BotVersion
from arena.matches.lifecycle import end_games_of_stopped_bots
from arena.matches.livegames.answering import claim_answer, store_answer
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import PersonSeat, resign, swap_seats
from arena.matches.livegames.position import CannotStart, LivePlayer
from arena.matches.livegames.queries import count_results
from arena.matches.workers import this_worker
from arena.operations.staff_acts import BanAuthor, RemoveFiles, SuspendAuthor
from arena.people.accounts.models import User
from arena.runner.live_turn import TurnReport
from tests.arena.capabilities import able
from tests.arena.matches.livegames.conftest import Start, see
from tests.arena.matches.livegames.conftest import house_bot as house_bot
from tests.arena.matches.livegames.conftest import player as player
from tests.arena.matches.livegames.conftest import start as start
from tests.arena.operations.staff_acts.conftest import Do
from tests.conftest import MakeVersion


@pytest.fixture
def heron(ben: User, make_version: MakeVersion) -> BotVersion:
    """Return a version of Ben's bot, which everybody may play."""
    version = make_version(ben, "Heron")
    Bot.objects.filter(pk=version.bot_id).update(played_by=Bot.PlayedBy.EVERYBODY)
    return version


@pytest.fixture
def game(start: Start, heron: BotVersion) -> LiveGame:
    """Start a game of Ana in which Ben's bot is to decide."""
    return start(heron, PersonSeat.ME)


@pytest.fixture
def other(start: Start) -> LiveGame:
    """Start a game of Ana against the house's bot."""
    return start()


@pytest.mark.parametrize("act", [SuspendAuthor, BanAuthor])
def test_games_with_bots_of_a_suspended_author_end_without_a_result(
    act: type[SuspendAuthor], game: LiveGame, other: LiveGame, ben: User, player: LivePlayer, do: Do
) -> None:
    assert "1 live game ended" in do(act(ben))
    game.refresh_from_db()
    other.refresh_from_db()
    assert (game.state, game.seat_to_act, game.bot_to_act, other.state) == ("void", None, None, "playing")
    assert "staff stopped Heron" in str(game.void_reason)
    bot = game.seats.get(seat=0)
    assert (bot.place, bot.verdict) == (None, "ok") and count_results(player, [bot.version.bot_id]) == {}


def test_games_with_removed_files_end_without_a_result(
    game: LiveGame, heron: BotVersion, ana: User, client: Client, do: Do
) -> None:
    assert "1 live game ended" in do(RemoveFiles(heron.bot))
    client.force_login(ana)
    page = client.get(game.get_absolute_url())
    assert b"removed the files of Heron" in page.content and b"No result" in page.content
    late = client.post(f"{game.get_absolute_url()}step/", {"action": "draw troop", "at": 1})
    assert late.status_code == 409 and "finished" in late.context["notice"]


def test_a_table_that_polls_is_loaded_again(game: LiveGame, ben: User, ana: User, client: Client, do: Do) -> None:
    client.force_login(ana)
    tag = client.get(game.get_absolute_url()).context["table"].tag
    do(SuspendAuthor(ben))
    polled = client.get(f"{game.get_absolute_url()}?known={tag}", headers={"HX-Request": "true"})
    assert polled["HX-Refresh"] == "true"


def test_an_answer_that_was_being_thought_of_changes_nothing(game: LiveGame, ben: User, do: Do) -> None:
    attempt = claim_answer(game_id=game.pk, worker=this_worker(), capabilities=able())
    assert attempt is not None
    action = next(iter(see(game)[0].actions()))
    do(SuspendAuthor(ben))
    played = {"seat": 0, "action": action, "ms": 1, "cpu_ms": 1}
    store_answer(attempt=attempt, report=TurnReport([played], None, "", 900.0, 5.0, 0))
    game.refresh_from_db()
    assert (game.state, game.decisions) == ("void", 0)


def test_a_bot_that_is_stopped_while_a_game_begins_is_found_later(game: LiveGame, ben: User) -> None:
    assert end_games_of_stopped_bots() == 0
    User.objects.filter(pk=ben.pk).update(suspended_at=game.created_at)
    assert (end_games_of_stopped_bots(), end_games_of_stopped_bots()) == (1, 0)


def test_no_game_with_it_is_begun_again(game: LiveGame, player: LivePlayer, ben: User, do: Do) -> None:
    resign(game=game, player=player)
    do(SuspendAuthor(ben))
    with pytest.raises(CannotStart, match="can't be played"):
        swap_seats(game=game, player=player, address="192.0.2.7")
