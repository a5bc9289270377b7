"""Keep apart the tournaments of one organiser: two of a title carry numbers."""

from itertools import chain, count

from arena.accounts.models import User
from arena.tournaments.models import Tournament

MAX_TITLE_LENGTH = 60


def find_free_title(organiser: User, title: str, *, besides: Tournament | None = None) -> str:
    """Return the title, with a number if another tournament of the organiser has it already."""
    others = Tournament.objects.filter(organiser=organiser)
    if besides is not None:
        others = others.exclude(pk=besides.pk)
    taken = {one.casefold() for one in others.values_list("title", flat=True)}
    numbered = (f"{title[: MAX_TITLE_LENGTH - 1 - len(str(number))].rstrip()} {number}" for number in count(2))
    return next(one for one in chain([title.strip()], numbered) if one.casefold() not in taken)
