"""The contract of a game, kept by every game and edition in the registry."""

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import BadDeal, Game, IllegalAction, Json, MalformedAction, State
from engine.options import BadOptions
from engine.registry import GAMES, UnknownGame, find_game
from tests.engine.facts import find_facts
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION, any_move, begin, how_many, play_out, run
from tests.full import examples

PLAYS = how_many(40)
MIN_SHARE_REDEALT = 0.75
"""Of the actions that hide something, at least so many leave a choice."""
each_edition = pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)


@each_edition
def test_random_plays_end_with_an_outcome(game: Game, edition: str) -> None:
    for seed in range(PLAYS):
        state = play_out(begin(game, edition, seed), Random(seed))
        assert state.outcome is not None and state.to_act is None
        assert list(state.moves()) == [] and state.forced() is None
        assert len(state.outcome.places) == len(state.outcome.scores) == state.seats
        assert min(state.outcome.places) == 1 and state.outcome.reason
        with pytest.raises((IllegalAction, MalformedAction)):
            state.parse("pass")


@each_edition
def test_while_a_play_goes_on_there_are_legal_moves_each_once_and_each_is_its_words(game: Game, edition: str) -> None:
    for seed in range(PLAYS):
        for state in run(begin(game, edition, seed), Random(seed)):
            if state.to_act is None:
                continue
            moves = list(state.moves())
            texts = [state.text(move) for move in moves]
            assert moves and len(set(moves)) == len(moves) and len(set(texts)) == len(texts)
            assert [state.parse(text) for text in texts] == moves
            assert all(text == " ".join(text.split()) for text in texts), "words separated by single spaces"
            alone = len(moves) == 1 and state.open_grammar is None
            assert state.forced() == (moves[0] if alone else None)


