"""The environments of `pennant.rl` pass the tests of their interfaces and tell what a bot is told."""

import warnings
from pathlib import Path
from random import Random

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pennant.rl import BattleLineAEC, BattleLineEnv, Encoding, env
from pennant.rl.aec import AGENTS
from pennant.rl.example.imitate import Student
from pennant.rl.example.imitate import export as export_student
from pennant.rl.example.network import Network
from pennant.rl.example.numpy_network import Network as NumpyNetwork
from pennant.rl.example.train import export, measure_share, train
from pennant.rl.export import export_network
from pettingzoo.test import api_test, seed_test

from arena.runner.bot_packages import list_requirements
from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.match import MatchReport, MatchSpec, play_match
from arena.runner.program import Limits, read_program
from arena.runner.sandbox.detection import find_sandbox
from engine.contract.plays import begin_play, choose_any
from engine.core import IllegalAction
from engine.games.battleline.tiles import TILES
from engine.games.battleline.vectors import DECISIONS
from engine.registry import find_game
from tests.engine.battleline.facts import find_look
from tests.full import is_full_run, one_of_each

GAME = find_game("battleline")
PLAYS = 60 if is_full_run() else 4
EDITIONS = one_of_each(GAME.editions, kind=lambda edition: edition in ("terrain", "hundred-years"))


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_environment_passes_the_tests_of_pettingzoo(edition):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it expects plain arrays, not a dictionary with a mask
        api_test(env(edition), num_cycles=300, verbose_progress=False)
    seed_test(lambda: env(edition), num_cycles=150)


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_the_single_agent_passes_the_test_of_gymnasium(opponent):
    check_env(BattleLineEnv("short", opponent), skip_render_check=True)


@pytest.mark.parametrize("edition", GAME.editions)
def test_every_legal_action_has_a_number_and_the_mask_shows_just_these(edition):
    encoding = Encoding(GAME.options(edition))
    assert len(encoding.numbers) == len(encoding.names)
    for seed in range(PLAYS):
        rng, state = Random(seed), begin_play(GAME, edition, seed)
        while state.to_act is not None:
            legal = list(state.actions())
            numbers = [encoding.numbers[name] for name in legal]
            assert [encoding.numbers_by_move[move] for move in state.moves()] == numbers
            if len(legal) > 1:
                play = encoding.begin_play(state.copy())
                assert play.legal == numbers
                assert sorted(
                    encoding.names[number] for number in np.flatnonzero(play.mask(play.state.to_act))
                ) == sorted(legal)
            state.play(choose_any(state, rng))


def read_back(encoding: Encoding, vector: np.ndarray, seat: int) -> dict:
    """Return what a vector tells of a view, in the words of the view."""

    def read_field(field: str) -> np.ndarray:
        return vector[encoding.layout[field]]

    def cards(counts: np.ndarray) -> list[str]:
        return sorted(np.repeat(encoding.cards, counts).tolist())

    def pair(own: object, other: object) -> list:
        return [own, other] if seat == 0 else [other, own]

    flags = []
    for block in read_field("flags").reshape(encoding.flags, -1):
        one = {field: block[place] for field, place in encoding.flag_layout.items()}
        flags.append(
            {
                "cards": pair(cards(one["own_cards"]), cards(one["other_cards"])),
                "owner": read_seat(one["owner_is_own"], one["owner_is_other"], seat),
                "needs": pair(int(one["own_needs"][0]), int(one["other_needs"][0])),
                "last": read_seat(one["last_is_own"], one["last_is_other"], seat),
                "fog": bool(one["fog"][0]),
                "mud": bool(one["mud"][0]),
                "tile": next(iter(read_tiles(one["tile"])), None),
            }
        )
    return {
        "decision": DECISIONS[np.flatnonzero(read_field("decision"))[0]],
        "leader_played": pair(*read_field("leader_played").tolist()),
        "tactics_played": pair(cards(read_field("own_tactics_played")), cards(read_field("other_tactics_played"))),
        "hand": cards(read_field("hand")),
        "hand_sizes": pair(*read_field("hand_sizes").tolist()),
        "decks": read_field("decks").tolist(),
        "discards": pair(cards(read_field("own_discards")), cards(read_field("other_discards"))),
        "flags": flags,
        "claimed_this_turn": bool(read_field("claimed_this_turn")[0]),
        "left_to_return": int(read_field("left_to_return")[0]),
        "at": [int(flag) + 1 for flag in np.flatnonzero(read_field("at_flag"))],
        "draft": {
            "choices": read_tiles(read_field("draft_choices")),
            "tiles": read_tiles(read_field("draft_tiles")),
        },
        "row": [
            {"tile": next(iter(read_tiles(tile)), None), "up": bool(is_up)}
            for tile, is_laid, is_up in zip(
                read_field("row").reshape(encoding.flags, -1),
                read_field("is_laid"),
                read_field("is_laid_up"),
                strict=True,
            )
            if is_laid
        ],
    }


