"""What tests of all games have to know of Battle Line."""

from random import Random
from typing import Any

from engine.core import State
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.games.battleline.moves import ACTION_FORMS, CHOICES_BY_FIELD
from tests.engine.any_words import HALF, pick
from tests.engine.facts import GameFacts

DIFFERENT_EDITIONS = ("standard", "long", "hundred-years")
"""The editions that differ most: the plain rules, a doubled deck of four suits, and drafted tiles."""


def find_look(edition: str) -> str:
    """Return the edition itself, or one word for all that look alike."""
    return edition if edition in DIFFERENT_EDITIONS else "other"


def write_any_action(rng: Random, state: State) -> str:
    """Any words of its grammar, and sometimes others; half of the cards are in the hand."""
    table: Any = state
    flags = range(1, table.rules.flags + 1)
    names = CARD_NAMES_BY_COLOURS[table.rules.colours]
    held = [names.of[card] for card in table.hands[state.to_act or 0]]
    cards = held if held and rng.random() < HALF else list(names.card)
    lists = {name: words for name, (_, words) in CHOICES_BY_FIELD.items()}
    choices = {**lists, "CARD": cards, "FLAG": flags, "TO": [*flags, "discard"]}
    form = rng.choice(list(ACTION_FORMS.values()))
    words = " ".join(pick(rng, choices[word]) if word in choices else pick(rng, [word]) for word in form.split())
    return rng.choice([words] * 8 + ["draw troop tactic", "draw troop troop troop", f"{form} x"])


FACTS = GameFacts(
    explained_texts=("claim 1", "claim 5", "pass"),
    forfeit_ply=30,
    min_starter_points=0.45,
    playthrough_seeds={
        ("standard", 2): 1668,
        ("advanced", 2): 1425,
        ("short", 2): 34,
        ("long", 2): 2330,
        ("medieval", 2): 1350,
        ("terrain", 2): 4423,
        ("hundred-years", 2): 1269,
        ("highlands", 2): 63,
    },
    variants=(
        ("standard", {"claims": "either"}),
        ("long", {"scout": "at-once"}),
        ("terrain", {"tactics": 10}),
        ("hundred-years", {"tactics": 0, "claims": "either"}),
        ("highlands", {"claims": "either", "flags": 7}),
    ),
    write_any_action=write_any_action,
)
