"""Form fields for the rules of a match: a field for each rule option of a game, and mirrored pairs or a series."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.messages import render_message
from engine.core import Json
from engine.options import ChoiceOption, NumberOption, RuleOption, write_value
from engine.registry import GAMES
from engine.series import GAMES_RANGE, POINTS_RANGE

MIRRORED, OF_GAMES, TO_POINTS = "", "games", "points"
SERIES_CHOICES = (
    (MIRRORED, gettext_lazy("Mirrored pairs (default): both bots play the same cards from both seats.")),
    (OF_GAMES, gettext_lazy("A series of games: every game has a new deal, and the winner starts the next one.")),
    (TO_POINTS, gettext_lazy("A series to a number of points: the winner of a game gets 5, the loser its flags.")),
)
SERIES_HELP = gettext_lazy(
    "Mirrored pairs are fairer: in a series, the luck of the deal and of starting doesn't even out."
)


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """The rule options of one game in a form."""

    game: str
    title: str
    fields: list[tuple[BoundField, RuleOption]]


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
            widget=forms.NumberInput(attrs={"placeholder": _("as in the edition")}),
        )
    assert isinstance(option, ChoiceOption)
    values = [(write_value(value.value)[0], render_message(value.title)) for value in option.values]
    return forms.TypedChoiceField(
        label=label,
        required=False,
        choices=[("", _("as in the edition")), *values],
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
                error = _("This is an option of %(other)s, and the game is %(game)s. Leave it as in the edition.")
                form.add_error(name, error % {"other": GAMES[other].title, "game": GAMES[game].title})
    return chosen


def list_option_groups(form: forms.Form) -> Iterator[OptionGroup]:
    """Yield the options of each game that the form has fields for."""
    for key, game in GAMES.items():
        named = [(name_option_field(key, option.key), option) for option in game.rule_options]
        fields = [(form[name], option) for name, option in named if name in form.fields]
        if fields:
            yield OptionGroup(key, game.title, fields)


def has_chosen_options(form: forms.Form) -> bool:
    """Return whether a rule option is chosen or refused, so that the form should show them."""
    return any(field.value() or field.errors for group in list_option_groups(form) for field, _option in group.fields)


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
        label=_("Games of a series"), required=False, min_value=GAMES_RANGE[0], max_value=GAMES_RANGE[-1]
    )
    form.fields["series_points"] = forms.IntegerField(
        label=_("Points that end a series"), required=False, min_value=POINTS_RANGE[0], max_value=POINTS_RANGE[-1]
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
        form.add_error(f"series_{kind}", _("Say how long the series is."))
    return {kind: number}
