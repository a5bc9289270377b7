"""The marks on the timeline of a leg of Battalion: attacks, eliminations, a fault, and how many cards stood."""

from django.utils.translation import gettext_lazy

from arena.pages.games.battalion.descriptions import describe_events
from arena.pages.games.presentation import Level, Mark
from arena.pages.matches.replay import Playback, Step
from engine.core import Json

ATTACK_MARK, ELIMINATION_MARK, FORFEIT_MARK = "attack", "out", "forfeit"
JUMP_LABELS = {ATTACK_MARK: gettext_lazy("Next attack"), ELIMINATION_MARK: gettext_lazy("Next elimination")}
MEASURE_LABEL = gettext_lazy("Cards standing")


def list_marks(step: Step) -> list[Mark]:
    """Return the marks of a step on the timeline."""
    return [found for event in step.events if (found := mark_event(event)) is not None]


def mark_event(event: Json) -> Mark | None:
    """Return the mark of an event; None for those that have none."""
    kind = event.get("event") or event.get("action", "").split(" ")[0]
    if kind not in (ATTACK_MARK, ELIMINATION_MARK, FORFEIT_MARK):
        return None
    seat = event["seat"]
    icons = {ATTACK_MARK: f"pennant-{seat}", ELIMINATION_MARK: "emperor", FORFEIT_MARK: "no"}
    return Mark(kind, seat, icons[kind], str(describe_events([event])[0]))


def count_cards_standing(playback: Playback) -> list[Level]:
    """Return how many cards each seat has laid out, its guard included, after each step.

    While formations are still hidden it is what they show first.
    """
    counts = [[count_cards(side) for side in playback.views[number][0]["seats"]] for number in range(playback.last + 1)]
    hidden = next((number for number, row in enumerate(counts) if any(row)), 0)
    counts[:hidden] = [counts[hidden]] * hidden
    return [Level(seat, values) for seat, values in enumerate(zip(*counts, strict=True))]


def count_cards(side: Json) -> int:
    """Return the number of cards standing, which everybody sees: hidden ones, too."""
    if side["out"]:
        return 0
    cells = [cell for row in side["rows"] for cell in row] + ([side["guard"]] if side["guard"] else [])
    return sum(cell["card"] is not None for cell in cells)
