"""The contract of a game, kept by every game and edition in the registry."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract.checks import CHECKS, check_refusal, check_secret_actions
from engine.contract.errors import ContractError
from engine.contract.plays import Subject
from engine.core import Game
from engine.registry import GAMES, UnknownGame, find_game
from tests.engine.facts import find_facts
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION, begin, how_many, run
from tests.full import examples, is_full_run

PLAYS = how_many(20 if is_full_run() else 6)
each_edition = pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)


def subject_of(game: Game, edition: str) -> Subject:
    return Subject(game, edition, PLAYS, find_facts(game.key).explained_texts)


@pytest.mark.parametrize("name", CHECKS)
@each_edition
def test_the_contract_is_kept(game: Game, edition: str, name: str) -> None:
    CHECKS[name](subject_of(game, edition))


@pytest.mark.parametrize("game", [game for game in GAMES.values() if game.secret_actions], ids=lambda game: game.key)
def test_a_redeal_that_only_copies_is_refused(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    edition = next(iter(game.editions))
    monkeypatch.setattr(type(begin(game, edition, 0)), "redeal", lambda state, seat, rng: state.copy())
    with pytest.raises(ContractError, match="deal anew what"):
        check_secret_actions(subject_of(game, edition))


WORDS = [text.split() for game in GAMES.values() for text in (*find_facts(game.key).explained_texts, "forfeit ?")]
TOKENS = st.sampled_from(
    sorted({word for words in WORDS for word in words} | set("0 -1 1.0 1e0 ١ = / , : ? '".split()))
)
JUNK = st.one_of(
    st.text(),
    st.lists(TOKENS, max_size=6).map(" ".join),
    st.lists(st.one_of(TOKENS, st.text(max_size=3)), max_size=6).map(" ".join),
    st.builds(lambda word, count: f"{word} {' '.join([word] * count)}", TOKENS, st.integers(0, 30_000)),
)


@each_edition
@examples(60, 400)
@given(junk=JUNK, seed=st.integers(0, 60), plies=st.integers(0, 120))
def test_whatever_a_bot_says_is_legal_or_refused_in_words(
    game: Game, edition: str, junk: str, seed: int, plies: int
) -> None:
    state = subject_of(game, edition).play(seed, plies)
    rng = Random(seed)
    for text in (junk, find_facts(game.key).write_any_action(rng, state), add_junk(state, junk, rng)):
        check_refusal(state, text)


def add_junk(state, junk: str, rng: Random) -> str:
    """Return a legal action one word of which is something else."""
    words = (list(state.actions()) or ["pass"])[0].split()
    words[rng.randrange(len(words))] = junk
    return " ".join(words)


@each_edition
def test_explanations_are_plain_json(game: Game, edition: str) -> None:
    for seed in range(PLAYS // 2):
        for state in run(begin(game, edition, seed), Random(seed)):
            for text in (*state.actions(), *find_facts(game.key).explained_texts):
                said = state.explain(text)
                assert json.loads(json.dumps(said)) == said


def test_a_game_is_found_by_its_key_or_refused_with_a_list() -> None:
    for key, game in GAMES.items():
        assert find_game(key) is game and game.key == key and game.editions
    with pytest.raises(UnknownGame, match=next(iter(GAMES))):
        find_game("no-such-game")
