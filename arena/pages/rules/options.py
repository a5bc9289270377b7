"""The page about the rule options of a game: what each of them decides, its values, and what each edition has."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from engine.core import Game
from engine.message import Message
from engine.options import BadOptions, ChoiceOption, NumberOption, OptionValue, RuleOption, Value, write_value
from engine.registry import GAMES


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of an option."""

    written: str
    """As the API takes it, and the command line."""
    title: Message | None
    """None for a number."""
    description: Message | None
    editions: list[tuple[str, str]]
    """Key and title of the editions that have it."""


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option with its values."""

    option: RuleOption
    values: list[ValueRow]
    lowest: int | None = None
    highest: int | None = None
    """Highest value of an option that is a whole number; None for other options."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """Two values that don't go together."""

    first: tuple[RuleOption, OptionValue]
    second: tuple[RuleOption, OptionValue]
    reason: Message


def page(request: HttpRequest, game: str) -> HttpResponse:
    """Show the rule options of a game."""
    if game not in GAMES or not GAMES[game].rule_options:
        raise Http404(_("There are no such rules."))
    rules = GAMES[game]
    rows = [describe_option(rules, option) for option in rules.rule_options]
    context = {
        "game": rules,
        "editions": [(key, _(title)) for key, title in rules.editions.items()],
        "rows": rows,
        "example": f"{rows[-1].option.key}={rows[-1].values[-1].written}",
        "impossible": find_impossible(game),
    }
    return render(request, "rules/options.html", context)


def describe_option(game: Game, option: RuleOption) -> OptionRow:
    """Return an option with its values, and the editions that have each."""
    if isinstance(option, NumberOption):
        had = dict.fromkeys(game.options(edition)[option.key] for edition in game.editions)
        values = [ValueRow(str(value), None, None, list_editions(game, option, value)) for value in had]
        return OptionRow(option, values, option.lowest, option.highest)
    assert isinstance(option, ChoiceOption)
    return OptionRow(
        option,
        [
            ValueRow(format_value(one.value), one.title, one.description, list_editions(game, option, one.value))
            for one in option.values
        ],
    )


def format_value(value: Value) -> str:
    """Return a value as the API takes it, without quotes."""
    return write_value(value)[0] if isinstance(value, bool) else str(value)


def list_editions(game: Game, option: RuleOption, value: Value) -> list[tuple[str, str]]:
    """Return key and title of the editions in which an option has this value."""
    return [(key, _(title)) for key, title in game.editions.items() if game.options(key)[option.key] == value]


@cache
def find_impossible(key: str) -> list[Impossible]:
    """Return the pairs of values that the engine refuses; each value by itself is in some set of options."""
    return list(_find_refused_pairs(GAMES[key]))


def _find_refused_pairs(game: Game) -> Iterator[Impossible]:
    choices = [option for option in game.rule_options if isinstance(option, ChoiceOption)]
    edition = next(iter(game.editions))
    for first, second in combinations(choices, 2):
        for one, other in product(first.values, second.values):
            try:
                game.options(edition, **{first.key: one.value, second.key: other.value})
            except BadOptions as refusal:
                yield Impossible((first, one), (second, other), refusal.message)
