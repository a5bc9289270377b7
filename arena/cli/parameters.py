"""Parameters of a bot: the file `params.json` beside its source, and the ranges in which `pennant tune` looks."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import click

from arena.runner.program import PARAMETERS_FILE, Program

RANGE_PATTERN = re.compile(r"([A-Za-z_][\w.-]*)=([^:]+):([^:]+)")

Number = int | float


@dataclass(frozen=True, slots=True)
class ParameterRange:
    """The range of a parameter, bounds included."""

    name: str
    low: Number
    high: Number

    @property
    def is_whole(self) -> bool:
        """Return whether it takes whole numbers only."""
        return isinstance(self.low, int)


# The base is generic from click 8.5 on.
class ParameterRangeType(click.ParamType):  # type: ignore[type-arg]
    """The type of an option NAME=LOW:HIGH."""

    name = "name=low:high"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ParameterRange:
        """Return the range; it is of whole numbers where both bounds are."""
        named = RANGE_PATTERN.fullmatch(str(value))
        try:
            if named is None:
                raise ValueError
            low, high = read_number(named[2]), read_number(named[3])
        except ValueError:
            self.fail(f"{value!r} should read NAME=LOW:HIGH, as depth=1:5 or greed=0.0:1.0", param, ctx)
        if not low < high:
            self.fail(f"{value!r} should begin with the smaller number", param, ctx)
        if isinstance(low, float) or isinstance(high, float):
            low, high = float(low), float(high)
        return ParameterRange(named[1], low, high)


def read_number(text: str) -> Number:
    """Return a whole number, or one with a decimal point. Raises ValueError."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"{text} is not a number") from None
        return number


def read_parameters(program: Program) -> dict[str, Any]:
    """Return the parameters of a bot, {} where it has none. Raises click.ClickException."""
    content = program.files.get(PARAMETERS_FILE)
    if content is None:
        return {}
    try:
        parameters = json.loads(content)
    except ValueError as error:
        raise click.ClickException(f"{PARAMETERS_FILE} of {program.name} is not JSON: {error}") from error
    if not isinstance(parameters, dict):
        raise click.ClickException(f"{PARAMETERS_FILE} of {program.name} is JSON, but not an object")
    return parameters


def fit_to_values(ranges: tuple[ParameterRange, ...], parameters: Mapping[str, Any]) -> tuple[ParameterRange, ...]:
    """Return the ranges, of fractions where the present value is one. Raises click.ClickException.

    Each parameter is named once, and is a number now or isn't there.
    """
    fitted = []
    for each in ranges:
        value = parameters.get(each.name, each.low)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise click.ClickException(f"{each.name} in {PARAMETERS_FILE} is {value!r}, and only numbers can be tuned")
        is_fraction = isinstance(value, float)
        fitted.append(replace(each, low=float(each.low), high=float(each.high)) if is_fraction else each)
    names = [each.name for each in ranges]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise click.UsageError(f"{', '.join(twice)} is given twice")
    return tuple(fitted)


def with_parameters(program: Program, parameters: Mapping[str, Any]) -> Program:
    """Return the program, source or built, with these parameters beside it."""
    return replace(program, files={**program.files, PARAMETERS_FILE: write_parameters(parameters)})


def write_parameters(parameters: Mapping[str, Any]) -> bytes:
    """Return the content of the file."""
    return json.dumps(parameters, indent=2).encode() + b"\n"
