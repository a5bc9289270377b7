"""Bots that keep failing don't go on playing: they would be a fountain of points for the others."""

from django.db import transaction

from arena.ladders.models import Entry, Ladder
from arena.notices.models import Event
from arena.notices.services import tell

WINDOW = 60
"""So many of the last rated legs are looked at."""
IN_A_ROW = 3
TOLERATED = 3
"""Of the window: 5 %."""


def is_failing(recent_legs: str) -> bool:
    """Whether somebody with such legs, oldest first, an x for each fault, shall not go on."""
    return recent_legs.endswith("x" * IN_A_ROW) or recent_legs.count("x") > TOLERATED


def add_legs(recent_legs: str, legs: str) -> str:
    return (recent_legs + legs)[-WINDOW:]


def why_failing(recent_legs: str) -> str:
    """A sentence."""
    if recent_legs.endswith("x" * IN_A_ROW):
        return f"It was at fault in {IN_A_ROW} legs in a row."
    return f"It was at fault in {recent_legs.count('x')} of its last {len(recent_legs)} legs."


@transaction.atomic
def suspend(*, entry: Entry, reason: str) -> bool:
    """Take an active entry out of play and tell its owner. Its rating is kept. False where it wasn't active."""
    active = Entry.objects.active().filter(pk=entry.pk)
    if not active.update(state=Entry.State.SUSPENDED, state_reason=reason):
        return False
    Ladder.objects.filter(pk=entry.ladder_id).update(is_stale=True)
    entry = Entry.objects.select_related("ladder", "version__bot__owner").get(pk=entry.pk)
    bot, ladder = entry.version.bot, entry.ladder
    remedy = "Resume it on its page, or upload a version that works."
    tell(
        user=bot.owner,
        event=Event.SUSPENDED,
        text=f"{entry.version} is suspended on {ladder}. {reason} {remedy}",
        url=bot.get_absolute_url(),
        payload={
            "bot": bot.slug,
            "version": entry.version.number,
            "ladder": {"game": ladder.game, "edition": ladder.edition, "season": ladder.season},
            "reason": reason,
        },
    )
    return True
