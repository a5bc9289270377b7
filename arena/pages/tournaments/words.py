"""Tournaments in words and in lists: names and sentences about them, their phases and rounds."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.text import get_text_list

from arena.contests.tournaments.formats.base import Format
from arena.contests.tournaments.formats.brackets import THIRD_PLACE_BOUT, is_bout_name
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.overview import Overview, PairingOverview
from arena.contests.tournaments.phases import (
    KNOCKOUT,
    Phase,
    count_expected_entrants,
    explain_missing_rounds,
    find_round_reached,
)
from arena.contests.tournaments.queries import (
    list_awaited_versions,
    list_current_tournaments,
    list_tournaments_by_state,
)
from arena.contests.tournaments.services.access import may_organise
from arena.contests.tournaments.settings import GAME_POINTS, Settings
from arena.contests.tournaments.standings import TIE_BREAKS, Standing
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, isolate, ngettext, pgettext, render_message
from arena.pages.formatting import TOURNAMENT_STATES, format_moment
from arena.pages.matches.results import name_series
from arena.people.accounts.models import User
from engine.message import Message

# Names and sentences about the phases of a tournament, in the reader's language.

PHASE_NAMES = {
    "swiss": gettext_lazy("Swiss"),
    "groups": gettext_lazy("Groups"),
    KNOCKOUT: gettext_lazy("Knockout"),
}
"""The names of the phases of tournaments that have two, by their keys."""


def name_phase(phase: Phase) -> str:
    """Return the name of a phase of a tournament that has two."""
    return str(PHASE_NAMES[phase.key])


def name_knockout_round(bouts: int) -> str:
    """Return the title of the round of a knockout with so many bouts, the match for third place not counted."""
    names = {1: _("Final"), 2: _("Semi-finals"), 4: _("Quarter-finals")}
    return names.get(bouts) or _("Last %(count)d") % {"count": 2 * bouts}


def name_round(format: Format, boards: Sequence[PairingOverview]) -> str:
    """Return the phase to which a round with these pairings belongs, in a knockout its round; empty for one phase."""
    if format.first_phase is None or not boards:
        return ""
    names = [board.name for board in boards]
    if not any(map(is_bout_name, names)):
        return str(PHASE_NAMES[format.first_phase.key])
    bouts = sum(name != THIRD_PLACE_BOUT for name in names)
    return f"{PHASE_NAMES[KNOCKOUT]}: {name_knockout_round(bouts)}"


def name_current_phase(overview: Overview) -> str:
    """Return the phase that is played, in a knockout its round; empty for one phase, and before and after it all."""
    if overview.current_round is None or overview.tournament.is_over:
        return ""
    return name_round(overview.tournament.format, overview.boards.get(overview.current_round.pk, []))


def name_reached(overview: Overview, standing: Standing) -> str:
    """Return the round of the knockout that an entrant reached, or the name of the phase in which it stayed."""
    size = find_round_reached(standing, overview.phases, overview.settings)
    if size is None:
        return name_phase(overview.phases[0])
    special = {1: pgettext("a place", "Winner"), 3: _("Third place")}
    return special.get(size) or name_knockout_round(size // 2)


def describe_phases(settings: Settings, format: Format) -> list[str]:
    """Return sentences on who goes on to the knockout, how it is seeded, and what is played for third place."""
    sentences = []
    if format.key == "groups":
        sentences.append(
            _("%(groups)d groups play, and the best %(advance)d of each advance to the knockout.")
            % {"groups": settings.groups, "advance": settings.advance_per_group}
        )
    elif format.first_phase is not None:
        template = _("The best %(size)d bots in the Swiss phase advance to the knockout.")
        sentences.append(template % {"size": settings.knockout_size})
    if format.first_phase is not None:
        sentences.append(
            _(
                "The knockout is seeded by the standings before it: first meets last. Points don't carry "
                "over, and bots that don't advance keep their order."
            )
        )
    if "third_place_match" in format.uses:
        sentences.append(
            _("The losers of the semi-finals meet for third place.")
            if settings.third_place_match
            else _("Third place is shared.")
        )
    return sentences


def describe_planned_rounds(tournament: Tournament, there: int) -> tuple[str, str] | None:
    """Return the number of rounds before the start, phase by phase, and for how many bots that is; None afterwards."""
    if tournament.has_started or tournament.is_over:
        return None
    settings = tournament.full_settings
    count = count_expected_entrants(there, settings, tournament.max_entrants)
    rounds = " + ".join(map(str, tournament.format.count_phase_rounds(count, settings)))
    if count == there:
        return rounds, ngettext("with %(count)d bot", "with %(count)d bots", count) % {"count": count}
    return rounds, ngettext("with at most %(count)d bot", "with at most %(count)d bots", count) % {"count": count}


def explain_planned_rounds(tournament: Tournament, there: int) -> str:
    """Return before the start why a Swiss of the bots that have entered may have fewer rounds than planned, or ""."""
    settings = tournament.full_settings
    if tournament.has_started or tournament.is_over:
        return ""
    count = count_expected_entrants(there, settings, tournament.max_entrants)
    return render_reason(explain_missing_rounds(tournament.format, count, settings))


# Names and sentences about tournaments in the reader's language.

State = Tournament.State
FORMAT_TEXTS = {
    "swiss": (
        gettext_lazy("Swiss"),
        gettext_lazy("In each round, bots with similar scores meet, but no pair meets twice."),
    ),
    "round-robin": (gettext_lazy("Round robin"), gettext_lazy("Every bot meets every other once.")),
    "double-round-robin": (gettext_lazy("Double round robin"), gettext_lazy("Every bot meets every other twice.")),
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
    "groups": (gettext_lazy("Groups, then a knockout"), gettext_lazy("In a group, every bot meets every other once.")),
    "swiss-knockout": (
        gettext_lazy("Swiss, then a knockout"),
        gettext_lazy("Bots with similar scores meet, but no pair meets twice; then the best play a knockout."),
    ),
    "tables": (
        gettext_lazy("Tables"),
        gettext_lazy("In each round, all bots are seated at tables so that every pair meets about equally often."),
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
        gettext_lazy("Sum of all opponents' scores; at larger tables, their mean in each round."),
    ),
    "buchholz_cut_1": (gettext_lazy("Cut 1"), gettext_lazy("Buchholz without the round that adds the least.")),
    "sonneborn_berger": (
        gettext_lazy("S-B"),
        gettext_lazy("Sonneborn-Berger: the scores of beaten opponents, plus half the scores of tied ones."),
    ),
    "wins": (gettext_lazy("Wins"), gettext_lazy("Pairings won, without byes and walkovers.")),
    "lot": (
        gettext_lazy("Lot"),
        gettext_lazy("A random number drawn before the first round; the lowest comes first."),
    ),
}
"""Column title and explanation of each tie-break, as `standings.TIE_BREAKS` has them in English."""


TieBreaks = list[tuple[str, str, str]]
"""Key, title and explanation of tie-breaks, in the order in which they count."""


def list_tie_breaks() -> TieBreaks:
    """Return all tie-breaks in the reader's language."""
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
    return str(get_text_list([isolate(name) for name in names], _("and")))


