"""Start a comparison of two versions, follow it, and list one's own."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms.boundfield import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena import tasks
from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.bots.queries.versions import list_comparable_versions
from arena.comparisons.luck import is_luck_measured
from arena.comparisons.models import Comparison
from arena.comparisons.queries.comparisons import list_comparisons, list_comparisons_of_author
from arena.comparisons.queries.progress import (
    find_next_place_in_queue,
    list_comparison_matches,
    list_opponents,
)
from arena.comparisons.services import start_comparison, stop_comparison
from arena.comparisons.settings import ComparisonSettings, NotComparable, previous_version
from arena.comparisons.sprt import LLR_BOUND, MAX_PAIRS, MIN_PAIRS, PRESETS
from arena.errors import ArenaError
from arena.ladders.queries.entries import find_playing_version
from arena.messages import render_message
from arena.pages.appearance import find_comparison_appearance
from arena.pages.bots.comparison_text import (
    describe_estimate,
    describe_other_reading,
    describe_state,
    format_bounds,
    format_signed,
    list_results,
)
from arena.pages.bots.lookup import own_version_or_403
from arena.pages.choices import get_choice_field
from arena.pages.matches.results import list_rows
from arena.pages.paging import read_page_by_key
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.reader import signed_in_reader
from arena.pages.rule_fields import add_option_fields, has_chosen_options, list_option_groups, read_options
from arena.pages.svg.comparison import compute_axis_limit_elo, draw_estimate_interval, draw_likelihood_ratio
from arena.private_responses import forbid_caching
from engine.message import gettext_noop, message
from engine.registry import find_game

PAGE_SIZE = 30
MATCHES_SHOWN = 10
MAX_VERSIONS_OFFERED = 50
PRESET_LABELS = {
    "quick": gettext_lazy("Quick: better by 30 or not. Needs the fewest legs, and finds only large improvements."),
    "default": gettext_lazy("Default: better by 20 or not."),
    "strict": gettext_lazy("Strict: better by 10 or not. Needs about four times as many legs as the default."),
    "non-regression": gettext_lazy("No worse: for a change meant only not to hurt, worse by 10 or better by 10."),
}
MODE_LABELS = {
    Comparison.Mode.HEAD_TO_HEAD: gettext_lazy("Head to head: the two play each other."),
    Comparison.Mode.FIELD: gettext_lazy(
        "Field: both play the same bots of the ladder on the same deals. Needs about four times as many legs, but a "
        "version that has only learnt to beat the other one gains nothing."
    ),
}


class CompareForm(forms.Form):
    """The form that starts a comparison."""

    baseline = forms.ChoiceField(label=gettext_lazy("Compare it with"), required=False)
    rival = forms.CharField(
        label=gettext_lazy("Or with a bot that plays on the ladder"),
        required=False,
        help_text=gettext_lazy("As the address of its page names it. Empty: with the version chosen above."),
    )
    mode = forms.ChoiceField(
        label=gettext_lazy("Opponents"),
        choices=list(MODE_LABELS.items()),
        widget=forms.RadioSelect,
        initial="head_to_head",
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("Question"),
        choices=list(PRESET_LABELS.items()),
        widget=forms.RadioSelect,
        initial="default",
    )
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    adjust_for_luck = forms.BooleanField(
        label=gettext_lazy("Take luck off the results: it takes about a fifth fewer matches"),
        label_suffix="",
        required=False,
    )
    promote_if_better = forms.BooleanField(
        label=gettext_lazy("If the answer is yes, this version goes to the ladders"), label_suffix="", required=False
    )

    def __init__(self, version: BotVersion, reader: User, data: Any = None) -> None:
        super().__init__(data)
        self.version, self.reader = version, reader
        get_choice_field(self, "baseline").choices = list_baselines(version, reader)
        get_choice_field(self, "edition").choices = [
            (key, _(title)) for key, title in find_game(version.bot.game).editions.items()
        ]
        if not is_luck_measured(version.bot.game):
            del self.fields["adjust_for_luck"]
        self.main_names = list(self.fields)
        add_option_fields(self, [version.bot.game])
        if default := previous_version(version):
            self.initial["baseline"] = default.pk

    def list_main_fields(self) -> list[BoundField]:
        """Return the fields without the rule options."""
        return [self[name] for name in self.main_names]

    def start(self, owner: User) -> Comparison:
        """Start the comparison. Raises ArenaError."""
        chosen_settings = ("mode", "preset", "edition", "promote_if_better", "adjust_for_luck")
        chosen = {name: self.cleaned_data[name] for name in chosen_settings if name in self.fields}
        settings = ComparisonSettings(**chosen, options=read_options(self, self.version.bot.game))
        baseline = None
        if rival := slugify(self.cleaned_data["rival"]):
            baseline = rival_version(rival, settings.edition)
        elif chosen := self.cleaned_data["baseline"]:
            baseline = list_comparable_versions(self.version, self.reader).get(pk=chosen)
        return start_comparison(owner=owner, version=self.version, baseline=baseline, settings=settings)


def list_baselines(version: BotVersion, reader: User) -> list[tuple[str, list[tuple[int, str]]]]:
    """List what a version may be compared with: others of its bot, and the newest of the reader's other bots."""
    accepted = list_comparable_versions(version, reader)
    same = [(one.pk, str(one)) for one in accepted.filter(bot=version.bot)[:MAX_VERSIONS_OFFERED]]
    newest: dict[int, BotVersion] = {}
    for one in accepted.exclude(bot=version.bot).order_by("bot", "-number"):
        newest.setdefault(one.bot_id, one)
    others = [(one.pk, str(one)) for one in newest.values()]
    named = [(version.bot.name, same), (_("Your other bots"), others)]
    return [(name, offered) for name, offered in named if offered]


