"""Mark what runs only with `--full`: of a matrix the default run keeps one case of each kind."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest
from hypothesis import settings

FULL_PROFILE = "full"


def full_only(cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters that run only with `--full`; a tuple is one case of several parameters."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.full) for case in cases]


def default_and_full(default: Iterable[Any], full: Iterable[Any]) -> list[Any]:
    """Return parameters of which the second group runs only with `--full`."""
    return [*default, *full_only(full)]


def one_of_each(cases: Iterable[Any], kind: Callable[[Any], Hashable]) -> list[Any]:
    """Return the cases as parameters in their order; by default only the first of each kind runs."""
    seen: set[Hashable] = set()
    found = []
    for case in cases:
        found += full_only([case]) if kind(case) in seen else [case]
        seen.add(kind(case))
    return found


def examples(default: int, full: int) -> settings:
    """Return Hypothesis settings without a deadline: this many examples by default, and this many with `--full`."""
    return settings(deadline=None, max_examples=full if is_full_run() else default)


def is_full_run() -> bool:
    """Tell whether pytest was started with `--full`."""
    return settings.get_current_profile_name() == FULL_PROFILE
