"""Tell how a tournament ended: its winner, podium and awards, and the match that decided it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.groups.audience import Audience
from arena.ladders.queries.showable import find_longest_leg
from arena.pages.formatting import format_percent
from arena.pages.games import find_presentation
from arena.pages.matches.end_picture import Picture, draw_end_of_leg
from arena.pages.tournaments.phase_words import name_reached
from arena.pages.tournaments.words import describe_state, format_points, list_winners
from arena.tournaments.awards import find_fewest_faults, find_upset
from arena.tournaments.models import Entrant
from arena.tournaments.queries.close_calls import find_narrowest_claim
from arena.tournaments.queries.overview import Board, Overview
from arena.tournaments.queries.shown_matches import find_longest_leg_of
from arena.tournaments.queries.tournaments import PODIUM_PLACES
from arena.tournaments.standings import Standing, rank

MAX_ON_PODIUM = 4
"""Two may share third place in a knockout."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the standings."""

    standing: Standing
    entrant: Entrant
    score: str
    movement: int
    """Places gained in the last round; negative if lost, 0 before the second."""
    reached: str = ""
    """The round of the knockout after another phase that it reached; empty before that knockout."""

    @property
    def places_moved(self) -> int:
        """Return the number of places that it moved, whichever way."""
        return abs(self.movement)

    @property
    def movement_text(self) -> str:
        """Return the movement in words."""
        if not self.movement:
            return _("same place")
        template = _("up %(places)d") if self.movement > 0 else _("down %(places)d")
        return template % {"places": self.places_moved}


@dataclass(frozen=True, slots=True)
class Award:
    """A line of praise at the end."""

    title: str
    headline: str
    entrant: Entrant
    detail: str


def list_places(overview: Overview) -> list[Place]:
    """Return the standings, with what the last round changed; before the first result, the entrants by seed."""
    before: dict[int, int] = {}
    if len(overview.results) > 1:
        earlier = rank(overview.tournament.format, overview.field, overview.results[:-1], overview.settings)
        before = {standing.number: standing.place for standing in earlier}
    return [build_place(overview, standing, before) for standing in _list_in_order(overview)]


def _list_in_order(overview: Overview) -> list[Standing]:
    if overview.results:
        return overview.standings
    return sorted(overview.standings, key=lambda standing: standing.number)


def build_place(overview: Overview, standing: Standing, before: Mapping[int, int]) -> Place:
    """Return a line of the standings, with the places by seed before the last round."""
    has_reached = bool(overview.results) and overview.has_phases and bool(overview.phases[1].tables)
    return Place(
        standing,
        overview.by_number[standing.number],
        format_points(standing.score),
        before.get(standing.number, standing.place) - standing.place if standing.place else 0,
        name_reached(overview, standing) if has_reached else "",
    )


def describe_end(overview: Overview) -> dict[str, Any]:
    """Return the podium, the awards and the headline of a finished tournament; its matches must have been fetched."""
    best = [standing for standing in _list_in_order(overview) if 0 < standing.place <= PODIUM_PLACES]
    winners = list_winners(overview)
    title = overview.tournament.title
    return {
        "headline": _("%(name)s wins %(title)s") % {"name": winners[0], "title": title}
        if len(winners) == 1
        else describe_state(overview),
        "podium": [build_place(overview, standing, {}) for standing in best[:MAX_ON_PODIUM]],
        "awards": list_awards(overview),
    }


def list_awards(overview: Overview) -> list[Award]:
    """Return what is worth a word: the most improbable win, the fewest faults, a narrow claim or the longest leg."""
    ratings = {number: entrant.rating for number, entrant in overview.by_number.items()}
    found = []
    if upset := find_upset(overview.results, ratings):
        names = {"winner": overview.find_bot_name(upset.winner), "loser": overview.find_bot_name(upset.loser)}
        chance = _("its chance was %(percent)s") % {"percent": format_percent(upset.chance)}
        headline = _("%(winner)s beats %(loser)s") % names
        found.append(Award(_("Most improbable win"), headline, overview.by_number[upset.winner], chance))
    faults = [fault.entrant for fault in overview.faults]
    if faults and (least := find_fewest_faults(overview.standings, faults)):
        words = ngettext("%(count)d fault", "%(count)d faults", least.faults) % {"count": least.faults}
        name = overview.find_bot_name(least.entrant)
        headline = f"{name}: {words if least.faults else _('none')}"
        others = len(faults) - least.faults
        detail = ngettext("all others: %(count)d", "all others: %(count)d", others) % {"count": others}
        found.append(Award(_("Fewest faults"), headline, overview.by_number[least.entrant], detail))
    last = describe_narrowest_claim(overview) or describe_longest_leg(overview)
    return [*found, last] if last else found


def describe_narrowest_claim(overview: Overview) -> Award | None:
    """Return the praise of who claimed when a single card could have refuted it; None where no claim was close."""
    tournament = overview.tournament
    call = find_narrowest_claim(tournament)
    board = find_board(overview, call.match) if call else None
    if call is None or board is None or call.entrant not in board.numbers or len(board.numbers) > 2:
        return None
    presentation = find_presentation(tournament.game, tournament.edition, tournament.options)
    names = [overview.find_bot_name(number) for number in board.numbers]
    if call.closest.seat != board.numbers.index(call.entrant):
        names.reverse()
    if presentation.name_players is not None:
        presentation = presentation.name_players(tuple(names), None)
    if presentation.tell_close_call is None:
        return None
    headline = presentation.tell_close_call(call.closest.facts, call.closest.seat).headline
    headline = headline[:1].upper() + headline[1:]
    detail = _("round %(number)d") % {"number": call.round}
    return Award(_("Narrowest claim of the last round"), headline, overview.by_number[call.entrant], detail)


def describe_longest_leg(overview: Overview) -> Award | None:
    """Return the praise of those who took the longest; None where no leg was played."""
    longest = find_longest_leg_of(overview.tournament)
    board = find_board(overview, longest.match) if longest else None
    if longest is None or board is None:
        return None
    headline = " – ".join(overview.find_bot_name(number) for number in board.numbers)
    words = ngettext("%(count)d decision", "%(count)d decisions", longest.decisions) % {"count": longest.decisions}
    return Award(_("Longest leg"), headline, overview.by_number[board.numbers[0]], words)


def find_board(overview: Overview, match: int) -> Board | None:
    """Return the pairing to which a match belongs; None where it isn't in the overview."""
    boards = (board for boards in overview.boards.values() for board in boards)
    return next((board for board in boards if any(one.match == match for one in board.matches)), None)


@dataclass(frozen=True, slots=True)
class Decision:
    """The match with which the winner won, and the picture of its end."""

    match: int
    leg: int
    names: str
    picture: Picture | None


def find_decision(overview: Overview) -> Decision | None:
    """Return the last match that the winner played and that counts; of a knockout that is the final."""
    if not overview.standings:
        return None
    winner = overview.standings[0].number
    audience = Audience(overview.tournament.audience_id)
    for round in reversed(overview.counted_rounds):
        for board in overview.boards.get(round.pk, []):
            matches = [one.match for one in board.counting_matches if one.is_over]
            if winner in board.numbers and matches:
                leg = find_longest_leg(matches[-1])
                names = _(" v ").join(overview.find_bot_name(number) for number in board.numbers)
                return Decision(matches[-1], leg, names, draw_end_of_leg(audience, matches[-1], leg))
    return None
