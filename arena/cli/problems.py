"""Print what a check of `pennant verify` found."""

from collections.abc import Sequence

import click

EXIT_SECRET_UNPUBLISHED = 4
"""The exit code where nothing is wrong and the deals can't be checked yet."""
MAX_PROBLEMS_SHOWN = 20


def report_problems(name: str, problems: Sequence[str]) -> bool:
    """Print what doesn't hold of the thing with this name, and return whether everything does."""
    for problem in problems[:MAX_PROBLEMS_SHOWN]:
        click.echo(f"refused {name}: {problem}")
    if len(problems) > MAX_PROBLEMS_SHOWN:
        click.echo(f"and {len(problems) - MAX_PROBLEMS_SHOWN} more")
    return not problems
