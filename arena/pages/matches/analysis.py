"""The analysis of a leg on its replay page: the panel, the request for it, and its file."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import orjson
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from arena import tasks
from arena.analysis.capacity import is_analysis_on
from arena.analysis.models import LegAnalysis
from arena.analysis.queries.analyses import LegAnalyses, Subject, count_ahead, fetch_result, find_analyses
from arena.analysis.services.requesting import request_analysis
from arena.errors import ArenaError
from arena.matches.models import Leg
from arena.messages import render_message
from arena.pages.games.presentation import Presentation
from arena.pages.matches.judgements import (
    Judged,
    SeatBalance,
    describe_judgement,
    list_balances,
    list_known_chances,
    list_open_chances,
)
from arena.pages.matches.moves import Move
from arena.pages.matches.opened import find_opened_leg
from arena.pages.matches.replay import Playback
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.reader import signed_in_reader
from arena.pages.svg.timeline import AnalysedChances
from engine.analysis.evaluators import has_evaluator
from engine.core import Json


@dataclass(frozen=True, slots=True)
class AnalysisPanel:
    """The state of the analysis of a leg, or of a live game, for its page, also where there is none."""

    subject: Subject
    found: LegAnalyses
    is_possible: bool
    """There is a value function for these rules."""
    is_on: bool
    """The arena makes analyses."""
    ahead: int
    """Analyses that are made before this one, where it waits."""
    may_request: bool = True
    """Whoever is signed in may request the analysis of a leg of a match; of a live game only who played it."""
    is_hidden: bool = False
    """The address asks for the replay without it."""
    balances: tuple[SeatBalance, ...] = ()
    mistakes: tuple[tuple[Move, Judged], ...] = ()
    function: str = ""
    """Version of the value function."""

    @property
    def url(self) -> str:
        """Return the address that requests it, and reports its progress."""
        return self._find_address("analysis")

    @property
    def learn_url(self) -> str:
        """Return the address of the page to learn from the mistakes."""
        return self._find_address("learn")

    @property
    def file_url(self) -> str:
        """Return the address of the analysis as a file."""
        return self._find_address("analysis_file")

    def _find_address(self, name: str) -> str:
        if isinstance(self.subject, Leg):
            return reverse(name, args=[self.subject.match_id, self.subject.number])
        return reverse(f"live_game_{name}", args=[self.subject.slug])

    @property
    def percent(self) -> int:
        """Return how far the pending analysis is."""
        return int(100 * self.found.pending.progress) if self.found.pending else 0

    @property
    def is_refused(self) -> bool:
        """Return whether the arena failed to make it, and there is no older one."""
        newest = self.found.newest
        return newest is not None and newest.state == LegAnalysis.State.FAILED and self.found.done is None


def build_panel(subject: Subject, query: QueryDict, *, may_request: bool = True) -> AnalysisPanel:
    """Return what there is of the analysis of a leg, or of a live game, without its content."""
    played = subject.match if isinstance(subject, Leg) else subject
    is_possible = not played.changed_options and has_evaluator(played.game, played.edition)
    found = find_analyses(subject) if is_possible else LegAnalyses(None, None)
    return AnalysisPanel(
        subject=subject,
        may_request=may_request,
        found=found,
        is_possible=is_possible,
        is_on=is_analysis_on(),
        ahead=count_ahead(found.pending) if found.pending else 0,
        is_hidden=query.get("analysis") == "off",
    )


def read_shown_analysis(panel: AnalysisPanel) -> Json | None:
    """Return the analysis that the page shows; None where there is none, or it isn't wanted."""
    return None if panel.is_hidden or panel.found.done is None else panel.found.done.result_data


def describe_chances(playback: Playback, analysis: Json | None) -> AnalysedChances | None:
    """Return the lines of the graph: all of them, or what the onlooker's seat could know."""
    if analysis is None:
        return None
    known = [list_known_chances(playback.steps, analysis, seat) for seat in range(len(analysis["seats"]))]
    lines = [known[0], [1 - chance for chance in known[1]]]
    if playback.onlooker is not None:
        return AnalysedChances(lines[playback.onlooker])
    return AnalysedChances(list_open_chances(playback.steps, analysis), list(enumerate(lines)))


def describe_analysis(panel: AnalysisPanel, analysis: Json | None, playback: Playback, context: Json) -> dict[str, Any]:
    """Return the panel with its content, for the template. `context` has the moves and the names of the seats."""
    if analysis is None:
        return {"analysis": panel}
    presentation: Presentation = context["presentation"]
    mistakes = [
        (context["moves"][number - 1], describe_judgement(judgement, presentation))
        for number, judgement in sorted(playback.judgements.items())
    ]
    filled = replace(
        panel,
        balances=tuple(list_balances(analysis, context["seat_names"])),
        mistakes=tuple(mistakes),
        function=analysis["function"]["version"],
    )
    return {"analysis": filled}


def show_progress(request: HtmxRequest, pk: int, number: int) -> HttpResponse:
    """Report the progress of an analysis to a page that polls, or request it (POST)."""
    leg = find_opened_leg(request, pk, number)
    if request.method == "POST":
        return request_own(request, leg)
    if not request.htmx:
        return redirect_to_replay(leg)
    return report_progress(request, build_panel(leg, request.GET))


def report_progress(request: HtmxRequest, panel: AnalysisPanel) -> HttpResponse:
    """Send the panel to a page that polls, and have it loaded again once there is an analysis."""
    if panel.found.pending is None:
        return HttpResponseClientRefresh()
    template = "matches/_analysis.html"
    return render_live(request, template, template, {"analysis": panel}, is_final=False)


@login_required
def request_own(request: HttpRequest, leg: Leg) -> HttpResponse:
    """Request the analysis of a leg, and go back to its replay."""
    ask_for_analysis(request, lambda: request_analysis(user=signed_in_reader(request), leg=leg))
    return redirect_to_replay(leg)


def ask_for_analysis(request: HttpRequest, ask: Callable[[], LegAnalysis]) -> None:
    """Request an analysis and have a worker told of it, or say on the next page why it was refused."""
    try:
        analysis = ask()
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        if analysis.is_pending:
            tasks.analyse_next.delay_on_commit()


def redirect_to_replay(leg: Leg) -> HttpResponse:
    """Send the reader to the replay of a leg, at its analysis."""
    return redirect(f"{leg.match.get_absolute_url()}?{urlencode({'leg': leg.number})}#analysis")


def download(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send the analysis of a leg as a file, beside its record."""
    leg = find_opened_leg(request, pk, number)
    return send_analysis(leg, f"pennant-{pk}-{number}-analysis.json")


def send_analysis(subject: Subject, name: str) -> HttpResponse:
    """Send the analysis of a leg, or of a live game, as a file of this name. Raises Http404 where there is none."""
    analysis = fetch_result(subject)
    if analysis is None:
        raise Http404(_("This leg has not been analysed. Its replay has a button for that."))
    content = orjson.dumps(analysis.result_data, option=orjson.OPT_INDENT_2)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "no-cache"
    return response
