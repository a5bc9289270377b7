"""`pennant tune`: find better parameters for a bot by mirrored matches."""

import json
import math
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState
from rich.console import Console
from rich.table import Table

from arena.cli import writing
from arena.cli.bot_paths import (
    bare_option,
    build_programs,
    choose_rules,
    choose_sandbox,
    clock_options,
    find_bot,
    json_option,
    read_clock,
    rules_options,
)
from arena.cli.campaign import Campaign, HomeClock, MatchBatch, Workers, play_due, show_progress
from arena.cli.files import Interval, compute_digest, estimate_share, format_share, start_table
from arena.runner.match import MatchSpec
from arena.runner.program import PARAMETERS_FILE, Program
from arena.runner.sandbox.base import Sandbox
from engine.core import Game
from engine.variants import Variant

# Parameters of a bot: the file `params.json` beside its source, and the ranges in which `pennant tune` looks.

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
            self.fail(f"{value!r} should be NAME=LOW:HIGH, such as depth=1:5 or greed=0.0:1.0", param, ctx)
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
            raise ValueError(f"{text} isn't a number") from None
        return number


def read_parameters(program: Program) -> dict[str, Any]:
    """Return the parameters of a bot, {} where it has none. Raises click.ClickException."""
    content = program.files.get(PARAMETERS_FILE)
    if content is None:
        return {}
    try:
        parameters = json.loads(content)
    except ValueError as error:
        raise click.ClickException(f"{program.name}'s {PARAMETERS_FILE} isn't JSON: {error}") from error
    if not isinstance(parameters, dict):
        raise click.ClickException(f"{program.name}'s {PARAMETERS_FILE} is JSON, but not an object")
    return parameters


def fit_to_values(ranges: tuple[ParameterRange, ...], parameters: Mapping[str, Any]) -> tuple[ParameterRange, ...]:
    """Return the ranges, of fractions where the present value is one. Raises click.ClickException.

    Each parameter is named once, and is a number now or isn't there.
    """
    fitted = []
    for each in ranges:
        value = parameters.get(each.name, each.low)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise click.ClickException(f"{each.name} in {PARAMETERS_FILE} is {value!r}, but only numbers can be tuned")
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


STARTING_SAMPLES = 8
"""Parameters that are drawn at random before the optimiser has anything to go by."""
CANDIDATES_CONFIRMED = 3
"""The best by few matches are often those with luck, so the first few are played again, on new deals."""
CONFIRMATION_FACTOR = 4
"""A confirmation has so many times the matches of a sample."""
STUDY_NAME = "pennant"
JOURNAL_FILE = "samples.journal"


@dataclass(frozen=True, slots=True)
class Tuning:
    """A bot, the ranges of its parameters, and whom it plays."""

    game: Game
    variant: Variant
    bot: Program
    parameters: Mapping[str, Any]
    """All parameters of the bot as they are now."""
    ranges: tuple[ParameterRange, ...]
    opponents: tuple[Program, ...]
    matches: int
    clock: HomeClock

    def plan(self, seed: str) -> dict[str, Any]:
        """Return what makes it the same tuning when it goes on."""
        return {
            "game": self.game.key,
            "options": self.variant.options,
            "bot": compute_digest(self.bot),
            "ranges": [asdict(each) for each in self.ranges],
            "opponents": [compute_digest(opponent) for opponent in self.opponents],
            "matches": self.matches,
            "seed": seed,
            **({} if self.clock == HomeClock() else {"clock": asdict(self.clock)}),
        }

    def specs(self, values: Mapping[str, Any], matches: int, seed: str) -> dict[tuple[int, int], MatchSpec]:
        """Return the matches of the bot with these values, by opponent and number."""
        bot = with_parameters(self.bot, {**self.parameters, **values})
        share, rest = divmod(matches, len(self.opponents))
        specs: dict[tuple[int, int], MatchSpec] = {}
        for number, opponent in enumerate(self.opponents):
            count = share + (number < rest)
            rules = (self.game.key, self.variant.edition, self.variant.options)
            batch = MatchBatch(*rules, (bot, opponent), count, f"{seed}:{number}", clock=self.clock)
            specs |= {(number, match): batch.match(match) for match in range(1, count + 1)}
        return specs


