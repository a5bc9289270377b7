"""People, bots and tables for tests of live games."""

from collections.abc import Callable
from random import Random

import pytest

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.livegames.answer import answer_attempt
from arena.livegames.models import LiveGame
from arena.livegames.players import Player
from arena.livegames.position import build_state, fetch_entries
from arena.livegames.services.answering import claim_answer
from arena.livegames.services.deciding import take_step
from arena.livegames.services.starting import Person, Sitting, start_live_game
from arena.matches.workers import this_worker
from arena.runner.live_turn import answer_turn
from arena.runner.sandbox import Sandbox
from engine.core import State
from tests.conftest import MakeVersion

AnswerAll = Callable[[LiveGame], int]
Start = Callable[..., LiveGame]


@pytest.fixture
def player(ana: User) -> Player:
    return Player(ana)


@pytest.fixture
def house_bot(house: User, make_version: MakeVersion) -> BotVersion:
    return make_version(house, "first")


@pytest.fixture
def start(player: Player, house_bot: BotVersion) -> Start:
    """Start a game of Ana against the house's bot."""

    def start(*seats: BotVersion | Person, game: str = "battleline", **more: object) -> LiveGame:
        sitting = Sitting(game, seats or (Person.ME, house_bot), **more)  # type: ignore[arg-type]
        return start_live_game(player=player, sitting=sitting, address="192.0.2.7")

    return start


@pytest.fixture
def answer_all(bare: Sandbox) -> AnswerAll:
    """Have bots decide until a person is to act, and return how often that was."""

    def answer(game: LiveGame) -> int:
        count = 0
        while attempt := claim_answer(game_id=game.pk, worker=this_worker(), languages={"python"}):
            assert answer_attempt(attempt=attempt, answer=lambda spec, beat: answer_turn(spec, bare, beat))
            count += 1
        game.refresh_from_db()
        return count

    return answer


def see(game: LiveGame) -> tuple[State, int]:
    """Return the state with the draft of whoever is to act, and how many decisions there are then."""
    seats = list(game.seats.all())
    entries = fetch_entries(game)
    if game.seat_to_act is not None:
        entries += seats[game.seat_to_act].draft
    return build_state(game, len(seats), entries), len(entries)


def step(game: LiveGame, player: Player, action: str | None = None, *, rng: Random | None = None) -> LiveGame:
    """Take this step, or any legal one."""
    state, at = see(game)
    actions = list(state.actions())
    chosen = action or actions[int(rng.random() * len(actions)) if rng else 0]
    return take_step(game=game, player=player, action=chosen, at=at)
