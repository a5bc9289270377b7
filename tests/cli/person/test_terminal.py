"""What the terminal prints and reads, without bots: positions of random plays in every game and edition."""

from io import StringIO
from random import Random

import pytest
from rich.console import Console

from arena.cli.person import PRESENTERS, Leave, Terminal, Unclear, find_actions
from arena.cli.terminal_games import Presenter, SeatNames
from engine.core import Game, Json, State
from engine.registry import find_game
from goofspiel.rules.game import Goofspiel
from tests.full import is_full_run

VARIANTS: list[tuple[Game, str, dict[str, object], int]] = [
    *((find_game("battleline"), edition, {}, 2) for edition in find_game("battleline").editions),
    (find_game("battleline"), "standard", {"scout": "at-once", "claims": "either"}, 2),
    (find_game("battalion"), "standard", {}, 2),
    (find_game("battalion"), "standard", {}, 4),
    (Goofspiel(), "standard", {}, 3),
]
WHY_QUESTIONS = {
    "battleline": [*(f"claim {flag}" for flag in range(1, 10)), "pass", "scout", "traitor G5 3 3"],
    "battalion": ["attack 1a 1:1a", "attack 1b 0:g", "attack g 0:1a", "modify", "pickup", "reform A guard"],
    "goofspiel": ["bid 1"],
}
COMPARED_EVERY = 13 if is_full_run() else 29
"""Decisions from one comparison with a redeal to the next."""


def build_terminal(game: Game, options: Json, edition: str, state: State, seat: int) -> tuple[Terminal, StringIO]:
    printed = StringIO()
    names = SeatNames([f"bot-{number}" for number in range(state.seats)], seat)
    presenter = PRESENTERS.get(game.key, Presenter)(names, options, edition)
    return Terminal(Console(file=printed, width=80, highlight=False), presenter, seat), printed


def print_everything(game: Game, options: Json, edition: str, state: State, seat: int) -> str:
    """Return all that a person at the seat can have printed in this state."""
    terminal, printed = build_terminal(game, options, edition, state, seat)
    terminal.tell(state)
    terminal.print_board(state, "")
    if state.to_act == seat:
        legal = list(state.actions())
        terminal.print(terminal.presenter.ask(state.view(seat), legal))
        for line in terminal.presenter.list_options(legal):
            terminal.print(line)
        terminal.print_list(state, "")
        for action in WHY_QUESTIONS[game.key]:
            terminal.print_reason(state, action)
    return printed.getvalue()


@pytest.mark.parametrize(("game", "edition", "changes", "seats"), VARIANTS)
def test_nothing_printed_tells_what_the_seat_cannot_know(
    game: Game, edition: str, changes: dict[str, object], seats: int
) -> None:
    rng = Random(5)
    options = game.options(edition, **changes)
    state = game.start(options, seats, game.deal(options, seats, rng))
    differing = 0
    while (seat := state.to_act) is not None:
        if state.ply % COMPARED_EVERY == 0:
            for reader in (seat, (seat + 1) % seats):
                twin = state.redeal(reader, rng)
                differing += any(twin.view(other) != state.view(other) for other in range(seats))
                printed = print_everything(game, options, edition, state, reader)
                assert print_everything(game, options, edition, twin, reader) == printed
                assert max(map(len, printed.splitlines())) <= 80
        terminal, _ = build_terminal(game, options, edition, state, seat)
        action, move = rng.choice(list(state.actions().items()))
        assert terminal.find_move(state, action.lower(), list(state.actions())) == move
        state.play(move)
    assert differing
    assert terminal.presenter.describe_ending(state.outcome)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("r7 3", ["play R7 3"]),
        ("PLAY R7 3", ["play R7 3"]),
        ("r1 3", ["play R1 3"]),
        ("r 3", []),
        ("lead 3", ["play leader-1 3"]),
        ("trait r7 3 4", ["traitor R7 3 4"]),
        ("tac", ["draw tactic"]),
        ("claim", ["claim 3", "claim 4"]),
        ("4", ["claim 4"]),
        ("", []),
    ],
)
def test_short_forms_find_the_action(typed: str, meant: list[str]) -> None:
    legal = [
        *("play R7 3", "play R1 3", "play R10 3", "play leader-1 3", "traitor R7 3 4"),
        *("claim 3", "claim 4", "draw troop", "draw tactic"),
    ]
    assert find_actions(typed, legal) == meant


def build_table(key: str, seats: int = 2) -> tuple[Terminal, State]:
    game = find_game(key)
    options = game.options("standard")
    state = game.start(options, seats, game.deal(options, seats, Random(3)))
    return build_terminal(game, options, "standard", state, 0)[0], state


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("A 10 9 / 7 6 / Q guard 5", "deploy 0=A,2=10,4=9/1=7,3=6/2=Q guard=5"),
        ("deploy a/k j/q guard=5", "deploy 1=A/0=K,2=J/1=Q guard=5"),
        ("deploy 0=a, 2=k / 1=q guard=2", "deploy 0=A,2=K/1=Q guard=2"),
    ],
)
def test_bt_02_a_layout_is_written_in_rows(typed: str, meant: str) -> None:
    terminal, state = build_table("battalion")
    legal = list(state.actions())
    assert terminal.find_move(state, typed, legal) == state.parse(meant)


@pytest.mark.parametrize("typed", ["deploy", "A K / ", "guard 5", "reform", "/", "1a", "x y", "deploy A guard K", "²"])
def test_what_is_no_action_gets_a_sentence(typed: str) -> None:
    terminal, state = build_table("battalion")
    with pytest.raises(Unclear, match=r"\w{2,} \w+"):
        terminal.find_move(state, typed, list(state.actions()))


def test_a_number_that_may_mean_two_actions_is_not_guessed() -> None:
    terminal, state = build_table("battleline")
    with pytest.raises(Unclear, match="1 could be claim 1, or play R7 3"):
        terminal.find_move(state, "1", ["play R7 3", "claim 1"])
    with pytest.raises(Unclear, match="use 1 to 2"):
        terminal.find_move(state, "9", ["play R7 3", "claim 1"])


def test_resigning_is_asked_once_and_the_end_of_input_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, state = build_table("battleline")
    typed = iter(["resign", "no", "\x1b[2J", "x" * 2000, "resign", "yes"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert terminal.choose(state, can_take_back=False) == Leave("resigned")

    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert terminal.choose(state, can_take_back=False) == Leave("abandoned")
    printed = terminal.console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in printed
    assert printed.count("Resign this game?") == 3
    assert "more than 1000 characters" in printed
