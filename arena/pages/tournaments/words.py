"""Names and sentences about tournaments in the reader's language."""

from collections.abc import Callable

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.messages import render_message
from arena.pages.formatting import format_moment
from arena.pages.matches.results import name_series
from arena.pages.tournaments.phase_words import describe_phases
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.overview import Overview
from arena.tournaments.queries.tournaments import list_late_versions
from arena.tournaments.settings import GAME_POINTS, Settings
from arena.tournaments.standings import TIE_BREAKS
from engine.message import Message

State = Tournament.State
FORMAT_TEXTS = {
    "swiss": (gettext_lazy("Swiss"), gettext_lazy("In each round bots with about the same score meet, never twice.")),
    "round-robin": (gettext_lazy("Round robin"), gettext_lazy("Everybody meets everybody once.")),
    "double-round-robin": (gettext_lazy("Double round robin"), gettext_lazy("Everybody meets everybody twice.")),
    "single-elimination": (
        gettext_lazy("Single elimination"),
        gettext_lazy("The loser is out."),
    ),
    "double-elimination": (
        gettext_lazy("Double elimination"),
        gettext_lazy(
            "A bot that loses twice is out. The winner of the losers' bracket must win the final twice, because its "
            "opponent hasn't lost yet."
        ),
    ),
    "groups": (gettext_lazy("Groups, then a knockout"), gettext_lazy("In a group everybody meets everybody once.")),
    "swiss-knockout": (
        gettext_lazy("Swiss, then a knockout"),
        gettext_lazy("Bots with about the same score meet, never twice; then the best play a knockout."),
    ),
    "tables": (
        gettext_lazy("Tables"),
        gettext_lazy(
            "In each round all bots are seated at tables, so that everybody meets everybody about equally often."
        ),
    ),
}
"""The name and a description of each format, by key."""
TIE_BREAK_TEXTS = {
    "direct": (
        gettext_lazy("Direct"),
        gettext_lazy("Direct encounter: points from the pairings between tied entrants, if all of them have met."),
    ),
    "buchholz": (
        gettext_lazy("Buchholz"),
        gettext_lazy("Sum of the scores of all opponents; at a larger table, their mean in each round."),
    ),
    "buchholz_cut_1": (gettext_lazy("Cut 1"), gettext_lazy("Buchholz without the round that adds the least.")),
    "sonneborn_berger": (
        gettext_lazy("S-B"),
        gettext_lazy(
            "Sonneborn-Berger: the scores of beaten opponents, and half the scores of those with an even result."
        ),
    ),
    "wins": (gettext_lazy("Wins"), gettext_lazy("Pairings won, without byes and walkovers.")),
    "lot": (
        gettext_lazy("Lot"),
        gettext_lazy("Lot, drawn before the first round; the lowest is first."),
    ),
}
"""Column title and explanation of each tie-break, as `standings.TIE_BREAKS` has them in English."""


def list_tie_breaks() -> list[tuple[str, str, str]]:
    """Return key, title and explanation of each tie-break, in the order in which they count."""
    found = ((key, *TIE_BREAK_TEXTS.get(key, (title, words))) for key, title, words in TIE_BREAKS)
    return [(key, str(title), str(words)) for key, title, words in found]


def format_points(value: float | None) -> str:
    """Return a score with ½ for halves."""
    if value is None:
        return "–"
    if value * 2 == int(value * 2):
        whole, half = divmod(int(value * 2), 2)
        return f"{whole or ''}½" if half else str(whole)
    return number_format(value, 2)


def format_name(key: str) -> str:
    """Return a format's name in the reader's language."""
    return str(FORMAT_TEXTS[key][0])


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
        State.FINISHED: lambda: describe_winner(list_winners(overview)),
    }
    describer = describers.get(State(tournament.state), lambda: render_reason(tournament.state_reason))
    return describer()


def describe_entries(tournament: Tournament) -> str:
    """Return a sentence that says when entries close."""
    if tournament.entries_close_at is None:
        return _("Bots can be entered until its organiser starts it.")
    return _("Bots can be entered until %(time)s.") % {"time": format_moment(tournament.entries_close_at)}


def describe_audience(tournament: Tournament) -> list[str]:
    """Return sentences that say who sees a tournament and whose bots may enter."""
    audiences = {
        Tournament.Visibility.PUBLIC: gettext_lazy("Everybody sees it."),
        Tournament.Visibility.LINK: gettext_lazy("Only who has the link sees it: it stands in no list."),
        Tournament.Visibility.GROUP: gettext_lazy("Only members of its group see it."),
    }
    rules = {
        Tournament.EntryRule.ANYONE: gettext_lazy("Whoever sees it may enter bots."),
        Tournament.EntryRule.GROUP: gettext_lazy("Only members of its group may enter bots."),
        Tournament.EntryRule.CODE: gettext_lazy("Authors need a code to enter bots."),
        Tournament.EntryRule.LIST: gettext_lazy("Authors on a list may enter bots."),
    }
    sentences = [
        str(audiences[Tournament.Visibility(tournament.visibility)]),
        str(rules[Tournament.EntryRule(tournament.entry_rule)]),
    ]
    if tournament.are_entries_moderated:
        sentences.append(_("The organiser approves every entry."))
    return sentences


