"""Comparisons of versions: beginning one, following it, and the list of one's own."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena import tasks
from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.comparisons.models import Comparison
from arena.comparisons.services import compare, stop
from arena.comparisons.sprt import LLR_BOUND, MAX_PAIRS, MIN_PAIRS, PRESETS
from arena.comparisons.terms import NotComparable, Terms, previous_version
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.matches.models import Match
from arena.matches.waiting import Waiting, place_in_queue
from arena.pages.bots.comparison_chart import (
    draw_estimate,
    draw_ratio,
    find_limit,
    list_results,
    name_bounds,
    signed,
    tell_estimate,
    tell_state,
)
from arena.pages.matches.results import list_rows
from arena.pages.paging import page_by_key
from arena.pages.phrases import said
from arena.pages.polling import render_live
from engine.message import gettext_noop, message
from engine.registry import find_game

PAGE = 30
RECENT = 10
VERSIONS_OFFERED = 50
PRESET_LABELS = {
    "quick": gettext_lazy("Quick: better by 30 or not. The fewest games, and finds only large steps."),
    "default": gettext_lazy("Default: better by 20 or not."),
    "strict": gettext_lazy("Strict: better by 10 or not. Some four times as many games as the default."),
    "non-regression": gettext_lazy("No worse: for a change that shall only do no harm, worse by 10 or better by 10."),
}
MODE_LABELS = {
    Comparison.Mode.HEAD_TO_HEAD: gettext_lazy("Head to head: the two play each other."),
    Comparison.Mode.FIELD: gettext_lazy(
        "Field: both play the same bots of the ladder on the same deals. Some four times as many games, but nothing is "
        "won by a version that has only learnt to beat the other one."
    ),
}


class CompareForm(forms.Form):
    baseline = forms.ChoiceField(label=gettext_lazy("Compare it with"), required=False)
    rival = forms.CharField(
        label=gettext_lazy("Or with a bot that plays on the ladder"),
        required=False,
        help_text=gettext_lazy("As the address of its page names it. Empty: with the version chosen above."),
    )
    mode = forms.ChoiceField(
        label=gettext_lazy("How"), choices=list(MODE_LABELS.items()), widget=forms.RadioSelect, initial="head_to_head"
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("What is asked"),
        choices=list(PRESET_LABELS.items()),
        widget=forms.RadioSelect,
        initial="default",
    )
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    promote_if_better = forms.BooleanField(
        label=gettext_lazy("If the answer is yes, this version goes to the ladders"), label_suffix="", required=False
    )

    def __init__(self, version: BotVersion, data: Any = None) -> None:
        super().__init__(data)
        self.version = version
        self.fields["baseline"].choices = list_baselines(version)
        self.fields["edition"].choices = [
            (key, _(title)) for key, title in find_game(version.bot.game).editions.items()
        ]
        if default := previous_version(version):
            self.initial["baseline"] = default.pk

    def begin(self, owner: User) -> Comparison:
        """Raises ArenaError."""
        terms = Terms(**{name: self.cleaned_data[name] for name in ("mode", "preset", "edition", "promote_if_better")})
        baseline = None
        if rival := slugify(self.cleaned_data["rival"]):
            baseline = find_rival(rival, terms.edition)
        elif chosen := self.cleaned_data["baseline"]:
            baseline = BotVersion.objects.select_related("bot").get(pk=chosen)
        return compare(owner=owner, version=self.version, baseline=baseline, terms=terms)


def list_baselines(version: BotVersion) -> list[tuple[str, list[tuple[int, str]]]]:
    """Own versions that it may be compared with: those of its bot, and the newest of each other bot for its game."""
    accepted = BotVersion.objects.accepted().filter(bot__owner=version.bot.owner_id, bot__game=version.bot.game)
    accepted = accepted.exclude(source=version.source_id).select_related("bot").defer("build_log").order_by("-number")
    same = [(one.pk, str(one)) for one in accepted.filter(bot=version.bot)[:VERSIONS_OFFERED]]
    newest: dict[int, BotVersion] = {}
    for one in accepted.exclude(bot=version.bot).order_by("bot", "-number"):
        newest.setdefault(one.bot_id, one)
    others = [(one.pk, str(one)) for one in newest.values()]
    named = [(version.bot.name, same), (_("Your other bots"), others)]
    return [(name, offered) for name, offered in named if offered]


def find_rival(slug: str, edition: str) -> BotVersion:
    """What plays for that bot now. Raises NotComparable."""
    playing = Entry.objects.active().filter(version__bot__slug=slug, ladder__closed_at=None)
    found = playing.filter(ladder__edition=edition).first() or playing.first()
    if found is None:
        raise NotComparable(message(gettext_noop("No bot called “%(slug)s” plays on a ladder now."), slug=slug))
    return BotVersion.objects.select_related("bot").get(pk=found.version_id)


@login_required
def start(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    versions = BotVersion.objects.select_related("bot__owner")
    version = get_object_or_404(versions, bot__slug=slug, number=number)
    if version.bot.owner_id != request.user.pk:
        raise PermissionDenied
    form = CompareForm(version, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                comparison = form.begin(request.user)
                tasks.play_comparison.delay_on_commit(comparison.pk)
        except ArenaError as error:
            form.add_error(None, said(error))
        else:
            messages.success(request, _("The comparison has begun."))
            return redirect(comparison)
    context = {"version": version, "bot": version.bot, "form": form, "max_pairs": MAX_PAIRS}
    return render(request, "comparisons/start.html", context, status=400 if form.errors else 200)


@login_required
def index(request: HttpRequest) -> HttpResponse:
    own = Comparison.objects.filter(owner=request.user).select_related("version__bot", "baseline__bot")
    page = page_by_key(own.defer("version__build_log", "baseline__build_log"), request.GET, PAGE)
    return render(request, "comparisons/index.html", {"page": page, "rows": [describe(one) for one in page.rows]})


def describe(comparison: Comparison) -> dict[str, Any]:
    """What the list and the page both say of it."""
    return {
        "comparison": comparison,
        "state": tell_state(comparison),
        "llr": signed(comparison.llr, 2),
        "estimate": tell_estimate(comparison.estimate),
        **name_bounds(comparison),
    }


def detail(request: HttpRequest, pk: int) -> HttpResponse:
    comparisons = Comparison.objects.select_related("owner", "version__bot", "baseline__bot")
    comparison = get_object_or_404(comparisons.defer("version__build_log", "baseline__build_log"), pk=pk)
    matches = Match.objects.filter(comparison_match__comparison=comparison).exclude(state=Match.State.VOID)
    estimate = comparison.estimate
    context = {
        **describe(comparison),
        "ratio": draw_ratio(comparison),
        "limit": find_limit(estimate) if estimate else 0,
        "estimate_drawing": draw_estimate(estimate),
        "results": list_results(comparison),
        "rows": list_rows(matches.lean()[:RECENT]),
        "waiting": wait_for_next(comparison),
        "opponents": comparison.opponents.select_related("bot").defer("build_log").order_by("pk"),
        "preset": next((key for key, it in PRESETS.items() if (it.elo0, it.elo1) == read_bounds(comparison)), ""),
        "edition_name": _(find_game(comparison.version.bot.game).editions[comparison.edition]),
        "is_owner": comparison.owner_id == request.user.pk,
        "bound": LLR_BOUND,
        "min_pairs": MIN_PAIRS,
        "max_pairs": MAX_PAIRS,
    }
    return render_live(request, "comparisons/detail.html", "comparisons/_live.html", context, comparison.is_over)


def wait_for_next(comparison: Comparison) -> Waiting | None:
    """Where its first match stands in the queue. None where one is being played, or none is to be."""
    unplayed = Match.objects.filter(comparison_match__comparison=comparison, comparison_match__in_flight=True)
    if unplayed.running().exists():
        return None
    first = unplayed.queued().defer("deal", "options").first()
    return first and place_in_queue(first)


def read_bounds(comparison: Comparison) -> tuple[float, float]:
    return comparison.elo0, comparison.elo1


@require_POST
@login_required
def stop_one(request: HttpRequest, pk: int) -> HttpResponse:
    comparison = get_object_or_404(Comparison, pk=pk)
    if comparison.owner_id != request.user.pk:
        raise PermissionDenied
    try:
        stop(comparison=comparison, owner=request.user)
    except ArenaError as error:
        messages.error(request, said(error))
    else:
        messages.success(request, _("The comparison is stopped."))
    return redirect(comparison)