@click.command()
@click.argument("bot", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--param",
    "ranges",
    metavar="NAME=LOW:HIGH",
    type=ParameterRangeType(),
    multiple=True,
    required=True,
    help="A parameter and its range, such as depth=1:5. Repeatable. Fractions are tried if a bound or "
    "the current value has a decimal point, as in greed=0.0:1.0.",
)
@click.option(
    "--opponent", "opponents", multiple=True, help="Opponent. Repeatable. [default: BOT with its current values]"
)
@click.option("--samples", default=40, show_default=True, type=click.IntRange(min=1), help="Number of settings to try.")
@click.option(
    "--matches", default=16, show_default=True, type=click.IntRange(min=1), help="Mirrored matches per setting."
)
@rules_options
@clock_options
@click.option("--seed", help="Seed for deals and settings. [default: random; it's stored]")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tuning"),
    show_default=True,
    help="Folder for the settings tried.",
)
@click.option("--apply", is_flag=True, help=f"Write the best setting to BOT's {PARAMETERS_FILE}.")
@json_option
@bare_option
def tune(bot: Path, out: Path, apply: bool, as_json: bool, no_sandbox: bool, **given: Any) -> None:
    """Find better values for a bot's parameters, using Bayesian optimisation over mirrored matches.

    BOT is a folder with a params.json that the bot reads when it starts; missing parameters are added. At the end, the
    best settings and the current one play again on new deals, and only these matches count. Everything tried is saved:
    run the same command to continue after Ctrl-C, or with more --samples to try more.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    campaign = Campaign("tuning", out, errors, as_json=as_json)
    tuning = _read_tuning(bot, given)
    with campaign.report_stop():
        seed = _open_plan(campaign, tuning, given["seed"])
        languages = {program.language for program in (tuning.bot, *tuning.opponents)}
        sandbox = choose_sandbox(languages, bare=no_sandbox, errors=errors)
        built, *opponents = build_programs((tuning.bot, *tuning.opponents), sandbox)
        errors.print(f"seed {seed}")
        ready = replace(tuning, bot=built, opponents=tuple(opponents))
        confirmed = _tune(ready, given["samples"], seed, sandbox, campaign)
    best = max(confirmed, key=lambda setting: setting.share.value)
    if as_json:
        click.echo(json.dumps({"seed": seed, "settings": [asdict(each) for each in confirmed], "best": best.values}))
    else:
        Console(highlight=False, markup=False).print(_build_table(tuning, confirmed))
    _conclude(bot, tuning, best, apply)


@dataclass(frozen=True, slots=True)
class Setting:
    """Values of the parameters with the points they had in the confirmation."""

    values: dict[str, Any]
    is_present: bool
    share: Interval
    matches: int


def _read_tuning(path: Path, given: dict[str, Any]) -> Tuning:
    """Return what is to be tuned. Raise MessageError or click.ClickException."""
    game, variant = choose_rules(given["opponents"], given["game"], given["edition"], given["rule_options"])
    bot = find_bot(str(path))
    opponents = tuple(find_bot(text) for text in given["opponents"]) or (bot,)
    parameters = read_parameters(bot)
    ranges = fit_to_values(given["ranges"], parameters)
    clock = read_clock(given["time_per_move"], given["bank"], given["no_clock"])
    return Tuning(game, variant, bot, parameters, ranges, opponents, given["matches"], clock)


def _open_plan(campaign: Campaign, tuning: Tuning, seed: str | None) -> str:
    """Return the seed; store the plan if there is none yet. Raise click.ClickException if it is another one."""
    stored = campaign.read_plan()
    if stored is None:
        chosen = seed or str(secrets.randbelow(10**9))
        campaign.store_plan(tuning.plan(chosen))
        return chosen
    now = json.loads(json.dumps(tuning.plan(seed or stored.get("seed", ""))))
    campaign.refuse_changes([key for key in {**stored, **now} if now.get(key) != stored.get(key)])
    return str(stored["seed"])


def _tune(tuning: Tuning, samples: int, seed: str, sandbox: Sandbox, campaign: Campaign) -> list[Setting]:
    """Try settings, and return the best few and the present one, with what the confirmation says of them."""
    study = _open_study(tuning, seed, campaign.folder)
    done = sum(trial.state == TrialState.COMPLETE for trial in study.trials)
    to_confirm = CANDIDATES_CONFIRMED + 1
    total = max(0, samples - done) * tuning.matches + to_confirm * CONFIRMATION_FACTOR * tuning.matches
    progress = show_progress(campaign.errors, "trying", total, as_json=campaign.as_json)
    with Workers(sandbox, tuning.matches) as workers, progress as update:

        def measure(values: Mapping[str, Any], matches: int, name: str) -> list[float]:
            """Return the bot's points in matches with these values."""
            left, points = tuning.specs(values, matches, f"{seed}:{name}"), []
            for key, match in play_due(lambda: left, left.__getitem__, workers):
                del left[key]
                points.append(match.points[0])
                update({"setting": dict(values), "points": list(match.points)}, advance=1)
            return points

        for _ in range(done, samples):
            trial = study.ask(_distributions(tuning))
            points = measure(trial.params, tuning.matches, f"sample {trial.number}")
            study.tell(trial, estimate_share(points).value)
        update(description="confirming")
        return [
            Setting(values, is_present, estimate_share(points), len(points))
            for values, is_present in _list_candidates(study, tuning)
            for points in [measure(values, CONFIRMATION_FACTOR * tuning.matches, f"confirmation of {samples}")]
        ]


