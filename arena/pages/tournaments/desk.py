"""The organiser's desk: what needs a hand first, with the actions beside it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.comparisons.queries.shared_deals import list_matches_with_deal_in_play
from arena.groups.codes import format_code
from arena.matches.models import LegSeat
from arena.pages.appearance import TOURNAMENT_STATES
from arena.pages.formatting import format_moment
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.reader import signed_in_reader
from arena.pages.real_names import RealNames, fetch_shown_names, find_shown_group
from arena.pages.tournaments.attention import Step, list_attention
from arena.pages.tournaments.entering import Line, count_entrants, read_lines, takes_entries
from arena.pages.tournaments.organising import NOT_YOURS, refuse
from arena.pages.tournaments.phase_words import PHASE_NAMES, describe_planned_rounds
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.rounds import PairingRow, build_pairing
from arena.pages.tournaments.words import describe_audience, format_name
from arena.tournaments.models import Entrant, Round, Tournament
from arena.tournaments.phases import count_expected_entrants, name_phases
from arena.tournaments.queries.faults import list_faulty_seats
from arena.tournaments.queries.overview import Overview, fetch_boards, fetch_matches
from arena.tournaments.queries.tournaments import list_acts, list_counted_rounds, list_enterable_bots
from arena.tournaments.services.admitting import CHANGEABLE_STATES
from arena.tournaments.services.forecasting import estimate_time_left
from arena.tournaments.services.organisers import is_chief_organiser, is_organiser
from arena.tournaments.services.seeding import list_seed_sources

State = Tournament.State
ACTS_SHOWN = 12
FAULTS_SHOWN = 30
NEXT_STEP_TEXTS = {
    State.DRAFT: gettext_lazy("Only you see it. Once its settings are complete, open entries."),
    State.OPEN: gettext_lazy(
        "Authors enter their bots, and each bot plays a check match at once. When entries close, versions are frozen, "
        "and the tournament starts once all checks are over."
    ),
    State.CHECKING: gettext_lazy(
        "Entries are closed. The tournament starts once all checks are over; bots that fail don't take part."
    ),
    State.RUNNING: gettext_lazy("When a round is over, the next one is paired automatically."),
    State.PAUSED: gettext_lazy("No more matches start until you resume it. It continues where it was paused."),
    State.FINISHED: gettext_lazy("Places are final, and everybody can check the deals."),
    State.CANCELLED: gettext_lazy("It has no winner. Its matches stay visible."),
}


@dataclass(frozen=True, slots=True)
class Stage:
    """A mark on the line from the entries to the end."""

    title: str
    detail: str
    is_over: bool
    is_current: bool


@login_required
def show_desk(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the organiser's page of a tournament; a poll gets what changes by itself."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    reader = signed_in_reader(request)
    lines, rounds = read_lines(tournament, reader), list_counted_rounds(tournament)
    context = describe(tournament, lines, rounds, fetch_shown_names(request, tournament.group_id))
    if not request.htmx:
        context |= describe_rest(request, tournament, lines, rounds)
        context["group"] = find_shown_group(request, tournament.group_id)
    parts = ("tournaments/organise.html", "tournaments/organise_now.html")
    return render_live(request, *parts, context, tournament.is_over, reloads_at_end=True)


def describe(
    tournament: Tournament, lines: Sequence[Line], rounds: Sequence[Round], names: RealNames
) -> dict[str, Any]:
    """Return what changes by itself: the state, the stages, the figures, and what needs attention."""
    field = sum(line.entrant.number is not None for line in lines)
    settings, there = tournament.full_settings, count_entrants(lines)
    round = rounds[-1] if rounds else None
    return {
        "tournament": tournament,
        "real_names": names,
        "chip": TOURNAMENT_STATES[State(tournament.state)],
        "next": NEXT_STEP_TEXTS[State(tournament.state)],
        "there": there,
        "checks": Counter(line.entrant.state for line in lines),
        "length": tournament.format.count_rounds(field, settings) if field > 1 else None,
        "round": round,
        "seconds_left": estimate_time_left(tournament),
        "rounds_planned": describe_planned_rounds(tournament, there),
        "stages": list_stages(tournament, field or there, rounds),
        "attention": list_attention(tournament, round, names),
        "primary": find_primary_step(tournament),
        "condition": describe_condition(tournament, lines),
    }


def find_primary_step(tournament: Tournament) -> Step | None:
    """Return what comes next by the organiser's hand; None where nothing does. What can't be undone asks first."""
    slug = tournament.slug
    if tournament.state == State.DRAFT:
        return Step(_("Open entries"), reverse("open_tournament", args=[slug]), is_post=True)
    if tournament.state == State.OPEN:
        return Step(_("Close entries and start"), "#start-now")
    if tournament.state == State.PAUSED:
        return Step(_("Resume"), reverse("resume_tournament", args=[slug]), is_post=True)
    return None


def describe_condition(tournament: Tournament, lines: Sequence[Line]) -> str:
    """Return who would play if entries were closed now; empty once they are."""
    if tournament.state != State.OPEN:
        return ""
    states = Counter(line.entrant.state for line in lines)
    ready = states[Entrant.State.READY]
    words = ngettext("%(count)d bot is ready.", "%(count)d bots are ready.", ready) % {"count": ready}
    failed = states[Entrant.State.FAILED]
    if failed:
        stays = ngettext("%(count)d that fails stays out.", "%(count)d that fail stay out.", failed)
        words = f"{words} {stays % {'count': failed}}"
    return words


def list_stages(tournament: Tournament, there: int, rounds: Sequence[Round]) -> list[Stage]:
    """Return the marks of entries, phases and the end."""
    settings, format = tournament.full_settings, tournament.format
    count = there if tournament.has_started else count_expected_entrants(there, settings, tournament.max_entrants)
    begun, over = len(rounds), sum(round.finished_at is not None for round in rounds)
    closed = tournament.has_started or tournament.is_over
    stages = [Stage(_("Entries"), describe_entry_time(tournament), closed, not closed)]
    before = 0
    for key, length in zip(name_phases(format), format.count_phase_rounds(count, settings), strict=True):
        title = str(PHASE_NAMES[key]) if format.first_phase is not None else format_name(format.key)
        number = min(begun - before, length)
        is_over = over - before >= length or tournament.is_over
        detail = (
            _("round %(number)d of %(all)d") % {"number": number, "all": length}
            if number > 0 and not is_over
            else _("rounds: %(all)d") % {"all": length}
        )
        is_current = not is_over and tournament.has_started and over >= before
        stages.append(Stage(title, detail, is_over, is_current))
        before += length
    ended = format_moment(tournament.finished_at) if tournament.finished_at else ""
    stages.append(Stage(_("Over"), ended, tournament.is_over, False))
    return stages


def describe_entry_time(tournament: Tournament) -> str:
    """Return until when entries are open, or when they were closed."""
    if tournament.state == State.DRAFT:
        return _("not open yet")
    if tournament.entries_close_at is None:
        return _("until you close them")
    time = format_moment(tournament.entries_close_at)
    if takes_entries(tournament):
        return _("until %(time)s") % {"time": time}
    return _("closed %(time)s") % {"time": time}


def describe_rest(
    request: HttpRequest, tournament: Tournament, lines: Sequence[Line], rounds: Sequence[Round]
) -> dict[str, Any]:
    """Return what the page shows once: forms, entrants, access and the record."""
    reader = signed_in_reader(request)
    is_open = not tournament.has_started and not tournament.is_over
    may_edit = is_open and not tournament.is_rehearsal
    may_seed = bool(lines) and is_open
    acts = list_acts(tournament, as_organiser=True)
    return {
        "lines": lines,
        "rounds": rounds,
        "may_edit": may_edit,
        "may_replay": tournament.state in (State.RUNNING, State.PAUSED),
        "may_pause": tournament.state in (State.RUNNING, State.CHECKING),
        "takes_entries": takes_entries(tournament),
        "choices": list_enterable_bots(tournament, reader) if takes_entries(tournament) else [],
        **describe_access(request, tournament),
        "seed_sources": list_seed_sources(tournament, reader) if may_seed else [],
        "may_seed": may_seed,
        "faulty": list_open_faults(tournament) if tournament.has_started else [],
        "pairings": list_decidable(tournament, lines, rounds),
        "acts": acts[:ACTS_SHOWN],
        "act_count": acts.count(),
        "organisers": list(tournament.co_organisers.order_by("username")),
        "is_chief": is_chief_organiser(tournament, reader),
        "rehearsal": tournament.rehearsals.first(),
    }


def list_decidable(tournament: Tournament, lines: Sequence[Line], rounds: Sequence[Round]) -> list[PairingRow]:
    """Return the pairings of the current round that the organiser can decide, or has decided."""
    if tournament.state not in (State.RUNNING, State.PAUSED) or not rounds or rounds[-1].finished_at is not None:
        return []
    entrants = [line.entrant for line in lines]
    overview = Overview(tournament, entrants, list(rounds), fetch_boards([rounds[-1].pk]))
    fetch_matches(overview)
    boards = [board for board in overview.boards[rounds[-1].pk] if not board.is_bye]
    return [build_pairing(overview, board) for board in boards if not board.is_over or board.is_given]


def describe_access(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return who sees a tournament and who may enter, for its organiser: the code and the links, too."""
    code = format_code(tournament.entry_code or "")
    address = request.build_absolute_uri(reverse("enter_tournament", args=[tournament.slug]))
    return {
        "access_sentences": describe_audience(tournament),
        "entry_code": code,
        "entry_link": f"{address}?code={code}" if code else "",
        "link": "" if tournament.is_public else request.build_absolute_uri(tournament.get_absolute_url()),
        "may_publish": tournament.visibility != Tournament.Visibility.PUBLIC and not tournament.is_rehearsal,
        "may_renew_code": bool(code) and tournament.state in CHANGEABLE_STATES,
    }


def list_open_faults(tournament: Tournament) -> list[LegSeat]:
    """Return the newest faults; those in legs whose deal is still in play elsewhere are left out."""
    seats = list_faulty_seats(tournament, FAULTS_SHOWN)
    in_play = list_matches_with_deal_in_play([seat.leg.match_id for seat in seats])
    return [seat for seat in seats if seat.leg.match_id not in in_play]