def read_seat(is_own: np.ndarray, is_other: np.ndarray, seat: int) -> int | None:
    return seat if is_own[0] else 1 - seat if is_other[0] else None


def read_tiles(marks: np.ndarray) -> list[str]:
    return [TILES[number] for number in np.flatnonzero(marks)]


def simplify(view: dict) -> dict:
    """Return what a vector tells of a view. A key that a view hasn't is empty there."""
    draft = view.get("draft", {"choices": [], "tiles": []})
    return {
        "decision": view["decision"],
        "leader_played": view["leader_played"],
        "tactics_played": [sorted(cards) for cards in view["tactics_played"]],
        "hand": sorted(view["hand"]),
        "hand_sizes": view["hand_sizes"],
        "decks": list(view["decks"].values()),
        "discards": [sorted(cards) for cards in view["discards"]],
        "flags": [
            {
                **{key: flag[key] for key in ("owner", "needs", "last", "fog", "mud", "tile")},
                "cards": [sorted(cards) for cards in flag["cards"]],
            }
            for flag in view["flags"]
        ],
        "claimed_this_turn": view.get("claimed_this_turn", False),
        "left_to_return": view.get("returning", {"left": 0})["left"],
        "at": [view["at"]] if "at" in view else [],
        "draft": {key: sorted(tiles, key=TILES.index) for key, tiles in draft.items()},
        "row": view.get("row", []),
    }


@pytest.mark.parametrize(
    ("edition", "changes"),
    [
        *one_of_each([(edition, {}) for edition in GAME.editions], kind=lambda case: find_look(case[0])),
        ("standard", {"claims": "either"}),
    ],
    ids=lambda part: part if isinstance(part, str) else "-".join(part.values()),
)
def test_a_vector_tells_the_view_and_nothing_more(edition, changes):
    encoding = Encoding(GAME.options(edition, **changes))
    for seed in range(PLAYS):
        rng, state = Random(seed), begin_play(GAME, edition, seed, **changes)
        while state.to_act is not None:
            seat = state.to_act
            view = state.view(seat)
            vector = np.frombuffer(encoding.encoder.encode(state, seat), np.int8)
            assert read_back(encoding, vector, seat) == simplify(view)
            assert np.array_equal(encoding.encoder.encode(state.redeal(seat, rng), seat), vector)
            assert encoding.encode_view(view, seat) == vector.tobytes()
            state.play(choose_any(state, rng))


def play_out(table: BattleLineAEC, rng: Random) -> None:
    while not any(table.terminations.values()):
        mask = table.observe(table.agent_selection)["action_mask"]
        table.step(rng.choice(np.flatnonzero(mask)))


def test_rewards_come_at_the_end_and_fit_the_places():
    table = BattleLineAEC("standard")
    table.reset(seed=4)
    play_out(table, Random(1))
    outcome = table.current_play().state.outcome
    assert outcome is not None
    best = AGENTS[outcome.places.index(1)]
    assert table.rewards == {agent: 1.0 if agent == best else -1.0 for agent in AGENTS}
    assert all(table.terminations.values()) and not any(table.truncations.values())


def test_a_deal_can_be_given_and_the_state_has_all_its_cards():
    table = BattleLineAEC("standard")
    deal = GAME.deal(table.options, 2, Random(5))
    table.reset(options={"deal": deal})
    hidden = table.state()[table.encoding.size :]
    names = ["", *table.encoding.cards]
    cards = [names[number] for number in hidden]
    assert cards[:7] == deal["troops"][7:14] and cards[7] == ""
    assert [card for card in cards[60:120] if card] == deal["troops"][:13:-1]
    assert table.state_space.contains(table.state())


