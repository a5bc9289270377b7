"""The analysis of a leg: the panel on its replay page, the request for it, and learning from its mistakes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import orjson
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django_htmx.http import HttpResponseClientRefresh

from arena.contests.analysis.models import LegAnalysis, WaitingLine
from arena.contests.analysis.queries import (
    LegAnalyses,
    ShownAnalysis,
    Subject,
    count_ahead,
    count_coarse_ahead,
    estimate_seconds,
    fetch_result,
    find_analyses,
    is_analysis_on,
)
from arena.contests.analysis.services import request_analysis
from arena.core.messages import gettext as _
from arena.matches.models import Leg
from arena.matches.queries import list_seats
from arena.pages.formatting import rules_title
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.games.sentence import Sentence
from arena.pages.matches.frames import (
    GIVEN_UP_TITLES,
    JUDGEMENT_TITLES,
    JUDGEMENT_TONES,
    ExpectedInWords,
    JudgedInWords,
    ReplayMove,
    SeatBalance,
    build_stage,
    describe_expected,
    describe_judgement,
    find_opened_leg,
    list_balances,
    list_open_chances,
    list_winning_chances_known_to,
    match_decisions,
    name_winner,
    to_points,
)
from arena.pages.matches.replay import (
    PUBLIC_ONLOOKER,
    Playback,
    Scene,
    SolvedStep,
    Step,
    list_views,
    name_view,
    play_back,
)
from arena.pages.serving import HtmxRequest, read_key, refusal_as_message, render_live, signed_in_reader
from arena.pages.svg.timeline import AnalysedChances
from engine.analysis.evaluators import has_evaluator
from engine.analysis.leg import COARSE
from engine.core import Json
from engine.replay import states

# The analysis of a leg on its replay page: the panel, the request for it, and its file.

SHOWN_PARAMETER = "shown"
"""Parameter of a poll: whether its page shows a coarse result."""


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
    """Analyses that are made before this one, where it waits: by the coarse pass, as long as that is next."""
    expected_s: float | None = None
    """Seconds until its next result; None where nothing can be said."""
    may_request: bool = True
    """Whoever is signed in may request the analysis of a leg of a match; of a live game only who played it."""
    is_hidden: bool = False
    """The address asks for the replay without it."""
    balances: tuple[SeatBalance, ...] = ()
    mistakes: tuple[tuple[ReplayMove, JudgedInWords], ...] = ()
    solved: SolvedStep | None = None
    """The first step after which the leg is solved."""
    solved_turn: int | None = None
    solved_seat: str = ""
    """Name of the seat that wins from there; empty for a draw."""
    expected: ExpectedInWords | None = None
    """What is said of the first step after which the mean over the hidden cards is known."""
    expected_turn: int | None = None
    function: str = ""
    """Version of the value function."""
    redeals: int = 0
    """Redeals by which choices were compared."""

    @property
    def url(self) -> str:
        """Return the address that requests it, and reports its progress."""
        return self._find_address("analysis")

    @property
    def progress_url(self) -> str:
        """Return the address that reports its progress to this page, which shows what it shows."""
        shown = COARSE if self.found.shown is not None and self.found.shown.is_coarse else ""
        return f"{self.url}?{urlencode({SHOWN_PARAMETER: shown} | ({'analysis': 'off'} if self.is_hidden else {}))}"

    @property
    def shown(self) -> ShownAnalysis | None:
        """Return what the page shows of it; None where there is nothing, or it isn't wanted."""
        return None if self.is_hidden else self.found.shown

    @property
    def is_coarse(self) -> bool:
        """Return whether the page shows a coarse result."""
        return self.shown is not None and self.shown.is_coarse

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
        """Return whether the arena failed to make it, and there is no older one; there may be a coarse result."""
        newest = self.found.newest
        return newest is not None and newest.state == LegAnalysis.State.FAILED and self.found.done is None


def build_analysis_panel(subject: Subject, query: QueryDict, *, may_request: bool = True) -> AnalysisPanel:
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
        ahead=count_before(found.pending) if found.pending else 0,
        expected_s=estimate_seconds(found.pending) if found.pending else None,
        is_hidden=query.get("analysis") == "off",
    )


def count_before(pending: LegAnalysis) -> int:
    """Return how many analyses come before the next result of one that waits."""
    return count_coarse_ahead(pending) if pending.line is WaitingLine.COARSE else count_ahead(pending)


def read_shown_analysis(panel: AnalysisPanel) -> Json | None:
    """Return the analysis that the page shows; None where there is none, or it isn't wanted."""
    return None if panel.shown is None else panel.shown.content


def describe_chances(playback: Playback, analysis: Json | None) -> AnalysedChances | None:
    """Return the lines of the graph: what the onlooker's seat could know, or all of them to who has no seat."""
    if analysis is None:
        return None
    known = [list_winning_chances_known_to(playback.steps, analysis, seat) for seat in range(len(analysis["seats"]))]
    lines = [known[0], [1 - chance for chance in known[1]]]
    if playback.onlooker not in (None, PUBLIC_ONLOOKER):
        return AnalysedChances(lines[playback.onlooker])
    return AnalysedChances(list_open_chances(playback.steps, analysis), list(enumerate(lines)))


