"""Sentences and names of tournaments in the reader's language."""

from collections.abc import Callable
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.text import get_text_list
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.messages import render_message
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.overview import Overview
from arena.tournaments.settings import GAME_POINTS, Settings
from arena.tournaments.standings import TIE_BREAKS
from engine.message import Message

State = Tournament.State
FORMATS = {
    "swiss": (gettext_lazy("Swiss"), gettext_lazy("In each round those with about the same score meet, never twice.")),
    "round-robin": (gettext_lazy("Round robin"), gettext_lazy("Everybody meets everybody once.")),
    "double-round-robin": (gettext_lazy("Double round robin"), gettext_lazy("Everybody meets everybody twice.")),
    "single-elimination": (
        gettext_lazy("Single elimination"),
        gettext_lazy("The loser is out. The third place is shared."),
    ),
    "double-elimination": (
        gettext_lazy("Double elimination"),
        gettext_lazy(
            "A bot that loses twice is out. Who comes from the losers' bracket must win the final twice, as its "
            "opponent has not lost yet."
        ),
    ),
    "groups": (gettext_lazy("Groups, then a knockout"), gettext_lazy("In a group everybody meets everybody once.")),
    "tables": (
        gettext_lazy("Tables"),
        gettext_lazy("In each round those with about the same score sit at one table."),
    ),
}
"""By key of a format: its name, and how it goes."""
COLUMNS = {
    "direct": (
        gettext_lazy("Direct"),
        gettext_lazy(
            "Direct encounter: the points from the pairings of those who are tied with each other, where all of them "
            "met."
        ),
    ),
    "buchholz": (
        gettext_lazy("Buchholz"),
        gettext_lazy("The sum of the scores of all opponents; at a larger table, their mean in each round."),
    ),
    "buchholz_cut_1": (gettext_lazy("Cut 1"), gettext_lazy("Buchholz without the round that adds the least.")),
    "sonneborn_berger": (
        gettext_lazy("S-B"),
        gettext_lazy("Sonneborn-Berger: the scores of the opponents that were beaten, and half of those it drew with."),
    ),
    "wins": (gettext_lazy("Wins"), gettext_lazy("The pairings won by playing.")),
    "lot": (
        gettext_lazy("Lot"),
        gettext_lazy("The lot, drawn from the seed of the tournament before its first round: the lowest is first."),
    ),
}
"""What breaks ties, as `standings.TIE_BREAKS` says in English: the title of its column, and what it is."""
HALVES = 2


def tie_breaks() -> list[tuple[str, str, str]]:
    """Return key, title and explanation of each tie-break, in the order in which they count."""
    found = ((key, *COLUMNS.get(key, (title, words))) for key, title, words in TIE_BREAKS)
    return [(key, str(title), str(words)) for key, title, words in found]


def points(value: float | None) -> str:
    """Return a score as people write it: ½ for a half."""
    if value is None:
        return "–"
    if value * HALVES == int(value * HALVES):
        whole, half = divmod(int(value * HALVES), HALVES)
        return f"{whole or ''}½" if half else str(whole)
    return number_format(value, 2)


def format_name(key: str) -> str:
    """Return a format's name in the reader's language."""
    return str(FORMATS[key][0])


def moment(at: Any) -> str:
    """Return a point in time, written out."""
    return date_format(localtime(at), "DATETIME_FORMAT")


def list_names(names: list[str]) -> str:
    """Return names joined by commas and "and"."""
    return get_text_list(names, _("and"))


def render_reason(reason: Message | None) -> str:
    """Return a reason in the reader's language, empty where there is none."""
    return "" if reason is None else render_message(reason)


def describe_state(overview: Overview) -> str:
    """Return the state of a tournament and what happens next."""
    tournament = overview.tournament
    describers: dict[State, Callable[[], str]] = {
        State.DRAFT: lambda: _("Only its organiser sees it until it is opened for entries."),
        State.OPEN: lambda: describe_entries(tournament),
        State.CHECKING: lambda: describe_checks(overview),
        State.RUNNING: lambda: describe_round(overview),
        State.FINISHED: lambda: describe_winner(winners(overview)),
    }
    describer = describers.get(State(tournament.state), lambda: render_reason(tournament.state_reason))
    return describer()


def describe_entries(tournament: Tournament) -> str:
    """Return until when bots can be entered."""
    if tournament.entries_close_at is None:
        return _("Bots can be entered until its organiser starts it.")
    return _("Bots can be entered until %(time)s.") % {"time": moment(tournament.entries_close_at)}