def rival_version(slug: str, edition: str) -> BotVersion:
    """Return what plays for that bot now. Raises NotComparable."""
    version = find_playing_version(slug, edition)
    if version is None:
        raise NotComparable(message(gettext_noop("No bot called “%(slug)s” plays on a ladder now."), slug=slug))
    return version


@login_required
def start(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a comparison of a version."""
    version = own_version_or_403(request, slug, number)
    form = CompareForm(version, signed_in_reader(request), request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                comparison = form.start(signed_in_reader(request))
                tasks.play_comparison.delay_on_commit(comparison.pk)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The comparison has started."))
            return redirect(comparison)
    context = {
        "version": version,
        "bot": version.bot,
        "form": form,
        "option_groups": list(list_option_groups(form)),
        "has_chosen_options": has_chosen_options(form),
        "max_pairs": MAX_PAIRS,
    }
    return render(request, "bots/comparisons/start.html", context, status=400 if form.errors else 200)


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """List the comparisons of the reader, and of the reader's bots."""
    page = read_page_by_key(list_comparisons_of_author(signed_in_reader(request)), request.GET, PAGE_SIZE)
    return render(request, "bots/comparisons/index.html", {"page": page, "rows": [describe(one) for one in page.rows]})


def comparison_or_404(request: HttpRequest, pk: int) -> Comparison:
    """Return a comparison that the reader may see. Raise Http404. One of a bot for a group is never cached."""
    comparison = get_object_or_404(list_comparisons(request.user), pk=pk)
    if comparison.version.bot.group_id is not None or comparison.baseline.bot.group_id is not None:
        forbid_caching(request)
    return comparison


def describe(comparison: Comparison) -> dict[str, Any]:
    """Return what both the list and the page show of a comparison."""
    return {
        "comparison": comparison,
        "chip": find_comparison_appearance(comparison),
        "llr": format_signed(comparison.deciding_llr, 2),
        "estimate": describe_estimate(comparison.deciding_estimate),
        "other": describe_other_reading(comparison),
        **format_bounds(comparison),
    }


def detail(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show a comparison; while it runs, the page follows it."""
    comparison = comparison_or_404(request, pk)
    estimate = comparison.deciding_estimate
    context = {
        **describe(comparison),
        "meaning": describe_state(comparison),
        "ratio": draw_likelihood_ratio(comparison.deciding_llr),
        "limit": compute_axis_limit_elo(estimate) if estimate else 0,
        "estimate_drawing": draw_estimate_interval(estimate),
        "results": list_results(comparison),
        "rows": list_rows(list_comparison_matches(comparison, MATCHES_SHOWN)),
        "waiting": find_next_place_in_queue(comparison),
        "opponents": list_opponents(comparison),
        "preset": find_preset(comparison),
        "is_owner": comparison.version.bot.has_author(request.user),
        "bound": LLR_BOUND,
        "min_pairs": MIN_PAIRS,
        "share": f"{comparison.value_function['luck_share']:.0%}" if comparison.value_function else "",
        "max_pairs": MAX_PAIRS,
    }
    return render_live(
        request, "bots/comparisons/detail.html", "bots/comparisons/_live.html", context, comparison.is_over
    )


def find_preset(comparison: Comparison) -> str:
    """Return the key of the preset with the comparison's bounds, or an empty text."""
    bounds = comparison.elo0, comparison.elo1
    return next((key for key, preset in PRESETS.items() if (preset.elo0, preset.elo1) == bounds), "")


@require_POST
@login_required
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop a comparison."""
    comparison = comparison_or_404(request, pk)
    if not comparison.version.bot.has_author(request.user):
        raise PermissionDenied
    try:
        stop_comparison(comparison=comparison, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("The comparison is stopped."))
    return redirect(comparison)
