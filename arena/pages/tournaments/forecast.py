"""What simulations say of the end, as cells of the standings."""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from arena.pages.formatting import format_percent
from arena.tournaments.models import Tournament

LEAST, MOST = 0.01, 0.99
OVER = (Tournament.State.FINISHED, Tournament.State.CANCELLED)


def read_forecast(tournament: Tournament) -> dict[int, dict[str, Any]]:
    """By number, as the forecast keeps them; none once it is over."""
    if tournament.state in OVER:
        return {}
    return {int(number): chance for number, chance in (tournament.forecast or {}).items()}


def read_hopes(tournament: Tournament) -> dict[str, SafeString]:
    """By the bot's slug its seed and its chance, drawn, as if it began now."""
    return {
        chance["bot"]: format_html("{} · {}", number, draw_chance(chance))
        for number, chance in read_forecast(tournament).items()
    }


def draw_chance(chance: dict[str, Any] | None) -> SafeString:
    """The share of the runs in which it won, with a bar."""
    if chance is None:
        return SafeString("–")
    share = chance["win"]
    return mark_safe(f'{tell(share)}<meter min="0" max="1" value="{share:.3f}" aria-hidden="true"></meter>')


def tell(share: float) -> str:
    """In per cent, never sure of what only simulations say."""
    if 0 < share < LEAST:
        return "&lt;1%"
    return "&gt;99%" if MOST < share < 1 else format_percent(share)