def _open_study(tuning: Tuning, seed: str, out: Path) -> optuna.Study:
    """Return the study of the folder; a new one begins with the present values."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        storage=JournalStorage(JournalFileBackend(str(out / JOURNAL_FILE))),
        sampler=optuna.samplers.TPESampler(
            n_startup_trials=STARTING_SAMPLES, seed=int.from_bytes(f"{seed}".encode()[-4:])
        ),
        study_name=STUDY_NAME,
        direction="maximize",
        load_if_exists=True,
    )
    if not study.trials and (present := _present_values(tuning)):
        study.enqueue_trial(present)
    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
    return study


def _present_values(tuning: Tuning) -> dict[str, Any] | None:
    """Return the present values of the parameters, or None where one is missing or out of its range."""
    values = {each.name: tuning.parameters.get(each.name) for each in tuning.ranges}
    is_whole = all(
        (value := values[each.name]) is not None and each.low <= value <= each.high for each in tuning.ranges
    )
    return values if is_whole else None


def _distributions(tuning: Tuning) -> dict[str, BaseDistribution]:
    return {
        each.name: IntDistribution(int(each.low), int(each.high))
        if each.is_whole
        else FloatDistribution(float(each.low), float(each.high))
        for each in tuning.ranges
    }


def _list_candidates(study: optuna.Study, tuning: Tuning) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the present values, where there are any, and the best settings that were tried, each once."""
    present = _present_values(tuning)
    if present is not None:
        yield present, True
    complete = study.get_trials(states=(TrialState.COMPLETE,))
    chosen: list[dict[str, Any]] = []
    for trial in sorted(complete, key=lambda trial: -(trial.value or 0)):
        if trial.params != present and trial.params not in chosen:
            chosen.append(trial.params)
    yield from ((values, False) for values in chosen[:CANDIDATES_CONFIRMED])


def _build_table(tuning: Tuning, settings: list[Setting]) -> Table:
    table = start_table(("", *(each.name for each in tuning.ranges), "matches", "share (95%)"), "")
    for setting in sorted(settings, key=lambda setting: -setting.share.value):
        values = (f"{setting.values[each.name]:.4g}" for each in tuning.ranges)
        name = "present" if setting.is_present else ""
        table.add_row(name, *values, str(setting.matches), format_share(setting.share))
    return table


def _conclude(path: Path, tuning: Tuning, best: Setting, apply: bool) -> None:
    """Say what follows from the confirmation, and write the best setting if it is asked for."""
    if best.is_present:
        click.echo("No setting was better than the current values.", err=True)
        return
    if not apply:
        click.echo(f"To write the first line to {path / PARAMETERS_FILE}, add --apply", err=True)
        return
    with writing(path / PARAMETERS_FILE):
        (path / PARAMETERS_FILE).write_bytes(write_parameters({**tuning.parameters, **best.values}))
    click.echo(f"Wrote the best values to {path / PARAMETERS_FILE}.", err=True)
