"""Find out what a match is played for. Each part of the site that has matches played has a row for each of them."""

from enum import StrEnum

from arena.matches.models import Match


class Purpose(StrEnum):
    """What a match is played for: the name of the relation from the match to the row of its part of the site."""

    TRIAL = "trial"
    LADDER = "ladder_match"
    COMPARISON = "comparison_match"
    CHECK = "tournament_check"
    PAIRING = "pairing_match"
    CHALLENGE = "challenge"


def find_purposes(match: Match) -> tuple[Purpose, ...]:
    """Return what a match is played for: usually one purpose, and none if its row was deleted. One query."""
    rows = Match.objects.filter(pk=match.pk).values_list(*(f"{purpose.value}__pk" for purpose in Purpose))
    return tuple(purpose for purpose, row in zip(Purpose, rows.get(), strict=True) if row is not None)