def describe_analysis(panel: AnalysisPanel, analysis: Json | None, playback: Playback, context: Json) -> dict[str, Any]:
    """Return the panel with its content, for the template. `context` has the moves and the names of the seats."""
    if analysis is None:
        return {"analysis": panel}
    return {"analysis": replace(panel, **describe_findings(analysis, playback, context))}


def describe_findings(analysis: Json, playback: Playback, context: Json) -> dict[str, Any]:
    """Return what the panel shows of an analysis itself. `context` has the moves and the names of the seats."""
    presentation: Presentation = context["presentation"]
    mistakes = [
        (context["moves"][number - 1], describe_judgement(judgement, presentation))
        for number, judgement in sorted(playback.judgements.items())
    ]
    return {
        "balances": tuple(list_balances(analysis, context["seat_names"])),
        "mistakes": tuple(mistakes),
        "solved": next(iter(playback.solved.values()), None),
        "solved_turn": next((playback.steps[number].turn for number in playback.solved), None),
        "solved_seat": next((name_winner(solved, presentation) for solved in playback.solved.values()), ""),
        "expected": next((describe_expected(one, presentation) for one in playback.expected.values()), None),
        "expected_turn": next((playback.steps[number].turn for number in playback.expected), None),
        "function": analysis["function"]["version"],
        "redeals": analysis["redeals"],
    }


def show_analysis_progress(request: HtmxRequest, pk: int, number: int) -> HttpResponse:
    """Report the progress of an analysis to a page that polls, or request it (POST)."""
    leg = find_opened_leg(request, pk, number)
    if request.method == "POST":
        return request_own_analysis(request, leg)
    if not request.htmx:
        return redirect_to_replay(leg)
    return report_analysis_progress(request, build_analysis_panel(leg, request.GET))


def report_analysis_progress(request: HtmxRequest, panel: AnalysisPanel) -> HttpResponse:
    """Tell a page that polls how far the analysis is, and have it loaded again once there is more to show.

    The address of a replay keeps the step, and a browser the place on the page that it loads again.
    """
    shown = panel.found.shown
    is_news = shown is not None and shown.is_coarse and request.GET.get(SHOWN_PARAMETER) != COARSE
    if panel.found.pending is None or is_news:
        return HttpResponseClientRefresh()
    template = "matches/_analysis_status.html"
    return render_live(request, template, template, {"analysis": panel}, is_final=False)


@login_required
def request_own_analysis(request: HttpRequest, leg: Leg) -> HttpResponse:
    """Request the analysis of a leg, and go back to its replay."""
    ask_for_analysis(request, lambda: request_analysis(user=signed_in_reader(request), leg=leg))
    return redirect_to_replay(leg)


def ask_for_analysis(request: HttpRequest, ask: Callable[[], LegAnalysis]) -> None:
    """Request an analysis, or say on the next page why it was refused."""
    with refusal_as_message(request):
        ask()


def redirect_to_replay(leg: Leg) -> HttpResponse:
    """Send the reader to the replay of a leg, at its analysis."""
    return redirect(f"{leg.match.get_absolute_url()}?{urlencode({'leg': leg.number})}#analysis")