def test_the_view_of_a_turn_is_built_when_it_is_asked_for_and_not_after_the_next_step():
    table = BattleLineAEC("standard")
    table.reset(seed=2)
    first, second = table.infos[table.agent_selection], dict(table.infos[table.agent_selection])
    state = table.current_play().state
    assert first["view"] == state.view(state.to_act) and "view" not in second
    table.step(first["legal"][0])
    late = table.infos[table.agent_selection]
    table.step(late["legal"][0])
    with pytest.raises(KeyError, match="before the next step"):
        late["view"]


def test_an_illegal_action_is_refused_and_loses_for_the_single_agent():
    table = BattleLineAEC("standard")
    table.reset(seed=1)
    claim = table.encoding.numbers["claim 1"]
    with pytest.raises(IllegalAction):
        table.step(claim)
    single = BattleLineEnv("standard", seat=0)
    single.reset(seed=1)
    _, reward, is_over, _, about = single.step(claim)
    assert (reward, is_over, about) == (-1.0, True, {"illegal": "claim 1"})


def test_a_function_can_be_the_opponent_and_seats_change():
    single = BattleLineEnv("short", opponent=lambda view, legal: legal[0])
    seats = [single.reset(seed=3 if number == 0 else None)[1]["seat"] for number in range(4)]
    assert seats == [0, 1, 0, 1]


def play_against_random(folder: Path) -> MatchReport:
    """Play a match in the sandbox, without a fault."""
    program, rival = read_program(folder), read_program(SAMPLES_FOLDER / "random")
    options = GAME.options("standard")
    deal = GAME.deal(options, 2, Random(2))
    spec = MatchSpec("battleline", "standard", options, deal, ("salt", "pepper"), Limits(), (program, rival))
    report = play_match(spec, find_sandbox({"python"}))
    assert all(leg.record["result"]["verdicts"] == ["ok", "ok"] for leg in report.legs)
    return report


def test_a_bot_reads_the_network_that_was_exported_and_plays_it_in_the_sandbox(tmp_path):
    rng, encoding = np.random.default_rng(1), Encoding(GAME.options("standard"))
    sizes = [encoding.size, 6, 5, len(encoding.names)]
    layers = [(rng.normal(0, 0.5, shape), rng.normal(0, 1, shape[1])) for shape in zip(sizes, sizes[1:], strict=False)]
    student = Student(encoding.size, 4, [number for number in range(len(encoding.names)) if number % 3], rng)
    export_student(tmp_path, "standard", student)
    play_against_random(tmp_path)
    export_network(tmp_path / "weights.bin", encoding, layers)
    state = begin_play(GAME, "standard", 5)
    values = np.frombuffer(encoding.encoder.encode(state, 0), np.int8).astype(float)
    for weights, biases in layers[:-1]:
        values = np.maximum(values @ weights + biases, 0)
    expected = dict(zip(encoding.names, values @ layers[-1][0] + layers[-1][1], strict=True))
    rated = Network(tmp_path / "weights.bin").rate(state.view(0), 0, list(state.actions()))
    assert rated == pytest.approx({action: expected[action] for action in state.actions()}, abs=0.3)
    with_numpy = NumpyNetwork(tmp_path / "weights.bin").rate(state.view(0), 0, list(state.actions()))
    assert with_numpy == pytest.approx(rated, abs=0.01)
    export_student(tmp_path / "faster", "standard", student, with_numpy=True)
    files = read_program(tmp_path / "faster").files
    assert [one.name for one in list_requirements(files)] == ["numpy"]
    with pytest.raises(ValueError, match="inputs"):
        export_network(tmp_path / "weights.bin", encoding, layers[1:])


@pytest.mark.full
def test_the_example_learns_to_beat_random_and_its_bot_plays(tmp_path):
    weights = train(600, "standard", "random", seed=1).named_weights
    _, low, _ = measure_share(weights, "standard", 60)
    assert low > 0.6
    export(tmp_path, weights)
    assert play_against_random(tmp_path).points[0] > 0.5