def describe_checks(overview: Overview) -> str:
    """Return how many checks are over."""
    there = [one for one in overview.entrants if not one.is_out]
    over = sum(one.state != Entrant.State.CHECKING for one in there)
    return _("Nobody enters any more. It begins when all checks are over: %(over)d of %(all)d are.") % {
        "over": over,
        "all": len(there),
    }


def describe_round(overview: Overview) -> str:
    """Return how many pairings of the current round are over."""
    if overview.last is None:
        return _("It has begun: the first round is being drawn.")
    boards = overview.boards.get(overview.last.pk, [])
    over = sum(board.is_over for board in boards)
    return ngettext(
        "%(over)d of %(all)d pairing of this round is over.",
        "%(over)d of %(all)d pairings of this round are over.",
        len(boards),
    ) % {"over": over, "all": len(boards)}


def winners(overview: Overview) -> list[str]:
    """Return the names of those who share the first place."""
    return [one.bot.name for one in overview.entrants if one.place == 1]


def describe_winner(names: list[str]) -> str:
    """Return who has won."""
    if len(names) == 1:
        return _("%(name)s has won.") % {"name": names[0]}
    return _("%(names)s share the first place.") % {"names": list_names(names)} if names else _("Nobody has won.")


def round_of(overview: Overview) -> str:
    """Return the number of the current round, of how many; in the end, how many rounds there were."""
    words = {"number": overview.last.number if overview.last else 1, "all": overview.length}
    if overview.tournament.is_over:
        return str(words["number"])
    if overview.tournament.format.key == "double-elimination":
        return _("%(number)d of at most %(all)d") % words
    return _("%(number)d of %(all)d") % words


def describe_settings(tournament: Tournament) -> list[str]:
    """Return in sentences how a tournament is decided."""
    settings, format = tournament.full_settings, tournament.format
    sentences = [str(FORMATS[format.key][1])]
    if format.key == "groups":
        sentences.append(
            _("There are %(groups)d groups, and the best %(advance)d of each go on into the knockout.")
            % {"groups": settings.groups, "advance": settings.advance_per_group}
        )
    sentences += describe_matches(settings, format.is_bracket, format.key == "groups")
    if not format.is_bracket or format.key == "groups":
        sentences.append(describe_scoring(settings))
        sentences.append(_("Ties are broken by the columns of the standings, from left to right."))
    sentences.append(
        _("Its matches count for the ladder, too, where all bots of a match are on it.")
        if tournament.is_rated
        else _("Its matches do not count for the ladder.")
    )
    if tournament.is_low_priority:
        sentences.append(_("It is in no hurry: its matches are played when nothing else waits."))
    return sentences


def describe_matches(settings: Settings, is_bracket: bool, has_groups: bool) -> list[str]:
    """Return in sentences what a pairing is."""
    seats = (
        _("A match is a mirrored pair: two legs on the same deal with the seats swapped.")
        if settings.seats == HALVES
        else _("A match is %(seats)d legs on the same deal: everybody takes every seat once.")
        % {"seats": settings.seats}
    )
    plain = ngettext(
        "A pairing is %(pairs)d match.", "A pairing is %(pairs)d matches.", settings.matches_per_pairing
    ) % {"pairs": settings.matches_per_pairing}
    best = _("In a knockout a pairing is the best of %(pairs)d, and ends when it can't be turned any more.")
    best = (
        best % {"pairs": settings.matches_per_pairing}
        if settings.matches_per_pairing > 1
        else _("In a knockout a pairing is one match.")
    )
    extra = ngettext(
        "Where it is even, up to %(extra)d match more is played, until one of the two is ahead.",
        "Where it is even, up to %(extra)d matches more are played, until one of the two is ahead.",
        settings.max_tiebreak_matches,
    ) % {"extra": settings.max_tiebreak_matches}
    last = _("If it is still even, the higher sum of game points goes on; then the better seed.")
    ways = [plain] if not is_bracket or has_groups else []
    if is_bracket:
        ways += [best, *([extra] if settings.max_tiebreak_matches else []), last]
    return [seats, *ways]


def describe_scoring(settings: Settings) -> str:
    """Return in a sentence what counts."""
    if settings.scoring == GAME_POINTS:
        return _("What counts is the sum of the game points of all legs.")
    if settings.seats > HALVES:
        return _("A table counts by the share of the others that were left behind, from 0 to 1.")
    return _("A pairing that is won counts 1, an even one ½.")