def render_reason(reason: Message | None) -> str:
    """Return a reason in the reader's language, empty where there is none."""
    return "" if reason is None else render_message(reason)


def describe_state(overview: Overview) -> str:
    """Return the state of a tournament and what happens next."""
    tournament = overview.tournament
    describers: dict[State, Callable[[], str]] = {
        State.DRAFT: lambda: _("Only the organiser sees it until entries open."),
        State.OPEN: lambda: describe_entries(tournament),
        State.CHECKING: lambda: describe_checks(overview),
        State.RUNNING: lambda: describe_round(overview),
        State.FINISHED: lambda: describe_winner(list_winners(overview)),
    }
    if tournament.is_concealed and (tournament.state == State.FINISHED or overview.is_current_round_hidden):
        return describe_hidden_rounds(tournament)
    describer = describers.get(State(tournament.state), lambda: render_reason(tournament.state_reason))
    return describer()


def describe_hidden_rounds(tournament: Tournament) -> str:
    """Return a sentence on the rounds that only organisers see, and until when."""
    if tournament.reveals_at is None:
        return ngettext(
            "The last round is hidden until the organisers reveal it.",
            "The last %(count)d rounds are hidden until the organisers reveal them.",
            tournament.hidden_rounds,
        ) % {"count": tournament.hidden_rounds}
    return _("All rounds are finished. The organisers will reveal the result by %(time)s.") % {
        "time": format_moment(tournament.reveals_at)
    }


def describe_entries(tournament: Tournament) -> str:
    """Return a sentence that says when entries close."""
    if tournament.entries_close_at is None:
        return _("Entries are open until the organiser starts the tournament.")
    return _("Entries are open until %(time)s.") % {"time": format_moment(tournament.entries_close_at)}


