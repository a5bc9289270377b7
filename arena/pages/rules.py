"""The rules of games: a field for each rule option, pages of each edition, and the library of formations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.views.decorators.http import require_POST

from arena.contests.formations import services as queries
from arena.contests.formations.models import MAX_NAME_LENGTH, Formation
from arena.contests.formations.services import name_formation
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, pgettext, render_message
from arena.pages.formatting import join_words
from arena.pages.games import find_presentation, has_rules
from arena.pages.games.battalion.words import draw_deployment
from arena.pages.serving import refusal_in_form, signed_in_reader
from engine.core import Game, Json
from engine.message import Message
from engine.options import BadOptions, ChoiceOption, NumberOption, RuleOption, Value, write_value
from engine.registry import BUILT_IN_GAMES, GAMES
from engine.series import GAMES_RANGE, POINTS_RANGE

# Show the rules of the games, with a page for each edition.
#
# A page consists of parts. Each part is a template of its own in every language: `<folder>/<language>/`.

RULES_FALLBACK_LANGUAGE = "en"


def show_rules_index(request: HttpRequest) -> HttpResponse:
    """List the games with rules."""
    games = []
    for key, game in GAMES.items():
        presentation = find_presentation(key, next(iter(game.editions)))
        if presentation.build_rules is not None:
            rules = presentation.build_rules()
            cards = [build_edition_card(key, one) for one in rules["editions"]]
            games.append({**describe_game(key), "pages": presentation.pages, "cards": cards})
    return render(request, "rules/index.html", {"games": games})


def build_edition_card(game: str, edition: Any) -> dict[str, Any]:
    """Return the card of an edition as `build_rules` returns it: an object, or a mapping in a game from outside."""
    presentation = find_presentation(game, str(edition["key"] if isinstance(edition, Mapping) else edition.key))
    draw = presentation.build_edition_picture
    return {
        "edition": edition,
        "emblem": presentation.emblem,
        "template": f"games/{presentation.folder}/picture.html",
        "board": draw() if draw is not None else None,
    }


def show_rules(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Show the rules of an edition."""
    presentation = find_presentation(game, edition) if game in GAMES and edition in GAMES[game].editions else None
    if presentation is None or presentation.build_rules is None:
        raise Http404(_("No such rules."))
    context = {
        "game": describe_game(game),
        "pages": presentation.pages,
        **presentation.build_rules(),
    }
    context["parts"] = list_rule_parts(f"games/{presentation.folder}/rules", context["parts"])
    return render(request, "rules/book.html", context)


def describe_game(key: str) -> dict[str, Any]:
    """Return what every page of rules shows of a game."""
    return {"key": key, "title": GAMES[key].title, "has_options": bool(GAMES[key].rule_options)}


