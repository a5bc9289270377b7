"""Samples of every language play whole live games in the sandbox of this machine, and so do bots with memory."""

from pathlib import Path
from random import Random

import pytest

from arena.bots.models import BotVersion
from arena.bots.services import add_version, create_bot, record_trial_result, store_build
from arena.matches.livegames.answering import answer_attempt, claim_answer, name_table
from arena.matches.livegames.models import LiveAttempt, LiveGame
from arena.matches.livegames.playing import PersonSeat
from arena.matches.livegames.position import LivePlayer
from arena.matches.runner_process import RunnerProcess
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from arena.runner.languages import LANGUAGES
from arena.runner.program import Program, read_program
from engine.replay import verify
from tests.arena.capabilities import able
from tests.arena.matches.livegames.conftest import Start, step
from tests.full import default_and_full

SAMPLES = Path(__file__).parents[4] / "bots" / "samples"
BATTLE_LINE = default_and_full(
    ["greedy", "languages/c"],
    [
        *("random", "brute", "careful", "marshal", "searcher", "languages/cpp", "languages/go", "languages/java"),
        *("languages/javascript", "languages/rust"),
    ],
)
BATTALION = default_and_full(["greedy"], ["random", "general", "languages/c"])

STATEFUL = b"""
import json, sys
hello, seen, turns = json.loads(sys.stdin.readline()), 0, 0
print(json.dumps({"type": "ready", "stateful": True}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        turns += 1
        seen += len(message["events"])
        legal = message["legal"]
        print(json.dumps({"action": legal[(turns + seen) % len(legal)], "note": str(turns)}), flush=True)
"""
"""It answers by the number of its turns and of all events that it was told, so an answer shows what it remembers."""
ANY = b"legal[(turns + seen) % len(legal)]"
RANDOM = STATEFUL.replace(b"import json, sys", b"import json, random, sys").replace(ANY, b"random.choice(legal)")
SEEDED = RANDOM.replace(b"for line in", b"random.seed(hello['seed'])\nfor line in", 1)


def store(owner: User, program: Program, runner: RunnerProcess, game: str) -> BotVersion:
    """Store a bot of the house's, built where its language is compiled."""
    if program.language not in runner.languages:
        runner.examine()  # the first report names Python alone
    if program.language not in runner.languages:
        pytest.skip(f"{program.language} is not on this machine")
    bot = create_bot(owner=owner, name="Sample", game=game)
    is_built = LANGUAGES[program.language].is_built
    waiting = BotVersion.State.BUILDING if is_built else BotVersion.State.ACCEPTED
    version = add_version(bot=bot, files=program.files, state=waiting)
    if is_built:
        built, log = runner.build(program)
        assert store_build(version=version, program=built, log=log)
        assert record_trial_result(version=version, fault=None)
        version.refresh_from_db()
    return version


def play_out(game: LiveGame, player: LivePlayer, runner: RunnerProcess, *, keeps: bool = True) -> LiveGame:
    """Play left, by any legal steps of the person, and check that no attempt failed and no bot has forfeited.

    With `keeps` the bot's process goes on from turn to turn; without, each turn has a fresh one.
    """
    rng = Random(4)
    while not game.is_over:
        if game.bot_to_act is None:
            game = step(game, player, rng=rng)
            continue
        attempt = claim_answer(game_id=game.pk, worker=this_worker(), capabilities=able(*runner.languages))
        assert attempt is not None and answer_attempt(attempt=attempt, answer=runner.answer_turn)
        if not keeps:
            runner.end_kept([name_table(game.pk, seat) for seat in range(2)])
        game.refresh_from_db()
    assert set(LiveAttempt.objects.values_list("ending", flat=True)) == {"stored"}
    assert set(game.seats.values_list("verdict", "fault")) == {("ok", None)}
    verify(game.record_data)
    return game


@pytest.mark.parametrize("name", BATTLE_LINE)
def test_a_sample_plays_battle_line(
    name: str, house: User, player: LivePlayer, start: Start, runner: RunnerProcess
) -> None:
    version = store(house, read_program(SAMPLES / name), runner, "battleline")
    play_out(start(version, PersonSeat.ME, edition="short"), player, runner)


@pytest.mark.parametrize("name", BATTALION)
def test_a_sample_plays_battalion(
    name: str, house: User, player: LivePlayer, start: Start, runner: RunnerProcess
) -> None:
    version = store(house, read_program(SAMPLES / name), runner, "battalion")
    play_out(start(version, PersonSeat.ME, game="battalion"), player, runner)


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("source", [STATEFUL, SEEDED])
def test_a_bot_with_memory_answers_as_if_it_had_never_ended(
    source: bytes, keeps: bool, house: User, player: LivePlayer, start: Start, runner: RunnerProcess
) -> None:
    version = store(house, Program("Sample", 1, {"bot.py": source}), runner, "battleline")
    game = play_out(start(version, PersonSeat.ME, edition="short"), player, runner, keeps=keeps)
    notes = [entry["note"] for entry in game.record_data["actions"] if "note" in entry]
    assert notes == [str(number) for number in range(1, len(notes) + 1)] and len(notes) > 10
    assert game.seats.get(seat=0).changed_answers == 0


def test_a_bot_with_memory_and_chance_changes_answers_and_plays_on(
    house: User, player: LivePlayer, start: Start, runner: RunnerProcess
) -> None:
    version = store(house, Program("Sample", 1, {"bot.py": RANDOM}), runner, "battleline")
    game = play_out(start(version, PersonSeat.ME, edition="short"), player, runner, keeps=False)
    assert game.seats.get(seat=0).changed_answers > 0
