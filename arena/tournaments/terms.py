"""What an organiser settles before the first round."""

from dataclasses import dataclass

from engine.message import MessageError, gettext_noop, message

MOST_ENTRANTS = 256
WINS = "wins"
SERIES = "series"
SCORINGS = (WINS, SERIES)


RANGES = (
    ("rounds", 1, 99, gettext_noop("The number of rounds is from %(low)s to %(high)s, not %(value)s.")),
    ("pairs", 1, 25, gettext_noop("A pairing has from %(low)s to %(high)s matches, not %(value)s.")),
    ("extra", 0, 25, gettext_noop("The number of tie-break matches is from %(low)s to %(high)s, not %(value)s.")),
    ("seats", 2, 4, gettext_noop("A table has from %(low)s to %(high)s seats, not %(value)s.")),
)
"""By setting its lowest and highest value, and the message for any other."""


class BadTerms(MessageError):
    """Nobody could play by these. The message is for the organiser."""


@dataclass(frozen=True, slots=True)
class Terms:
    """All that decides how a tournament goes, besides who takes part.

    A pairing is `pairs` matches, and a match is a leg for every seating of the same deal: between two a mirrored pair.
    In a knockout it is the best of so many, and ends when it can't be turned any more. Where it is even after all of
    them, up to `extra` more are played, until one is not even; then the higher sum of series scores of all its legs
    goes on; then the better seed. Nobody ever starts with less than the other.
    """

    format: str = "swiss"
    """A key of `formats.FORMATS`."""
    rounds: int | None = None
    """Where the format leaves it open, as Swiss does; None for as many as it recommends."""
    pairs: int = 1
    extra: int = 2
    scoring: str = WINS
    """`wins`: 1 for a pairing won, ½ for an even one. `series`: the sum of the series scores (BL-25)."""
    groups: int = 2
    """Before a knockout."""
    advance: int = 2
    """So many of each group go on."""
    seats: int = 2
    """At a table."""
    seed: str = ""
    """What lots are drawn from."""

    def check(self, entrants: int | None = None) -> None:
        """Raises BadTerms where these can't be played, or not by so many entrants."""
        for name, low, high, template in RANGES:
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise BadTerms(message(template, low=low, high=high, value=value))
        if self.scoring not in SCORINGS:
            raise BadTerms(
                message(
                    gettext_noop("There is no scoring called %(name)s. There are: %(names)s."),
                    name=self.scoring,
                    names=", ".join(SCORINGS),
                )
            )
        if self.groups < 2 or self.advance < 1:
            raise BadTerms(
                message(gettext_noop("There are at least two groups, and at least one bot of each advances."))
            )
        if entrants is None:
            return
        if not 2 <= entrants <= MOST_ENTRANTS:
            raise BadTerms(
                message(
                    gettext_noop("A tournament has from 2 to %(most)s entrants, not %(count)s."),
                    most=MOST_ENTRANTS,
                    count=entrants,
                )
            )
        fewest = self.groups * max(2, self.advance)
        if self.format == "groups" and entrants < fewest:
            raise BadTerms(
                message(
                    gettext_noop("These groups need at least %(least)s entrants, not %(count)s."),
                    least=fewest,
                    count=entrants,
                )
            )
