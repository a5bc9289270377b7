"""Who plays whom next. A choice among values; knows no database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    entry: int
    owner: int
    is_house: bool
    rating: float
    played: int
    """Matches rated, waiting and running."""

    def may_meet(self, other: "Candidate") -> bool:
        """An author's bots would only push each other; the house has nothing to win by it."""
        return self.entry != other.entry and (self.owner != other.owner or self.is_house)


Pair = tuple[int, int]
"""Two entries, the smaller id first."""


def choose_pairs(candidates: Sequence[Candidate], met: Mapping[Pair, int], room: int) -> list[Pair]:
    """At most `room` pairs: whoever has played least, with whom it has met least, then who has played least,
    then who is nearest in rating. Nothing is left to chance."""
    played = {candidate.entry: candidate.played for candidate in candidates}
    meetings = Counter(met)
    pairs: list[Pair] = []
    while len(pairs) < room:
        chosen = _next_pair(candidates, played, meetings)
        if chosen is None:
            break
        pairs.append(chosen)
        meetings[chosen] += 1
        for entry in chosen:
            played[entry] += 1
    return pairs


def _next_pair(candidates: Sequence[Candidate], played: Mapping[int, int], meetings: Mapping[Pair, int]) -> Pair | None:
    for first in sorted(candidates, key=lambda candidate: (played[candidate.entry], candidate.entry)):
        partners = [candidate for candidate in candidates if first.may_meet(candidate)]
        if partners:
            second = min(
                partners,
                key=lambda partner: (
                    meetings.get(pair(first.entry, partner.entry), 0),
                    played[partner.entry],
                    abs(partner.rating - first.rating),
                    partner.entry,
                ),
            )
            return pair(first.entry, second.entry)
    return None


def pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