def describe_audience(tournament: Tournament) -> list[str]:
    """Return sentences that say who sees a tournament and whose bots may enter."""
    audiences = {
        Tournament.Visibility.PUBLIC: gettext_lazy("Public."),
        Tournament.Visibility.LINK: gettext_lazy("Unlisted: only people with the link can see it."),
        Tournament.Visibility.GROUP: gettext_lazy("Only group members can see it."),
    }
    rules = {
        Tournament.EntryRule.ANYONE: gettext_lazy("Anyone who can see it can enter."),
        Tournament.EntryRule.GROUP: gettext_lazy("Only group members can enter bots."),
        Tournament.EntryRule.CODE: gettext_lazy("Authors need a code to enter bots."),
        Tournament.EntryRule.LIST: gettext_lazy("Only authors on a list can enter bots."),
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
    over = sum(one.state not in (Entrant.State.ON_TRIAL, Entrant.State.CHECKING) for one in there)
    checks = _("Entries are closed. The tournament starts when all checks are done: %(over)d of %(all)d so far.") % {
        "over": over,
        "all": len(there),
    }
    late = list_awaited_versions(overview.tournament).count()
    if not late:
        return checks
    waits = ngettext(
        "It's waiting for the trial of %(count)d version uploaded in time.",
        "It's waiting for the trials of %(count)d versions uploaded in time.",
        late,
    )
    return f"{checks} {waits % {'count': late}}"


def describe_round(overview: Overview) -> str:
    """Return a sentence with the number of finished pairings in the current round."""
    if overview.current_round is None:
        return _("The first round is being paired.")
    boards = overview.boards.get(overview.current_round.pk, [])
    over = sum(board.is_over for board in boards)
    return ngettext(
        "%(over)d of %(all)d pairing finished.",
        "%(over)d of %(all)d pairings finished.",
        len(boards),
    ) % {"over": over, "all": len(boards)}


def list_winners(overview: Overview) -> list[str]:
    """Return the names of the bots in first place."""
    return [one.bot.name for one in overview.entrants if one.place == 1]


def describe_winner(names: list[str]) -> str:
    """Return a sentence that names the winners."""
    if len(names) == 1:
        return _("%(name)s has won.") % {"name": names[0]}
    return _("%(names)s share first place.") % {"names": list_names(names)} if names else _("No winner.")


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
        sentences.append(_("Ties are broken by the standings' columns, left to right."))
    sentences.append(
        _("Matches count towards the ladder if all their bots are on it.")
        if tournament.is_rated
        else _("Matches don't count towards the ladder.")
    )
    if tournament.allows_remote:
        sentences.append(
            _("Remote bots can enter. They run on their authors' machines, with 60 s a move and 10 minutes a leg.")
        )
        sentences.append(_("In pairings with a remote bot, each leg has its own deal."))
    if tournament.hidden_rounds and tournament.revealed_at is None:
        sentences.append(describe_hidden_rounds(tournament))
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
        seats = _("A match is %(seats)d legs on the same deal: every bot takes every seat once.") % {
            "seats": settings.seats
        }
    plain = ngettext(
        "A pairing is %(pairs)d match.", "A pairing is %(pairs)d matches.", settings.matches_per_pairing
    ) % {"pairs": settings.matches_per_pairing}
    best = (
        _("In a knockout, a pairing is best of %(pairs)d and ends once it's decided.")
        % {"pairs": settings.matches_per_pairing}
        if settings.matches_per_pairing > 1
        else _("In a knockout, a pairing is one match.")
    )
    extra = ngettext(
        "If it's tied, up to %(extra)d more match is played until one bot leads.",
        "If it's tied, up to %(extra)d more matches are played until one bot leads.",
        settings.max_tiebreak_matches,
    ) % {"extra": settings.max_tiebreak_matches}
    last = _("If it's still tied, the bot with more game points advances, then the better seed.")
    sentences = [plain] if not is_bracket or has_phases else []
    if is_bracket:
        sentences += [best, *([extra] if settings.max_tiebreak_matches else []), last]
    return [seats, *sentences]


def describe_scoring(settings: Settings) -> str:
    """Return a sentence that describes the scoring."""
    if settings.scoring == GAME_POINTS:
        return _("The score is the sum of all legs' game points.")
    if settings.seats > 2:
        return _("A bot's score at a table is the share of opponents it finished ahead of, from 0 to 1.")
    return _("A won pairing scores 1, a tied one ½.")


# The list of all tournaments.

TOURNAMENTS_PER_PAGE = 25
ACTIVE_STATES = (State.RUNNING, State.CHECKING, State.PAUSED)
FINAL_STATES = (State.FINISHED, State.CANCELLED)
STATE_FILTERS: dict[str, tuple[Any, tuple[State, ...]]] = {
    "": (gettext_lazy("All"), ()),
    "running": (gettext_lazy("Running"), ACTIVE_STATES),
    "open": (gettext_lazy("Open for entries"), (State.OPEN,)),
    "over": (gettext_lazy("Finished"), FINAL_STATES),
}
"""The filters of the list: label and states."""


def show_tournaments(request: HttpRequest) -> HttpResponse:
    """Show the list of tournaments."""
    chosen = request.GET.get("state", "")
    chosen = chosen if chosen in STATE_FILTERS else ""
    found = list_tournaments_by_state(request.user, STATE_FILTERS[chosen][1])
    page = Paginator(found, TOURNAMENTS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": make_tournament_lines(page.object_list),
        "chosen": chosen,
        "filters": {key: label for key, (label, _states) in STATE_FILTERS.items()},
        "may_organise": may_organise(request.user),
    }
    return render(request, "tournaments/index.html", context)


def make_tournament_lines(tournaments: Iterable[Tournament]) -> list[dict[str, Any]]:
    """Return tournaments as rows of the list."""
    return [
        {
            "tournament": one,
            "chip": TOURNAMENT_STATES[State(one.state)],
            "format": format_name(one.settings["format"]),
            "winner": list_names([entrant.bot.name for entrant in one.winners]),
        }
        for one in tournaments
    ]


def list_current_lines(reader: User | AnonymousUser, limit: int, **whose: Any) -> list[dict[str, Any]]:
    """Return the tournaments that go on or take entries, as rows; `whose` as in `list_current_tournaments`."""
    return make_tournament_lines(list_current_tournaments(reader, **whose)[:limit])