def download_analysis(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send the analysis of a leg as a file, beside its record."""
    leg = find_opened_leg(request, pk, number)
    return send_analysis(leg, f"pennant-{pk}-{number}-analysis.json")


def send_analysis(subject: Subject, name: str) -> HttpResponse:
    """Send the analysis of a leg, or of a live game, as a file of this name. Raises Http404 where there is none."""
    analysis = fetch_result(subject)
    if analysis is None:
        raise Http404(_("This leg hasn't been analysed. You can request an analysis in its replay."))
    content = orjson.dumps(analysis.result_data, option=orjson.OPT_INDENT_2)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "no-cache"
    return response


# Learn from the mistakes of a leg: guess the better choice from what the seat knew, then see the analysis.

BEST_WITHIN = 0.01
"""A guess counts as the best one if it gives away no more than this chance of winning."""


@dataclass(frozen=True, slots=True)
class LessonChoice:
    """A choice of a decision, with what it is worth once the reader has guessed."""

    action: str
    name: Sentence | str
    points: int
    """Chance of winning after it, in points."""
    is_played: bool
    is_better: bool
    is_guessed: bool


@dataclass(frozen=True, slots=True)
class LessonChoiceGroup:
    """The choices that play the same card, or have the same first word."""

    choices: list[LessonChoice]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One mistake to learn from."""

    number: int
    """From 1, among those of the seat."""
    last: int
    seat: int
    step: Step
    title: str
    """What the analysis calls it."""
    tone: str
    loss: int
    """What was given away, in points; 0 if the title says it all."""
    groups: list[LessonChoiceGroup]
    played: LessonChoice
    better: LessonChoice
    guess: LessonChoice | None

    @property
    def is_right(self) -> bool:
        """Return whether the guess is as good as the best choice."""
        return self.guess is not None and self.better.points - self.guess.points <= to_points(BEST_WITHIN)

    @property
    def missing(self) -> int:
        """Return by how many points the guess is worse than the best choice."""
        return self.better.points - self.guess.points if self.guess else 0


@dataclass(frozen=True, slots=True)
class LessonOrigin:
    """What the mistakes are from, and where it can be watched."""

    title: str
    rules: str
    replay_url: str
    """An address that wants the number of a turn at its end."""


def learn_from_leg(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show one mistake of a seat before it was made. Raises Http404 where the leg is not analysed."""
    leg = find_opened_leg(request, pk, number)
    seats = list_seats([leg])
    own = [seat.seat for seat in seats if seat.participant.version.bot.has_author(request.user)]
    origin = LessonOrigin(
        title=_("Match %(number)s, leg %(leg)s") % {"number": pk, "leg": number},
        rules=rules_title(leg.match),
        replay_url=f"{leg.match.get_absolute_url()}?leg={leg.number}&view={name_view(None)}&turn=",
    )
    return show_lesson(request, leg, seats, own, origin)


def show_lesson(
    request: HttpRequest, subject: Subject, seats: Sequence[Any], own: Sequence[int], origin: LessonOrigin
) -> HttpResponse:
    """Show one mistake of a leg, or of a live game; by default of one of the reader's own seats.

    `seats` are for the names of who sat there. Raises Http404 where there is no analysis.
    """
    done = fetch_result(subject)
    if done is None:
        raise Http404(_("This leg hasn't been analysed. You can request an analysis in its replay."))
    analysis, record = done.result_data, subject.record_data
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = play_back(record, None)
    mistakes = [
        [pair for pair in match_decisions(playback.steps, analysis) if pair[1]["seat"] == seat and pair[1]["judgement"]]
        for seat in range(len(seats))
    ]
    seat = choose_seat(request.GET, own, mistakes)
    context: dict[str, Any] = {
        "origin": origin,
        "seats": seats,
        "seat": seat,
        "seat_names": [presentation.name_seat(one) for one in range(len(seats))],
        "counts": [len(those) for those in mistakes],
    }
    if mistakes[seat]:
        lesson = build_lesson(mistakes[seat], seat, request.GET, presentation)
        decision = mistakes[seat][lesson.number - 1][1]
        context |= {"lesson": lesson, **build_stage(build_lesson_scene(playback, seat, decision), presentation)}
    return render(request, "matches/learn.html", context)


def choose_seat(query: QueryDict, own: Sequence[int], mistakes: Sequence[list[Any]]) -> int:
    """Return the seat asked for; by default one of the reader's, else the first with mistakes."""
    asked = query.get("seat", "")
    if asked.isdecimal() and int(asked) < len(mistakes):
        return int(asked)
    return next((seat for seat in (*own, *range(len(mistakes))) if mistakes[seat]), 0)


def build_lesson(
    mistakes: Sequence[tuple[Step, Json]], seat: int, query: QueryDict, presentation: Presentation
) -> Lesson:
    """Return the mistake that the address asks for, with the guess if it has one."""
    number = max(1, min(read_key(query, "mistake") or 1, len(mistakes)))
    step, decision = mistakes[number - 1]
    guess = query.get("guess", "")
    choices = [
        LessonChoice(
            action=action,
            name=presentation.name_choice(action),
            points=to_points(chance),
            is_played=action == decision["action"],
            is_better=action == decision["better"],
            is_guessed=action == guess,
        )
        for action, chance in decision["choices"].items()
    ]
    return Lesson(
        number=number,
        last=len(mistakes),
        seat=seat,
        step=step,
        title=str(
            GIVEN_UP_TITLES[decision["given_up"]] if "given_up" in decision else JUDGEMENT_TITLES[decision["judgement"]]
        ),
        tone=JUDGEMENT_TONES[decision["judgement"]],
        loss=0 if "given_up" in decision else to_points(decision["loss"]),
        groups=group_choices(choices),
        played=next(choice for choice in choices if choice.is_played),
        better=next(choice for choice in choices if choice.is_better),
        guess=next((choice for choice in choices if choice.is_guessed), None),
    )


def group_choices(choices: Sequence[LessonChoice]) -> list[LessonChoiceGroup]:
    """Return the choices by the card that is played; all others by their first word."""
    groups: dict[str, list[LessonChoice]] = {}
    for choice in choices:
        verb, *words = choice.action.split()
        groups.setdefault(" ".join([verb, *words[:1]]) if len(words) > 1 else verb, []).append(choice)
    return [LessonChoiceGroup(group) for group in groups.values()]


def build_lesson_scene(playback: Playback, seat: int, decision: Json) -> Scene:
    """Return the table as the seat saw it before a decision."""
    record = playback.record
    state = next(state for number, state in enumerate(states(record)) if number == decision["number"])
    views = list_views(state)
    return Scene(
        edition=record["edition"],
        options=record["options"],
        onlooker=seat,
        steps=playback.steps,
        number=0,
        before=views,
        after=views,
        proofs=[],
        result=record["result"],
    )