def describe_checks(overview: Overview) -> str:
    """Return a sentence with the number of finished checks."""
    there = [one for one in overview.entrants if not one.is_out]
    over = sum(one.state != Entrant.State.CHECKING for one in there)
    checks = _("Entries are closed. The tournament starts when all checks are over: %(over)d of %(all)d are.") % {
        "over": over,
        "all": len(there),
    }
    late, until = list_late_versions(overview.tournament).count(), overview.tournament.waits_for_trials_until
    if not late or until is None:
        return checks
    waits = ngettext(
        "It waits until %(time)s at most for the trial of %(count)d version that was uploaded in time.",
        "It waits until %(time)s at most for the trials of %(count)d versions that were uploaded in time.",
        late,
    )
    return f"{checks} {waits % {'time': format_moment(until), 'count': late}}"


def describe_round(overview: Overview) -> str:
    """Return a sentence with the number of finished pairings in the current round."""
    if overview.current_round is None:
        return _("The first round is being drawn.")
    boards = overview.boards.get(overview.current_round.pk, [])
    over = sum(board.is_over for board in boards)
    return ngettext(
        "%(over)d of %(all)d pairing of this round is over.",
        "%(over)d of %(all)d pairings of this round are over.",
        len(boards),
    ) % {"over": over, "all": len(boards)}


def list_winners(overview: Overview) -> list[str]:
    """Return the names of the bots in first place."""
    return [one.bot.name for one in overview.entrants if one.place == 1]


def describe_winner(names: list[str]) -> str:
    """Return a sentence that names the winners."""
    if len(names) == 1:
        return _("%(name)s has won.") % {"name": names[0]}
    return _("%(names)s share first place.") % {"names": list_names(names)} if names else _("Nobody has won.")


def describe_round_number(overview: Overview) -> str:
    """Return the number of the current round and of all rounds; after the end, the number of rounds played."""
    words = {"number": overview.current_round.number if overview.current_round else 1, "all": overview.rounds_planned}
    if overview.tournament.is_over:
        return str(words["number"])
    if overview.tournament.format.key == "double-elimination":
        return _("%(number)d of at most %(all)d") % words
    return _("%(number)d of %(all)d") % words


def describe_settings(tournament: Tournament) -> list[str]:
    """Return sentences that describe the settings of a tournament."""
    settings, format = tournament.full_settings, tournament.format
    sentences = [str(FORMAT_TEXTS[format.key][1])]
    sentences += describe_phases(settings, format)
    has_phases = format.first_phase is not None
    sentences += describe_matches(settings, format.is_bracket, has_phases)
    if not format.is_bracket or has_phases:
        sentences.append(describe_scoring(settings))
        sentences.append(_("Ties are broken by the columns of the standings, from left to right."))
    sentences.append(
        _("Matches count for the ladder if all their bots are on it.")
        if tournament.is_rated
        else _("Matches don't count for the ladder.")
    )
    if tournament.is_low_priority:
        sentences.append(_("Low priority: matches are played only when the queue is empty."))
    return sentences


def describe_matches(settings: Settings, is_bracket: bool, has_phases: bool) -> list[str]:
    """Return sentences that describe matches and pairings."""
    if settings.series is not None:
        seats = _("A match is a %(series)s: each game has a new deal, and the winner of one starts the next.") % {
            "series": name_series(settings.series)
        }
    elif settings.seats == 2:
        seats = _("A match is a mirrored pair: two legs on the same deal with the seats swapped.")
    else:
        seats = _("A match is %(seats)d legs on the same deal: everybody takes every seat once.") % {
            "seats": settings.seats
        }
    plain = ngettext(
        "A pairing is %(pairs)d match.", "A pairing is %(pairs)d matches.", settings.matches_per_pairing
    ) % {"pairs": settings.matches_per_pairing}
    best = (
        _("In a knockout a pairing is a best of %(pairs)d and ends once it is decided.")
        % {"pairs": settings.matches_per_pairing}
        if settings.matches_per_pairing > 1
        else _("In a knockout a pairing is one match.")
    )
    extra = ngettext(
        "If it is even, up to %(extra)d more match is played until one bot is ahead.",
        "If it is even, up to %(extra)d more matches are played until one bot is ahead.",
        settings.max_tiebreak_matches,
    ) % {"extra": settings.max_tiebreak_matches}
    last = _("If it is still even, the bot with more game points advances; then the better seed.")
    sentences = [plain] if not is_bracket or has_phases else []
    if is_bracket:
        sentences += [best, *([extra] if settings.max_tiebreak_matches else []), last]
    return [seats, *sentences]


def describe_scoring(settings: Settings) -> str:
    """Return a sentence that describes the scoring."""
    if settings.scoring == GAME_POINTS:
        return _("The score is the sum of the game points of all legs.")
    if settings.seats > 2:
        return _("The score of a table is the share of opponents left behind, from 0 to 1.")
    return _("A pairing won counts 1, an even one ½.")
