"""What tests of all games have to know of Battalion."""

from random import Random
from typing import Any

from engine.core import State
from engine.games.battalion import formations, moves
from engine.games.battalion.formations import CARDS_BY_NAME
from tests.engine.any_words import HALF, NASTY, pick
from tests.engine.facts import GameFacts

CELLS = (*moves.CELL_NAMES, "4a", "1:1a")


def write_rows(rng: Random, cards: list[str]) -> str:
    """A layout that may or may not hang together, of cards that may be there."""
    sizes = [rng.randint(1, 4) for _ in range(rng.choice((1, 1, 2, 2, 3, 3, 4)))]
    wide = rng.random() < 0.1
    deck = iter(cards + rng.choices(list(CARDS_BY_NAME), k=28))
    rows = []
    for size in sizes:
        x, cells = rng.choice((0, 0, 0, 1, 5)), []
        for _ in range(size + wide * 3):
            cells.append(f"{pick(rng, [x])}={pick(rng, [next(deck)])}")
            x += rng.choice((2,) * 12 + (1, 3))
        rows.append(",".join(cells))
    return "/".join(rows)


def write_layout(rng: Random, state: State) -> str:
    table: Any = state
    verb, key = rng.choice((("deploy", "guard"), ("reform", "hand"), ("reform", "hand")))
    side = table.sides[state.to_act or 0]
    own = [formations.CARD_NAMES[card] for _, card in side.laid_out()] if side.shape else list(CARDS_BY_NAME)
    cards = rng.sample(own, len(own))
    tail = rng.choice(
        (f" {key}={pick(rng, cards or ['K'])}", f" {key}={pick(rng, CARDS_BY_NAME)}", f" {rng.choice(NASTY)}", "")
    )
    if verb == "reform" and rng.random() < HALF:
        return " ".join(["reform", ",".join(f"{2 * x}={card}" for x, card in enumerate(cards)) or "0=A"])
    return f"{verb} {write_rows(rng, cards)}{tail}{'x' * rng.choice((0,) * 30 + (400,))}"


def write_any_action(rng: Random, state: State) -> str:
    if rng.random() < 0.4:
        return write_layout(rng, state)
    verb, (_, form) = rng.choice(list(moves.ACTION_FORMS.items()))
    goal = f"{rng.randint(0, 4)}:{pick(rng, CELLS)}"
    choices = {"CELL": CELLS, "CARD": CARDS_BY_NAME, "SEAT:CELL": [goal, goal, goal, "g"]}
    return " ".join([verb, *(pick(rng, choices[word]) for word in form.split())])


FACTS = GameFacts(
    explained_texts=("attack 1a 1:1a", "attack 2b 2:g", "attack g 3:3d", "move 1a 2a", "pass"),
    forfeit_ply=6,
    playthrough_seeds={("standard", 2): 165, ("standard", 3): 27, ("standard", 4): 239},
    variants=(("standard", {"start": "lot"}), ("standard", {"quiet_rounds": 2, "round_limit": 9})),
    write_any_action=write_any_action,
)
