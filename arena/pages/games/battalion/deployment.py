"""Formations while they are being deployed: no view shows them yet, so they are read from the actions told."""

from arena.pages.games.battalion.cards import HIDDEN_CARD
from arena.pages.matches.replay import Scene
from engine.core import Json

CELL_LETTERS = "abcd"


def add_deployment(scene: Scene, seat: int, view: Json) -> Json:
    """Return the seat's part of a view with what the onlooker was told in full of its deployment."""
    told = (event for step in scene.steps[: scene.number + 1] for event in step.events)
    action = next((event["action"] for event in told if is_deployment(event, seat)), None)
    if action is None:
        return view
    rows, guard = read_deployment(action)
    laid = {cell["card"] for row in rows for cell in row} | {guard["card"]}
    hand = [card for card in view.get("hand", []) if card not in laid]
    return {**view, "rows": rows, "guard": guard, "hand": hand, "hand_size": len(hand)}


def is_deployment(event: Json, seat: int) -> bool:
    """Return whether the event tells the whole deployment of a seat."""
    return (
        event["seat"] == seat and event.get("action", "").startswith("deploy ") and HIDDEN_CARD not in event["action"]
    )


def read_deployment(action: str) -> tuple[list[list[Json]], Json]:
    """Return rows and guard as a view gives them, of a legal `deploy` action in full."""
    _verb, rows, guard = action.split(" ")
    read = [read_row(number, row) for number, row in enumerate(rows.split("/"), start=1)]
    least = min(cell["x"] for row in read for cell in row)
    shifted = [[{**cell, "x": cell["x"] - least} for cell in row] for row in read]
    return shifted, {"card": guard.removeprefix("guard="), "shown": False}


def read_row(number: int, text: str) -> list[Json]:
    """Return the cells of one row of a `deploy` action."""
    pairs = sorted((int(x), card) for x, card in (cell.split("=") for cell in text.split(",")))
    return [
        {"cell": f"{number}{letter}", "x": x, "card": card, "shown": False}
        for letter, (x, card) in zip(CELL_LETTERS, pairs, strict=False)
    ]
