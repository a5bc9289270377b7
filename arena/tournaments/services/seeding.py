"""Seed entrants by their strength on the ladder."""

from collections.abc import Iterable

from arena.ladders.models import Entry
from arena.tournaments.models import Entrant, Tournament


def order_by_strength(tournament: Tournament, entrants: Iterable[Entrant]) -> list[Entrant]:
    """Return the entrants by rating on the ladder, ranked ones first, with `rating` set but not saved.

    Those that aren't on the ladder come last, in the order of entry.
    """
    entries = Entry.objects.filter(
        ladder__game=tournament.game, ladder__edition=tournament.edition, ladder__closed_at=None
    )
    rows = entries.filter(version__bot__tournament_entries__tournament=tournament).order_by("matches")
    known = {bot: strength for bot, *strength in rows.values_list("version__bot", "is_ranked", "rating")}
    ordered = sorted(entrants, key=lambda one: (*(-value for value in known.get(one.bot_id, (-1, 0.0))), one.pk))
    for entrant in ordered:
        entrant.rating = known[entrant.bot_id][1] if entrant.bot_id in known else None
    return ordered
