"""What of a leg of Battalion stands on its timeline: attacks, eliminations, a fault, and how many cards stood."""

from django.utils.translation import gettext_lazy

from arena.pages.games.battalion.words import say
from arena.pages.games.picture import Level, Mark
from arena.pages.matches.replay import Film, Step
from engine.core import Json

ATTACK, OUT, FORFEIT = "attack", "out", "forfeit"
JUMPS = {ATTACK: gettext_lazy("Next attack"), OUT: gettext_lazy("Next elimination")}
MEASURED = gettext_lazy("Cards standing")


def mark(step: Step) -> list[Mark]:
    return [found for event in step.events if (found := mark_event(event)) is not None]


def mark_event(event: Json) -> Mark | None:
    kind = event.get("event") or event.get("action", "").split(" ")[0]
    if kind not in (ATTACK, OUT, FORFEIT):
        return None
    seat = event["seat"]
    icons = {ATTACK: f"pennant-{seat}", OUT: "emperor", FORFEIT: "no"}
    return Mark(kind, seat, icons[kind], say([event])[0].plain)


def measure(film: Film) -> list[Level]:
    """Cards laid out by each seat, the guard too. While formations are still hidden it is what they show first."""
    counts = [[count(side) for side in film.views[number][0]["seats"]] for number in range(film.last + 1)]
    hidden = next((number for number, row in enumerate(counts) if any(row)), 0)
    counts[:hidden] = [counts[hidden]] * hidden
    return [Level(seat, values) for seat, values in enumerate(zip(*counts, strict=True))]


def count(side: Json) -> int:
    """Cards standing, which everybody sees: hidden ones, too."""
    if side["out"]:
        return 0
    cells = [cell for row in side["rows"] for cell in row] + ([side["guard"]] if side["guard"] else [])
    return sum(cell["card"] is not None for cell in cells)