@each_edition
def test_plies_and_the_log_grow_by_what_is_played(game: Game, edition: str) -> None:
    for seed in range(PLAYS // 4):
        rng, state = Random(seed), begin(game, edition, seed)
        while state.to_act is not None:
            ply, length, seat = state.ply, state.log_length, state.to_act
            move = any_move(state, rng)
            text = state.text(move)
            state.play(move)
            assert state.ply == ply + 1 and state.log_length > length
            told = state.events(None, length)[0]
            assert (told["seat"], told["action"]) == (seat, text)
            assert state.events(seat, length)[0] == told


@each_edition
def test_a_copy_and_its_original_go_their_own_ways(game: Game, edition: str) -> None:
    for seed in range(PLAYS // 2):
        rng, state = Random(seed), begin(game, edition, seed)
        for _ in range(rng.randint(0, 40)):
            if state.to_act is not None:
                state.play(any_move(state, rng))
        before = portrait(state)
        twin = state.copy()
        assert portrait(twin) == before
        play_out(twin, rng)
        assert portrait(state) == before
        after = portrait(twin)
        play_out(state, rng)
        assert portrait(twin) == after


def portrait(state: State) -> str:
    """All that can be asked of a state."""
    seats = range(state.seats)
    asked = [
        [state.view(seat) for seat in seats],
        [state.events(seat) for seat in (None, *seats)],
        [state.text(move) for move in state.moves()],
        [state.to_act, state.ply, state.log_length, str(state.outcome)],
    ]
    return json.dumps(asked, sort_keys=True)


@each_edition
def test_views_and_events_are_plain_json(game: Game, edition: str) -> None:
    for seed in range(PLAYS // 4):
        for state in run(begin(game, edition, seed), Random(seed)):
            for seat in range(state.seats):
                view = state.view(seat)
                assert json.loads(json.dumps(view)) == view
                told = state.events(seat)
                assert json.loads(json.dumps(told)) == told
        assert state.events(None, state.log_length) == []


@each_edition
def test_events_since_a_position_are_the_rest_of_all_events(game: Game, edition: str) -> None:
    state = play_out(begin(game, edition, 3), Random(3))
    for seat in (None, *range(state.seats)):
        whole = state.events(seat)
        for since in range(state.log_length + 1):
            rest = state.events(seat, since)
            assert rest == (whole[-len(rest) :] if rest else [])


@each_edition
def test_a_forfeit_ends_a_play_of_two(game: Game, edition: str) -> None:
    for seat in (0, 1):
        state = begin(game, edition, 0)
        assert state.seats == 2
        state.forfeit(seat, "timeout")
        assert state.outcome is not None and state.outcome.places[seat] == 2
        assert state.outcome.reason == "timeout" and state.to_act is None
        assert state.ply == 1
        assert state.events(1 - seat)[-1] == {"seat": seat, "action": "forfeit", "verdict": "timeout"}


@each_edition
def test_with_more_seats_who_forfeits_is_out_and_the_others_play_on(game: Game, edition: str) -> None:
    for seed, seats in enumerate(game.seats):
        if seats == 2:
            continue
        for plies in (0, 1, seats, 20, 40):
            state = played(game, edition, seed, plies)
            out = state.to_act
            if out is None or state.seats != seats:
                continue
            ply, length = state.ply, state.log_length
            state.forfeit(out, "timeout")
            assert state.ply == ply + 1 and state.to_act != out
            forfeited = {"seat": out, "action": "forfeit", "verdict": "timeout"}
            assert all(state.events(seat, length)[0] == forfeited for seat in (None, *range(seats)))
            asked = {after.to_act for after in run(state, Random(plies))}
            assert out not in asked and state.outcome is not None and state.outcome.reason != "timeout"
            still_in = [seat for seat in range(seats) if not state.is_out(seat)]
            assert all(state.outcome.places[seat] < state.outcome.places[out] for seat in still_in)


@each_edition
def test_every_number_of_seats_is_played_by_these_tests_and_no_other_is_dealt(game: Game, edition: str) -> None:
    assert {begin(game, edition, seed).seats for seed in range(len(game.seats))} == set(game.seats)
    options = game.options(edition)
    for seats in (0, 1, game.seats[-1] + 1):
        with pytest.raises(BadDeal):
            game.start(options, seats, game.deal(options, game.seats[0], Random(1)))


WORDS = st.sampled_from(
    "claim play scout redeploy deserter traitor pass draw done return discard troop tactic leader-1 mud remove pick "
    "lay river castle up down R1 R10 P7 S1 D10 Z1 r1 0 1 5 9 10 -1 ١ 1.0 1e0 forfeit "
    "deploy reform attack move modify reinforce pickup guard=5 hand=2 0=A 0=A,2=10/1=7 1a 2b g 0:1a 1:g K".split()
)
JUNK = st.one_of(
    st.text(),
    st.lists(WORDS, max_size=6).map(" ".join),
    st.lists(st.one_of(WORDS, st.text(max_size=3)), max_size=6).map(" ".join),
    st.builds(lambda word, count: f"draw {' '.join([word] * count)}", WORDS, st.integers(0, 30_000)),
)


@each_edition
@examples(60, 400)
@given(text=JUNK, seed=st.integers(0, 60), plies=st.integers(0, 120))
def test_whatever_a_bot_says_is_legal_or_refused_in_words(
    game: Game, edition: str, text: str, seed: int, plies: int
) -> None:
    state = played(game, edition, seed, plies)
    try:
        move = state.parse(text)
    except (IllegalAction, MalformedAction) as refusal:
        assert str(refusal) and len(str(refusal)) < 500
    else:
        assert state.text(move) == text
        if state.open_grammar is None:
            assert move in state.moves()


def played(game: Game, edition: str, seed: int, plies: int) -> State:
    """A random play after so many decisions, or at its end."""
    rng, state = Random(seed), begin(game, edition, seed)
    for _ in range(plies):
        if state.to_act is not None:
            state.play(any_move(state, rng))
    return state


@each_edition
def test_a_redealt_play_is_the_same_to_the_seat_and_goes_on_to_an_end(game: Game, edition: str) -> None:
    for seed in range(PLAYS):
        rng = Random(seed)
        state = played(game, edition, seed, rng.randint(0, 100))
        for seat in range(state.seats):
            twin = check_redeal(state, seat, rng)
            assert play_out(twin, rng).outcome is not None


def check_redeal(state: State, seat: int, rng: Random) -> State:
    """Another state that looks the same to the seat; the state itself is left as it was."""
    before = portrait(state)
    twin = state.redeal(seat, rng)
    assert portrait(state) == before
    assert twin.view(seat) == state.view(seat), "the view tells what the seat can't know"
    assert twin.events(seat) == state.events(seat), "an event tells what the seat can't know"
    assert (twin.to_act, twin.ply) == (state.to_act, state.ply)
    if state.to_act == seat:
        assert twin.moves() == state.moves()
    return twin


@each_edition
def test_what_an_action_hides_is_dealt_anew(game: Game, edition: str) -> None:
    check_hidden_actions(game, edition)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_redeal_that_only_copies_is_refused(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    edition = next(iter(game.editions))
    monkeypatch.setattr(type(begin(game, edition, 0)), "redeal", lambda state, seat, rng: state.copy())
    with pytest.raises(AssertionError, match="deal anew what"):
        check_hidden_actions(game, edition)


def check_hidden_actions(game: Game, edition: str) -> None:
    """After an action that a seat is not told whole, some redeal for this seat gives its actor another state.

    Sometimes the rest of the cards tells what is hidden, and a single state fits what the seat knows.
    """
    hidden, changed = Counter[str](), Counter[str]()
    for seed in range(6):
        rng, state = Random(seed), begin(game, edition, seed)
        while (actor := state.to_act) is not None:
            move, length = any_move(state, rng), state.log_length
            word = state.text(move).split()[0]
            state.play(move)
            if state.outcome is not None or state.is_out(actor):
                continue
            told = state.events(actor, length)
            for seat in range(state.seats):
                if seat != actor and state.events(seat, length) != told:
                    hidden[word] += 1
                    changed[word] += any(
                        known_by(state.redeal(seat, Random(again)), actor) != known_by(state, actor)
                        for again in range(10)
                    )
    for word, times in hidden.items():
        assert changed[word] >= times * MIN_SHARE_REDEALT, (
            f"after {word!r} another seat knows less than the one that acted, and yet redeal() gave the same state in "
            f"{times - changed[word]} of {times} cases: deal anew what {word!r} hides"
        )


def known_by(state: State, seat: int) -> tuple[Json, list[Json]]:
    return state.view(seat), state.events(seat)


@each_edition
def test_views_say_what_is_decided_by_whom_and_when(game: Game, edition: str) -> None:
    for seed in range(PLAYS // 4):
        before = 0
        for state in run(begin(game, edition, seed), Random(seed)):
            views = [state.view(seat) for seat in range(state.seats)]
            assert all(view["to_move"] == state.to_act and isinstance(view["decision"], str) for view in views)
            times = {view.get("turn", view.get("round")) for view in views}
            assert len(times) == 1, "every seat sees the same turn, or the same round"
            now = times.pop()
            if now is not None:
                assert now - before in (0, 1), "turns and rounds are counted one by one, from 0 before the first"
                before = now


@each_edition
def test_higher_scores_are_better_and_agree_with_the_places(game: Game, edition: str) -> None:
    for seed in range(PLAYS):
        outcome = play_out(begin(game, edition, seed), Random(seed)).outcome
        assert outcome is not None
        for place, score in zip(outcome.places, outcome.scores, strict=True):
            assert place == 1 + sum(other > score for other in outcome.scores), (
                "a place is 1 and who has a better score"
            )


@each_edition
def test_the_same_seed_deals_the_same_and_another_differs(game: Game, edition: str) -> None:
    options = game.options(edition)
    deals = [game.deal(options, game.seats[0], Random(seed)) for seed in (1, 1, 2)]
    assert deals[0] == deals[1] != deals[2]
    assert json.loads(json.dumps(deals[0])) == deals[0]


@each_edition
def test_options_stand_alone_and_are_plain_json(game: Game, edition: str) -> None:
    options = game.options(edition)
    assert json.loads(json.dumps(options)) == options
    assert game.options(edition, **options) == options
    with pytest.raises(BadOptions):
        game.options(edition, no_such_option=1)
    with pytest.raises(BadOptions):
        game.options("no-such-edition")
    with pytest.raises(BadDeal):
        game.start(options, game.seats[0], {})


def test_a_game_is_found_by_its_key_or_refused_with_a_list() -> None:
    for key, game in GAMES.items():
        assert find_game(key) is game and game.key == key and game.editions
    with pytest.raises(UnknownGame, match="battleline"):
        find_game("chess")


@each_edition
def test_explanations_are_plain_json_and_never_fail_for_words_of_the_grammar(game: Game, edition: str) -> None:
    explained = 0
    for seed in range(10):
        for state in run(begin(game, edition, seed), Random(seed)):
            for text in [state.text(move) for move in state.moves()] + list(find_facts(game.key).explained_texts):
                said = state.explain(text)
                if said is not None:
                    explained += 1
                    assert json.loads(json.dumps(said)) == said
    assert explained
