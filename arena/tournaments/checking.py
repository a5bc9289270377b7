"""Check the plan of a new tournament: the form, the API and the command line refuse the same plans."""

from arena.tournaments.formats import find_format
from arena.tournaments.settings import MIN_ENTRANTS_FOR_THIRD_PLACE, InvalidSettings, Settings
from engine.core import Game
from engine.message import gettext_noop, message
from engine.series import BadSeries, check_series


def check_plan(settings: Settings, rules: Game, max_entrants: int) -> None:
    """Raise InvalidSettings for a plan that can't work with at most this number of entrants."""
    find_format(settings.format)
    settings.check()
    _check_seats(settings, rules)
    _check_series(settings, rules)
    _check_entrants(settings, max_entrants)
    _check_best_of(settings)
    _check_third_place(settings, max_entrants)


def _check_seats(settings: Settings, rules: Game) -> None:
    """Raise InvalidSettings if the game or the format has no tables of this size."""
    if settings.seats not in rules.seats:
        template = gettext_noop("%(title)s has no tables of %(seats)s seats. Possible: %(allowed)s.")
        allowed = ", ".join(map(str, rules.seats))
        raise InvalidSettings(message(template, title=rules.title, seats=settings.seats, allowed=allowed), "seats")
    if settings.format != "tables" and settings.seats != 2:
        template = gettext_noop("Tables of more than two seats are possible in rounds of tables only.")
        raise InvalidSettings(message(template), "seats")


def _check_series(settings: Settings, rules: Game) -> None:
    """Raise InvalidSettings if the game has no series."""
    if settings.series is None:
        return
    try:
        check_series(rules, settings.seats)
    except BadSeries as error:
        raise InvalidSettings(error.message, "series") from error


def _check_entrants(settings: Settings, max_entrants: int) -> None:
    """Raise InvalidSettings if more would have to advance than may take part."""
    if settings.knockout_entrants is None or settings.min_entrants <= max_entrants:
        return
    if settings.format == "groups":
        template = gettext_noop(
            "%(groups)s groups of which %(advance)s go on need at least %(least)s bots, and at most %(most)s may take "
            "part."
        )
        values = {"groups": settings.groups, "advance": settings.advance_per_group}
        values |= {"least": settings.min_entrants, "most": max_entrants}
        raise InvalidSettings(message(template, **values), "advance_per_group")
    template = gettext_noop("%(size)s bots can't advance to the knockout where at most %(most)s take part.")
    raise InvalidSettings(message(template, size=settings.min_entrants, most=max_entrants), "knockout_size")


def _check_best_of(settings: Settings) -> None:
    """Raise InvalidSettings if the pairings of a knockout could end even."""
    if find_format(settings.format).is_bracket and settings.matches_per_pairing % 2 == 0:
        template = gettext_noop(
            "In a knockout a pairing is the best of an odd number of matches, not of %(count)s: 1, 3, 5 and so on."
        )
        raise InvalidSettings(message(template, count=settings.matches_per_pairing), "matches_per_pairing")


def _check_third_place(settings: Settings, max_entrants: int) -> None:
    """Raise InvalidSettings if a match for third place is wanted, and the knockout has no two semi-finals."""
    if not settings.third_place_match or "third_place_match" not in find_format(settings.format).uses:
        return
    size = settings.knockout_entrants or max_entrants
    if size < MIN_ENTRANTS_FOR_THIRD_PLACE:
        template = gettext_noop("A match for third place needs a knockout of at least %(least)s bots, not %(size)s.")
        values = {"least": MIN_ENTRANTS_FOR_THIRD_PLACE, "size": size}
        raise InvalidSettings(message(template, **values), "third_place_match")
