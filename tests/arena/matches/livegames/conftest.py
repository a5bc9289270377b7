"""People, bots and tables for tests of live games."""

from collections.abc import Callable
from random import Random

import pytest

from arena.bots.models import BotVersion
from arena.matches.livegames.answering import answer_attempt, claim_answer
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, read_live_table, start_live_game, take_step
from arena.matches.livegames.position import LivePlayer
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from arena.runner.live_turn import answer_turn
from arena.runner.sandbox.base import Sandbox
from engine.core import State
from tests.arena.capabilities import able
from tests.conftest import MakeVersion

AnswerAll = Callable[[LiveGame], int]
Start = Callable[..., LiveGame]


@pytest.fixture
def player(ana: User) -> LivePlayer:
    return LivePlayer(ana)


@pytest.fixture
def house_bot(house: User, make_version: MakeVersion) -> BotVersion:
    return make_version(house, "first")


@pytest.fixture
def start(player: LivePlayer, house_bot: BotVersion) -> Start:
    """Start a game of Ana against the house's bot."""

    def start(*seats: BotVersion | PersonSeat, game: str = "battleline", **more: object) -> LiveGame:
        sitting = Sitting(game, seats or (PersonSeat.ME, house_bot), **more)  # type: ignore[arg-type]
        return start_live_game(player=player, sitting=sitting, address="192.0.2.7")

    return start


@pytest.fixture
def answer_all(bare: Sandbox) -> AnswerAll:
    """Have bots decide until a person is to act, and return how often that was."""

    def answer(game: LiveGame) -> int:
        count = 0
        while attempt := claim_answer(game_id=game.pk, worker=this_worker(), capabilities=able()):
            assert answer_attempt(attempt=attempt, answer=lambda spec, beat: answer_turn(spec, bare, beat))
            count += 1
        game.refresh_from_db()
        return count

    return answer


def see(game: LiveGame) -> tuple[State, int]:
    """Return the state with the draft of whoever is to act, and how many decisions there are then."""
    table = read_live_table(game, LivePlayer())
    table.own = None if game.seat_to_act is None else table.seats[game.seat_to_act]
    return table.state, len(table.entries)


def step(game: LiveGame, player: LivePlayer, action: str | None = None, *, rng: Random | None = None) -> LiveGame:
    """Take this step, or any legal one."""
    state, at = see(game)
    actions = list(state.actions())
    chosen = action or actions[int(rng.random() * len(actions)) if rng else 0]
    return take_step(slug=game.slug, player=player, action=chosen, at=at).game