def list_rule_parts(folder: str, titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the parts with these titles; the first template that exists is shown, else the English one."""
    languages = (get_language(), RULES_FALLBACK_LANGUAGE)
    return [
        {"id": id, "title": title, "templates": [f"{folder}/{one}/{id}.html" for one in languages]}
        for id, title in titles.items()
    ]


# The page about the rule options of a game: what each of them decides, its values, and what each edition has.


def show_rule_options(request: HttpRequest, game: str) -> HttpResponse:
    """Show the rule options of a game."""
    if game not in GAMES or not GAMES[game].rule_options:
        raise Http404(_("No such rules."))
    rules = GAMES[game]
    rows = [describe_option(rules, option) for option in rules.rule_options]
    context = {
        "game": rules,
        "editions": [(key, _(title)) for key, title in rules.editions.items()],
        "rows": rows,
        "example": f"{rows[-1]['option'].key}={rows[-1]['values'][-1]['written']}",
        "impossible": find_impossible_pairs(game),
    }
    return render(request, "rules/options.html", context)


def describe_option(game: Game, option: RuleOption) -> dict[str, Any]:
    """Return an option with its values as the API takes them, and the editions that have each."""
    values: list[dict[str, Any]]
    if isinstance(option, NumberOption):
        had = dict.fromkeys(game.options(edition)[option.key] for edition in game.editions)
        values = [{"written": str(one), "editions": list_editions_with_value(game, option, one)} for one in had]
        return {"option": option, "values": values, "lowest": option.lowest, "highest": option.highest}
    assert isinstance(option, ChoiceOption)
    values = [
        {
            "written": write_value(one.value)[0] if isinstance(one.value, bool) else str(one.value),
            "title": one.title,
            "description": one.description,
            "editions": list_editions_with_value(game, option, one.value),
        }
        for one in option.values
    ]
    return {"option": option, "values": values}


def list_editions_with_value(game: Game, option: RuleOption, value: Value) -> list[tuple[str, str]]:
    """Return key and title of the editions in which an option has this value."""
    return [(key, _(title)) for key, title in game.editions.items() if game.options(key)[option.key] == value]


@cache
def find_impossible_pairs(key: str) -> list[dict[str, Any]]:
    """Return the pairs of values that the engine refuses, whatever value a third option has."""
    game, refused = GAMES[key], []
    choices = [option for option in game.rule_options if isinstance(option, ChoiceOption)]
    others: list[Json] = [{}, *({option.key: value.value} for option in choices for value in option.values)]
    for first, second in combinations(choices, 2):
        for one, other in product(first.values, second.values):
            pair = {first.key: one.value, second.key: other.value}
            reasons = [explain_refusal(game, changes | pair) for changes in others]
            if None not in reasons:
                refused.append({"first": (first, one), "second": (second, other), "reason": reasons[0]})
    return refused


def explain_refusal(game: Game, changes: Json) -> Message | None:
    """Return why the first edition of a game can't be changed like this, or None where it can."""
    try:
        game.options(next(iter(game.editions)), **changes)
    except BadOptions as refusal:
        return refusal.message
    return None


# The library of Battalion's formations: those with names, and how all that were laid out on ladders fared.

FORMATIONS_PER_PAGE = 18
SHAPE_PARAMETER = "shape"


class NameForm(forms.Form):
    """The name of a formation, in both languages of the site."""

    name = forms.CharField(label=gettext_lazy("English name"), max_length=MAX_NAME_LENGTH)
    name_hu = forms.CharField(label=gettext_lazy("Hungarian name"), max_length=MAX_NAME_LENGTH)


@dataclass(frozen=True, slots=True)
class FormationListing:
    """A choice of formations, in an order."""

    label: str | Promise
    list_rows: Callable[[], QuerySet[Formation]]
    note: str | Promise
    emptiness: str | Promise
    """The sentence shown where the list is empty."""


FORMATION_LISTINGS: Mapping[str, FormationListing] = {
    "named": FormationListing(
        gettext_lazy("Named"),
        queries.list_named,
        gettext_lazy("Formations named in the rules, then those named on this arena."),
        gettext_lazy("No named formations yet."),
    ),
    "deployed": FormationListing(
        gettext_lazy("Most deployed"),
        queries.list_by_deployments,
        gettext_lazy("The formations bots deploy most often in rated legs."),
        gettext_lazy("No rated Battalion legs counted yet."),
    ),
    "reformed": FormationListing(
        gettext_lazy("Most reformed into"),
        queries.list_by_reformings,
        gettext_lazy("The formations bots reform into most often in rated legs."),
        gettext_lazy("No bot has reformed in a rated leg yet."),
    ),
    "successful": FormationListing(
        gettext_lazy("Most successful"),
        queries.list_by_success,
        gettext_lazy(
            "Sorted by mean points in the legs that began with them; only formations deployed at least "
            "%(legs)s times are listed. A good bot makes any formation look good, so points say as much "
            "about the bots as about the formation."
        ),
        gettext_lazy("No formation has been deployed %(legs)s times in rated legs yet."),
    ),
    "unnamed": FormationListing(
        gettext_lazy("Without a name"),
        queries.list_unnamed,
        gettext_lazy("Formations found by bots, newest first. Staff can name each one once."),
        gettext_lazy("Every formation used in rated legs has a name."),
    ),
}
DEFAULT_LISTING = "named"


def show_formations(request: HttpRequest) -> HttpResponse:
    """Show the formations of a listing, or the one whose shape the address has."""
    shape = request.GET.get(SHAPE_PARAMETER)
    if shape is None:
        return show_formation_listing(request)
    row = queries.find_by_shape(shape)
    if row is None:
        raise Http404(_("No bot has used this formation yet."))
    return show_formation(request, row, None)


def show_formation_listing(request: HttpRequest) -> HttpResponse:
    """Show a page of a listing, perhaps only formations of one size."""
    key = request.GET.get("show", "")
    key = key if key in FORMATION_LISTINGS else DEFAULT_LISTING
    sizes = queries.list_sizes()
    size = next((one for one in sizes if str(one) == request.GET.get("cells")), None)
    rows = FORMATION_LISTINGS[key].list_rows()
    page = Paginator(rows if size is None else rows.filter(cells=size), FORMATIONS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    words = {"legs": queries.MIN_LEGS_OF_SUCCESS}
    context = {
        "listings": {name: listing.label for name, listing in FORMATION_LISTINGS.items()},
        "key": key,
        "label": FORMATION_LISTINGS[key].label,
        "note": str(FORMATION_LISTINGS[key].note) % words,
        "emptiness": str(FORMATION_LISTINGS[key].emptiness) % words,
        "sizes": sizes,
        "size": size,
        "page": page,
        "formations": list_shown_formations(request, list(page.object_list), {}),
        "counted_at": queries.find_last_counted(),
    }
    return render(request, "rules/formations.html", context)


def show_formation(request: HttpRequest, row: Formation, form: NameForm | None) -> HttpResponse:
    """Show one formation, with a form that was filled in and refused where there is one."""
    filled = {row.pk: form} if form else {}
    context: dict[str, Any] = {"is_single": True, "counted_at": queries.find_last_counted()}
    context["formations"] = list_shown_formations(request, [row], filled)
    return render(request, "rules/formations.html", context, status=400 if form else 200)


def list_shown_formations(
    request: HttpRequest, rows: Sequence[Formation], filled: Mapping[int, NameForm]
) -> list[dict[str, Any]]:
    """Return formations as the page shows them; staff gets forms for those without a name."""
    is_staff = request.user.is_authenticated and request.user.is_staff
    shown = []
    for row in rows:
        form = filled.get(row.pk)
        if form is None and is_staff and not row.is_named:
            form = make_name_form(row)
        name = row.name_hu if get_language() == "hu" else row.name
        if row.library_name:
            name = pgettext("named formation", row.library_name)
        shown.append({"row": row, "name": name, "ground": draw_deployment(row.example), "form": form})
    return shown


def make_name_form(row: Formation, data: Mapping[str, str] | None = None) -> NameForm:
    """Return the form that names a formation; its fields have ids of their own on the page."""
    return NameForm(data, auto_id=f"id_{row.pk}_%s")


@require_POST
@login_required
def give_name(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a formation its name."""
    staff = signed_in_reader(request)
    if not staff.is_staff:
        raise PermissionDenied
    row = queries.find_formation(pk)
    if row is None:
        raise Http404
    form = make_name_form(row, request.POST.dict())
    if form.is_valid():
        with refusal_in_form(form):
            name_formation(formation=row, by=staff, **form.cleaned_data)
            messages.success(request, _("Formation named."))
            return redirect(row)
    return show_formation(request, row, form)


# Form fields for the rules of a match: a field for each rule option of a game, and mirrored pairs or a series.

MIRRORED, OF_GAMES, TO_POINTS = "", "games", "points"
SERIES_CHOICES = (
    (MIRRORED, gettext_lazy("Mirrored pairs (default): both bots play the same cards from both seats.")),
    (OF_GAMES, gettext_lazy("A series of games: each has a new deal, and the winner starts the next.")),
    (TO_POINTS, gettext_lazy("A series to a set score: a game's winner gets 5 points, the loser 1 per flag.")),
)
SERIES_HELP = gettext_lazy("Mirrored pairs are fairer: a series doesn't even out the luck of the deal and of starting.")


def add_option_fields(form: forms.Form, games: Iterable[str]) -> None:
    """Add a field for each rule option of these games. Its name begins with that of the game."""
    for game in games:
        for option in GAMES[game].rule_options:
            form.fields[name_option_field(game, option.key)] = build_option_field(option)


def name_option_field(game: str, key: str) -> str:
    """Return the name of the field of an option."""
    return f"{game}-{key}"


def build_option_field(option: RuleOption) -> forms.Field:
    """Return the field of an option. Left empty, the option is as in the edition."""
    label = render_message(option.title)
    if isinstance(option, NumberOption):
        return forms.IntegerField(
            label=label,
            required=False,
            min_value=option.lowest,
            max_value=option.highest,
            widget=forms.NumberInput(attrs={"placeholder": _("edition default")}),
        )
    assert isinstance(option, ChoiceOption)
    values = [(write_value(value.value)[0], render_message(value.title)) for value in option.values]
    return forms.TypedChoiceField(
        label=label,
        required=False,
        choices=[("", _("edition default")), *values],
        coerce=option.read,
        empty_value=None,
    )


def write_options(game: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the initial values of the fields for changed options."""
    return {name_option_field(game, key): write_value(value)[0] for key, value in changes.items()}


def read_options(form: forms.Form, game: str) -> Json:
    """Return the options of a game that are chosen in a valid form. Those of another game are errors of the form."""
    chosen: Json = {}
    for other in GAMES:
        for option in GAMES[other].rule_options:
            name = name_option_field(other, option.key)
            value = form.cleaned_data.get(name)
            if value is None:
                continue
            if other == game:
                chosen[option.key] = value
            else:
                error = _("This option belongs to %(other)s, but the game is %(game)s. Leave it at “edition default”.")
                form.add_error(name, error % {"other": GAMES[other].title, "game": GAMES[game].title})
    return chosen


def list_option_groups(form: forms.Form) -> list[dict[str, Any]]:
    """List the games for whose rule options the form has fields, with each field and its option."""
    groups = []
    for key, game in GAMES.items():
        named = [(name_option_field(key, option.key), option) for option in game.rule_options]
        fields = [(form[name], option) for name, option in named if name in form.fields]
        if fields:
            groups.append({"game": key, "title": game.title, "fields": fields})
    return groups


def has_chosen_options(form: forms.Form) -> bool:
    """Return whether a rule option is chosen or refused, so that the form should show them."""
    return any(
        field.value() or field.errors for group in list_option_groups(form) for field, _option in group["fields"]
    )


def add_series_fields(form: forms.Form) -> None:
    """Add the choice between mirrored pairs and a series of games."""
    form.fields["series"] = forms.ChoiceField(
        label=_("Matches"),
        required=False,
        choices=list(SERIES_CHOICES),
        widget=forms.RadioSelect,
        help_text=str(SERIES_HELP),
    )
    form.fields["series_games"] = forms.IntegerField(
        label=_("Games in the series"), required=False, min_value=GAMES_RANGE[0], max_value=GAMES_RANGE[-1]
    )
    form.fields["series_points"] = forms.IntegerField(
        label=_("Points to end the series"), required=False, min_value=POINTS_RANGE[0], max_value=POINTS_RANGE[-1]
    )


def write_series(series: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the initial values of the fields for a series."""
    for kind in (OF_GAMES, TO_POINTS):
        if series and series.get(kind) is not None:
            return {"series": kind, f"series_{kind}": series[kind]}
    return {"series": MIRRORED}


def read_series(form: forms.Form) -> Json | None:
    """Return the series that is chosen, as JSON; None for mirrored pairs. A missing number is an error of the form."""
    kind = form.cleaned_data.get("series")
    if not kind:
        return None
    number = form.cleaned_data.get(f"series_{kind}")
    if number is None and f"series_{kind}" not in form.errors:
        form.add_error(f"series_{kind}", _("Enter the length of the series."))
    return {kind: number}


# The choices of a form that are known only when it is made.


def get_choice_field(form: forms.BaseForm, name: str) -> forms.ChoiceField:
    """Return a field of a form that offers choices."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field


# The games in sentences of the front page and the first steps.


def build_game_name_context() -> dict[str, Any]:
    """Return template values: the titles of this arena's games, those with sample bots, and the number of games."""
    return {
        "any_game": join_words(list_titles(GAMES.values()), _("%(first)s or %(last)s")),
        "all_games": join_words(list_titles(GAMES.values()), _("%(first)s and %(last)s")),
        "starter_games": join_words(list_titles(BUILT_IN_GAMES.values()), _("%(first)s and %(last)s")),
        "game_count": sum(map(has_rules, GAMES)),
    }


def list_titles(games: Iterable[Game]) -> list[str]:
    """Return the titles of games, which are the same in every language."""
    return [game.title for game in games]
