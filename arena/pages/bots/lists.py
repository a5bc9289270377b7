"""Bots in lists, and tried against each other: comparisons of two versions, and challenges."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.forms.boundfield import BoundField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.timezone import localdate
from django.views.decorators.http import require_POST

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import (
    fetch_listed_bots,
    find_own_accepted_version,
    is_game_known,
    list_accepted_versions,
    list_bots,
    list_bots_of_author,
    list_comparable_versions,
    list_levels_of,
    list_version_ids_of_author,
    pick_called,
    search_bots,
)
from arena.bots.running import STRONGEST_SAMPLE
from arena.bots.services import MAX_BOT_NAME_LENGTH
from arena.bots.teams import list_invitations
from arena.contests.challenges.services import create_challenge, list_challenge_matches
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import (
    ComparisonSettings,
    NotComparable,
    find_next_place_in_queue,
    is_luck_measured,
    list_comparison_matches,
    list_comparisons,
    list_comparisons_of_author,
    list_opponents,
    previous_version,
    start_comparison,
    stop_comparison,
)
from arena.contests.comparisons.sprt import LLR_BOUND, MAX_PAIRS, MIN_PAIRS, PRESETS
from arena.contests.ladders.models import Entry
from arena.contests.ladders.queries import (
    fetch_leaders,
    find_challenge_opponent,
    find_game_title,
    find_place,
    find_playing_version,
    list_active_entries,
    list_entries_in_play,
    list_entries_of_author,
    list_ratings_by_bot_and_ladder,
)
from arena.contests.tournaments.queries import count_titles
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.matches.models import Match
from arena.matches.queries import fetch_matches, keep_visible_matches, list_newest_match_ids
from arena.pages.account.settings import build_follow_button
from arena.pages.bots.bot_page import build_worst_decisions
from arena.pages.formatting import (
    describe_comparison_state,
    describe_estimate,
    describe_other_reading,
    find_comparison_appearance,
    format_gauge_bounds,
    format_percent,
    format_rating,
    format_signed,
    list_compared_results,
    translate_ladder_title,
)
from arena.pages.games import find_seats_note
from arena.pages.ladders import RATING_TREND_PERIOD, RatingTrend
from arena.pages.matches.results import list_rows
from arena.pages.rules import (
    add_option_fields,
    add_series_fields,
    get_choice_field,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
)
from arena.pages.serving import (
    HtmxRequest,
    bot_or_404,
    own_version_or_403,
    read_page_by_key,
    reader_of,
    refusal_as_message,
    refusal_in_form,
    render_live,
    signed_in_reader,
)
from arena.pages.svg.charts import compute_axis_limit_elo, draw_estimate_interval, draw_likelihood_ratio
from arena.pages.tournaments.words import list_current_lines
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author
from arena.runner.languages import LANGUAGES
from engine.core import Json
from engine.message import gettext_noop, message
from engine.registry import GAMES, find_game

# Start a comparison of two versions, follow it, and list one's own.

COMPARISONS_PER_PAGE = 30
COMPARISON_MATCHES_SHOWN = 10
MAX_VERSIONS_OFFERED = 50
PRESET_LABELS = {
    "quick": gettext_lazy("Quick: better by 30? Needs the fewest legs, but only finds large improvements."),
    "default": gettext_lazy("Default: better by 20?"),
    "strict": gettext_lazy("Strict: better by 10? Needs about four times as many legs as the default."),
    "non-regression": gettext_lazy("No worse: worse by 10 or better by 10? For changes that just mustn't do any harm."),
}
MODE_LABELS = {
    Comparison.Mode.HEAD_TO_HEAD: gettext_lazy("Head to head: the two play each other."),
    Comparison.Mode.FIELD: gettext_lazy(
        "Field: both play the same ladder bots on the same deals. Needs about four times as many legs, but a "
        "version that has only learnt to beat the other gains nothing."
    ),
}


class CompareForm(forms.Form):
    """The form that starts a comparison."""

    baseline = forms.ChoiceField(label=gettext_lazy("Compare with"), required=False)
    rival = forms.CharField(
        label=gettext_lazy("Or a bot on the ladder"),
        required=False,
        help_text=gettext_lazy("The bot's name in its page address. Leave empty to use the version above."),
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
        label=gettext_lazy("Adjust results for luck (needs about a fifth fewer matches)"),
        label_suffix="",
        required=False,
    )
    promote_if_better = forms.BooleanField(
        label=gettext_lazy("If the answer is yes, promote this version to the ladders"), label_suffix="", required=False
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
        if rival := self.cleaned_data["rival"].strip():
            called = pick_called(list_bots(self.reader), rival)
            baseline = find_playing_version(called.slug if called else "", settings.edition)
            if baseline is None:
                raise NotComparable(message(gettext_noop("No bot called “%(slug)s” is on a ladder."), slug=rival))
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


@login_required
def start_own_comparison(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a comparison of a version."""
    version = own_version_or_403(request, slug, number)
    form = CompareForm(version, signed_in_reader(request), request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            comparison = form.start(signed_in_reader(request))
            messages.success(request, _("Comparison started."))
            return redirect(comparison)
    context = {
        "version": version,
        "bot": version.bot,
        "form": form,
        "option_groups": list_option_groups(form),
        "has_chosen_options": has_chosen_options(form),
        "max_pairs": MAX_PAIRS,
    }
    return render(request, "bots/comparisons/start.html", context, status=400 if form.errors else 200)


@login_required
def show_comparisons(request: HttpRequest) -> HttpResponse:
    """List the comparisons of the reader, and of the reader's bots."""
    page = read_page_by_key(list_comparisons_of_author(signed_in_reader(request)), request.GET, COMPARISONS_PER_PAGE)
    return render(
        request, "bots/comparisons/index.html", {"page": page, "rows": [describe_comparison(one) for one in page.rows]}
    )


def comparison_or_404(request: HttpRequest, pk: int) -> Comparison:
    """Return a comparison that the reader may see. Raise Http404. One of a bot for a group is never cached."""
    comparison = get_object_or_404(list_comparisons(request.user), pk=pk)
    if comparison.version.bot.group_id is not None or comparison.baseline.bot.group_id is not None:
        forbid_caching(request)
    return comparison


def describe_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return what both the list and the page show of a comparison."""
    return {
        "comparison": comparison,
        "chip": find_comparison_appearance(comparison),
        "llr": format_signed(comparison.deciding_llr, 2),
        "estimate": describe_estimate(comparison.deciding_estimate),
        "other": describe_other_reading(comparison),
        **format_gauge_bounds(comparison),
    }


def show_comparison(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show a comparison; while it runs, the page follows it."""
    comparison = comparison_or_404(request, pk)
    estimate, bounds = comparison.deciding_estimate, (comparison.elo0, comparison.elo1)
    context = {
        **describe_comparison(comparison),
        "meaning": describe_comparison_state(comparison),
        "ratio": draw_likelihood_ratio(comparison.deciding_llr),
        "limit": compute_axis_limit_elo(estimate) if estimate else 0,
        "estimate_drawing": draw_estimate_interval(estimate),
        "results": list_compared_results(comparison),
        "rows": list_rows(list_comparison_matches(comparison, COMPARISON_MATCHES_SHOWN)),
        "waiting": find_next_place_in_queue(comparison),
        "opponents": list_opponents(comparison),
        "preset": next((key for key, preset in PRESETS.items() if (preset.elo0, preset.elo1) == bounds), ""),
        "is_owner": comparison.version.bot.has_author(request.user),
        "bound": LLR_BOUND,
        "min_pairs": MIN_PAIRS,
        "share": format_percent(comparison.value_function["luck_share"]) if comparison.value_function else "",
        "max_pairs": MAX_PAIRS,
    }
    return render_live(
        request, "bots/comparisons/detail.html", "bots/comparisons/_live.html", context, comparison.is_over
    )


@require_POST
@login_required
def stop_own_comparison(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop a comparison."""
    comparison = comparison_or_404(request, pk)
    if not comparison.version.bot.has_author(request.user):
        raise PermissionDenied
    with refusal_as_message(request):
        stop_comparison(comparison=comparison, owner=signed_in_reader(request))
        messages.success(request, _("Comparison stopped."))
    return redirect(comparison)


# Challenge a bot: request an unrated match against it.

CHALLENGE_MATCHES_SHOWN = 10
VERSIONS_OFFERED = 100


class ChallengeForm(forms.Form):
    """The challenging version and the rules."""

    version = forms.TypedChoiceField(label=gettext_lazy("Your version"), coerce=int)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))

    def __init__(self, owner: User, bot: Bot, data: Any = None) -> None:
        super().__init__(data)
        get_choice_field(self, "version").choices = [
            (one.pk, str(one)) for one in list_accepted_versions(owner, bot.game, VERSIONS_OFFERED)
        ]
        self.fields["edition"].help_text = find_seats_note(bot.game)
        game = find_game(bot.game)
        get_choice_field(self, "edition").choices = [(key, _(title)) for key, title in game.editions.items()]
        self.game = bot.game
        self.main_names = list(self.fields)
        if game.has_series:
            add_series_fields(self)
            self.main_names += ["series", "series_games", "series_points"]
        add_option_fields(self, [bot.game])

    def clean(self) -> dict[str, Any]:
        """Return what a challenge is made with."""
        data = super().clean() or {}
        chosen = {name: data.get(name) for name in ("version", "edition")}
        return {**chosen, "options": read_options(self, self.game), "series": read_series(self)}

    def list_main_fields(self) -> list[BoundField]:
        """Return the fields without the rule options."""
        return [self[name] for name in self.main_names]

    @property
    def has_versions(self) -> bool:
        """Return whether the user has any version that may play."""
        return bool(get_choice_field(self, "version").choices)


@login_required
def new_challenge(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form, and queue the match it asks for."""
    owner, bot = signed_in_reader(request), bot_or_404(request, slug)
    form = ChallengeForm(owner, bot, request.POST or None)
    if find_challenge_opponent(bot, "", owner) is None:
        raise Http404(_("This bot isn't on a ladder."))
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            match = queue_challenge(owner, bot, **form.cleaned_data)
            messages.success(request, _("Challenge queued."))
            return redirect(match)
    context = {
        "bot": bot,
        "form": form,
        "has_versions": form.has_versions,
        "has_series": "series" in form.fields,
        "option_groups": list_option_groups(form),
        "has_chosen_options": has_chosen_options(form),
        "rows": list_rows(list_challenge_matches(owner, CHALLENGE_MATCHES_SHOWN)),
    }
    return render(request, "bots/challenge.html", context, status=400 if form.errors else 200)


def queue_challenge(owner: User, bot: Bot, version: int, edition: str, options: Json, series: Json | None) -> Match:
    """Queue the match and return it. Raises ArenaError."""
    own, opponent = find_own_accepted_version(owner, version), find_challenge_opponent(bot, edition, owner)
    assert opponent is not None
    made = create_challenge(
        owner=owner, version=own, opponent=opponent, edition=edition, options=options, series=series
    )
    return made.match


# The list of all bots as cards, with a search.

BOTS_PER_PAGE = 24
MAX_ENTRIES_SHOWN = 3


def show_bots(request: HttpRequest) -> HttpResponse:
    """Show a page of the bots that match a search."""
    asked = {name: request.GET.get(name, "").strip() for name in ("q", "game", "language", "mine")}
    game = asked["game"] if is_game_known(asked["game"]) else ""
    reader = reader_of(request)
    found = search_bots(
        reader,
        words=asked["q"][:MAX_BOT_NAME_LENGTH],
        game=game,
        language=asked["language"] if asked["language"] in LANGUAGES else "",
        own=bool(asked["mine"]),
    )
    page = Paginator(found.values_list("pk", flat=True), BOTS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **asked,
        "page": page,
        "cards": list_bot_cards(reader, list(page.object_list)),
        "games": [(key, find_game_title(key)) for key in dict.fromkeys([*GAMES, game] if game else GAMES)],
        "languages": list(LANGUAGES.values()),
        "is_filtered": any(asked[name] for name in ("q", "game", "language")),
    }
    return render(request, "bots/index.html", context)


def list_bot_cards(reader: User | None, keys: Sequence[int]) -> list[dict[str, Any]]:
    """Return the cards of the bots with these keys, in this order.

    `entries` are the best of what plays for it on running ladders, `leads` all that have the first rank there,
    `trend` is that of the best one, and `levels` are weaker ones of the same bot.
    """
    playing: dict[int, list[Entry]] = {}
    for entry in list_active_entries(reader, keys):
        playing.setdefault(entry.version.bot_id, []).append(entry)
    leaders = fetch_leaders(list({entry.ladder_id for entries in playing.values() for entry in entries}))
    first = {entry.pk for entry in leaders.values()}
    titles, trends, bots = count_titles(keys), find_trends(playing), fetch_listed_bots(keys)
    levels = list(list_levels_of(bots))
    return [
        {
            "bot": bot,
            "entries": entries[:MAX_ENTRIES_SHOWN],
            "further_entries": max(len(entries) - MAX_ENTRIES_SHOWN, 0),
            "leads": [entry for entry in entries if entry.pk in first],
            "titles": titles.get(bot.pk, 0),
            "trend": trends.get(bot.pk),
            "levels": levels if bot.owner.is_house and bot.name == STRONGEST_SAMPLE else [],
        }
        for bot in bots
        for entries in [playing.get(bot.pk, [])]
    ]


def find_trends(playing: dict[int, list[Entry]]) -> dict[int, RatingTrend]:
    """Return the trend of each bot's best entry, which includes former versions of the bot, by bot."""
    best = {(bot, entries[0].ladder_id): entries[0] for bot, entries in playing.items()}
    today = localdate()
    days: dict[int, dict[object, float]] = {}
    for bot, ladder, day, rating in list_ratings_by_bot_and_ladder(list(playing), today - RATING_TREND_PERIOD, today):
        if (bot, ladder) in best:
            days.setdefault(bot, {})[day] = rating
    return {bot: RatingTrend((*ratings.values(), playing[bot][0].rating)) for bot, ratings in days.items()}


# The public page of an author: their bots, where these stand, and their latest matches.

AUTHOR_BOTS_SHOWN = 50
AUTHOR_MATCHES_SHOWN = 10
TOURNAMENTS_SHOWN = 10


def show_author(request: HttpRequest, name: str) -> HttpResponse:
    """Show an author. Raises Http404 where there is none of this name."""
    author = find_author(name)
    if author is None:
        raise Http404(_("No author called %(name)s.") % {"name": name})
    entries: dict[int, list[dict[str, Any]]] = {}
    for entry in list_entries_of_author(request.user, author):
        entries.setdefault(entry.version.bot_id, []).append({"entry": entry, "place": find_place(entry)})
    bots = list_bots_of_author(request.user, author, AUTHOR_BOTS_SHOWN)
    versions = list_version_ids_of_author(request.user, author)
    newest = keep_visible_matches(request.user, list_newest_match_ids(versions, AUTHOR_MATCHES_SHOWN))
    context = {
        "author": author,
        "is_own": author == request.user,
        "invitations": list_invitations(author) if author == request.user else [],
        "follow": build_follow_button(request, author),
        "tournaments": list_current_lines(request.user, TOURNAMENTS_SHOWN, author=author),
        "bots": [{"bot": bot, "entries": entries.get(bot.pk, [])} for bot in bots],
        "rows": list_rows(fetch_matches(newest)),
        **(build_worst_decisions(request) if author == request.user else {}),
    }
    return render(request, "account/author.html", context)


# A bot's rating as a small picture, for the README of its repository.

CHARACTER_WIDTH = 6.7
"""Mean width of a character of the badge in pixels; the text is fitted to it by `textLength`."""
CACHE_CONTROL = "public, max-age=300"


def send_badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the badge of a bot: the edition, and its rating there; of the edition that the address names, if it does."""
    bot = bot_or_404(request, slug)
    entries = sorted(list_entries_in_play(request.user, [bot.pk]), key=lambda one: one.ladder.place)
    edition = request.GET.get("edition")
    entry = next((one for one in entries if edition in (None, one.ladder.edition)), None)
    title = translate_ladder_title(entry.ladder.title) if entry else bot.name
    value = f"{format_rating(entry.rating)} ± {format_rating(entry.margin_95)}" if entry else "–"
    left, right = (round(CHARACTER_WIDTH * len(text)) + 16 for text in (title, value))
    context = {"title": title, "value": value, "left": left, "right": right, "width": left + right}
    context |= {"title_width": left - 16, "value_width": right - 16, "value_x": left + 8}
    response = HttpResponse(render_to_string("bots/badge.svg", context), content_type="image/svg+xml")
    response["Cache-Control"] = CACHE_CONTROL
    return response
