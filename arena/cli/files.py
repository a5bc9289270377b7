"""Read and write the records and logs of matches on this machine, add up and compare their results."""

import gzip
import hashlib
import shlex
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil, erf, log10, sqrt
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeVar

import click
import orjson
from rich.box import SIMPLE
from rich.table import Table

from arena.contests.comparisons.sprt import HEAD_TO_HEAD, LLR_BOUND, MAX_PAIRS, MIN_PAIRS, Z_95, decide, estimate
from arena.runner.match import LegReport, MatchReport, compute_leg_points
from arena.runner.program import Program
from arena.runner.protocol import make_visible

# Read and write records and logs.

DOWNLOAD_SUFFIX = ".jsonl.gz"
"""Ends the names of files that `pennant download` writes."""


class UnreadableRecord(ValueError):
    """A file contains no record. The message says why."""


def write_match(folder: Path, number: int, match: MatchReport) -> None:
    """Write `MATCH-LEG.json` and `MATCH-LEG-SEAT.stderr`. Matches and legs count from 1, seats from 0."""
    for leg_number, leg in enumerate(match.legs, start=1):
        stem = f"{number}-{leg_number}"
        (folder / f"{stem}.json").write_bytes(orjson.dumps(leg.record) + b"\n")
        for seat, log in enumerate(leg.stderr):
            (folder / f"{stem}-{seat}.stderr").write_text(log, encoding="utf-8")


def read_record(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file. Raises UnreadableRecord."""
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise UnreadableRecord(f"it can't be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableRecord(f"it isn't JSON: {error}") from error
    if not isinstance(record, dict):
        raise UnreadableRecord("it's JSON, but not an object")
    return record


def read_download(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of many records: each has `match`, `leg`, `record_hash` and `record`.

    Raises UnreadableRecord.
    """
    try:
        with gzip.open(path) as lines:
            for number, line in enumerate(lines, start=1):
                found = orjson.loads(line)
                if not isinstance(found, dict) or not {"match", "leg", "record_hash", "record"} <= found.keys():
                    raise UnreadableRecord(f"line {number} isn't a downloaded record")
                yield found
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableRecord(f"it isn't gzipped, or was cut off: {error}") from error
    except OSError as error:
        raise UnreadableRecord(f"it can't be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableRecord(f"it has a line that isn't JSON: {error}") from error


# Collect the faults of bots in matches on this machine, and describe them for their authors.

MAX_FAULTS_SHOWN = 5
MAX_REPEATS_NAMED = 3
LOG_LINES_KEPT = 3
COUNTED_IN_VIEWS = ("turn", "round")
FAULT_SORT_KEY = attrgetter("match", "leg", "seat")


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault of a bot in a leg. Matches and legs count from 1, participants and decisions from 0."""

    match: int
    leg: int
    participant: int
    seat: int
    bot: str
    verdict: str
    message: str
    decision: int | None
    """Number of the decision that was asked for, as `n` of the request; None where the bot failed to start."""
    stage: str
    """Turn or round of the game, as `turn 12`; empty where the request says none."""
    log: tuple[str, ...]
    """The last lines that the bot wrote to stderr."""

    @property
    def place(self) -> str:
        """Return match, leg and decision in brief."""
        where = "" if self.decision is None else f" at decision {self.decision}"
        return f"{self.match}-{self.leg}{where}"

    @property
    def heading(self) -> str:
        """Return where the fault was, whose it was and what."""
        where = "" if self.decision is None else f" at decision {self.decision}"
        stage = f" ({self.stage})" if self.stage else ""
        return f"{self.match}-{self.leg}: {self.bot} ({self.verdict}){where}{stage}: {self.message}"


def list_faults(number: int, match: MatchReport, names: Sequence[str]) -> Iterator[FaultNote]:
    """Yield the faults of a match, which has that number; `names` are by participant."""
    for leg_number, leg in enumerate(match.legs, start=1):
        for seat, (participant, fault) in enumerate(zip(leg.seating, leg.faults, strict=True)):
            if fault is None:
                continue
            request = fault.request or {}
            yield FaultNote(
                match=number,
                leg=leg_number,
                participant=participant,
                seat=seat,
                bot=names[participant],
                verdict=fault.verdict.value,
                message=make_visible(str(fault.message)),
                decision=request.get("n"),
                stage=describe_stage(request.get("view") or {}),
                log=tuple(leg.stderr[seat].rstrip().splitlines()[-LOG_LINES_KEPT:]),
            )


def describe_faults(faults: Sequence[FaultNote], out: Path | None, seed: str) -> Iterator[str]:
    """Yield lines on the faults, those of the same kind once, and how to look into them."""
    kinds: dict[tuple[Any, ...], list[FaultNote]] = {}
    for fault in sorted(faults, key=FAULT_SORT_KEY):
        kinds.setdefault((fault.participant, fault.verdict, fault.message, fault.log), []).append(fault)
    for first, *repeats in list(kinds.values())[:MAX_FAULTS_SHOWN]:
        yield first.heading
        yield from (f"    {line}" for line in first.log)
        if repeats:
            named = ", ".join(fault.place for fault in repeats[:MAX_REPEATS_NAMED])
            more = len(repeats) - MAX_REPEATS_NAMED
            yield f"    the same in {named}{f' and {more} more' if more > 0 else ''}"
    if len(kinds) > MAX_FAULTS_SHOWN:
        yield f"and {len(kinds) - MAX_FAULTS_SHOWN} more kinds of fault"
    if faults and out is None:
        yield f"To see what the bots wrote to stderr, play again with --seed {seed} --out DIRECTORY"


def suggest_rerun(fault: FaultNote, out: Path, bot: str) -> str:
    """Return the command that plays the leg of a fault again up to it."""
    record = out / f"{fault.match}-{fault.leg}.json"
    until = "" if fault.decision is None else f" --until {fault.decision}"
    return f"pennant rerun {shlex.quote(str(record))} --bot {shlex.quote(bot)} --seat {fault.seat}{until}"


def describe_stage(view: dict[str, Any]) -> str:
    """Return the turn or round of a view, as `turn 12`; an empty text where it has none."""
    return next((f"{name} {view[name]}" for name in COUNTED_IN_VIEWS if name in view), "")


# Add up the results of matches or series, bot by bot.


@dataclass(slots=True)
class SeriesResults:
    """The results of one bot in series of games."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    points: float = 0.0
    """Sum of its series scores."""


@dataclass(slots=True)
class BotResults:
    """The results of one bot."""

    name: str
    places: list[int]
    """Number of legs at each place, from first to last."""
    wins: int = 0
    """Legs with an unshared first place."""
    draws: int = 0
    """Legs with a shared first place."""
    losses: int = 0
    points: float = 0.0
    """Sum over legs of the share of opponents left behind: with two bots 1 for a win and 0.5 for a draw."""
    match_points: list[float] = field(default_factory=list)
    """The points of each match, from 0 to 1."""
    verdicts: Counter[str] = field(default_factory=Counter)
    spent_ms: float = 0.0
    answers: int = 0
    costs_ms: list[float] = field(default_factory=list)
    """Cost of each answer."""
    bank_left_ms: float | None = None
    """The least that was left of the time bank at the end of a leg."""
    series: SeriesResults = field(default_factory=SeriesResults)

    @property
    def ms_per_move(self) -> float:
        """Return the mean time of an answer, in milliseconds."""
        return self.spent_ms / self.answers if self.answers else 0.0

    @property
    def ms_95(self) -> float:
        """Return the time within which 95 % of the answers came, in milliseconds."""
        return sorted(self.costs_ms)[ceil(0.95 * len(self.costs_ms)) - 1] if self.costs_ms else 0.0


class Results:
    """The results of all bots."""

    def __init__(self, names: list[str]) -> None:
        self.legs = 0
        self.series = 0
        """The number of series; 0 where the matches are none."""
        self.bots = [BotResults(name, [0] * len(names)) for name in names]

    def add(self, match: MatchReport) -> None:
        """Count a match."""
        for bot, share in zip(self.bots, match.points, strict=True):
            bot.match_points.append(share)
        for leg in match.legs:
            self.legs += 1
            points = compute_leg_points(leg)
            for seat, participant in enumerate(leg.seating):
                self._add_seat(self.bots[participant], leg, seat, points[participant])
        if match.is_series:
            self._add_series(match)

    def _add_series(self, match: MatchReport) -> None:
        self.series += 1
        for bot, points, score in zip(self.bots, match.points, match.scores, strict=True):
            bot.series.wins += points == 1
            bot.series.losses += points == 0
            bot.series.draws += points == 1 / 2
            bot.series.points += score

    def _add_seat(self, bot: BotResults, leg: LegReport, seat: int, points: float) -> None:
        result = leg.record["result"]
        place = result["places"][seat]
        bot.places[place - 1] += 1
        bot.points += points
        bot.verdicts[result["verdicts"][seat]] += 1
        bot.spent_ms += leg.spent_ms[seat]
        bot.answers += leg.answers[seat]
        if leg.costs_ms:
            bot.costs_ms += leg.costs_ms[seat]
            left = leg.bank_left_ms[seat]
            bot.bank_left_ms = left if bot.bank_left_ms is None else min(left, bot.bank_left_ms)
        if place > 1:
            bot.losses += 1
        elif result["places"].count(1) > 1:
            bot.draws += 1
        else:
            bot.wins += 1

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON; those of series only where there are any."""
        return {
            **({"series": self.series} if self.series else {}),
            "legs": self.legs,
            "bots": [
                {
                    "name": bot.name,
                    "wins": bot.wins,
                    "losses": bot.losses,
                    "draws": bot.draws,
                    "places": bot.places,
                    "points": bot.points,
                    "verdicts": dict(bot.verdicts),
                    "ms_per_move": round(bot.ms_per_move, 3),
                    "ms_95": round(bot.ms_95, 3),
                    "bank_left_ms": bot.bank_left_ms,
                    **({"series": asdict(bot.series)} if self.series else {}),
                }
                for bot in self.bots
            ],
        }


# Recognise the files of a bot.


def compute_digest(program: Program) -> str:
    """Return the SHA-256 of all files with their names."""
    digest = hashlib.sha256()
    for path, content in sorted(program.files.items()):
        digest.update(f"{len(path.encode())} {path} {len(content)} ".encode() + content)
    return digest.hexdigest()


# Estimate shares of points and differences in Elo, with 95% intervals, from the results of mirrored matches.

FEW_MATCHES_WARNING = (
    f"Fewer than {MIN_PAIRS} matches say little: the intervals are wide. Use --matches 100 to tell close bots apart."
)
WIDE_SHARE = 0.1
"""A share whose interval is wider than this is told in whole percents."""
RULE_OF_THREE = 3.0
"""An event that never happened in n tries has a probability below 3/n, with 95 % certainty."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """A difference in Elo with its 95 % interval; a value or bound that the results don't give is None."""

    elo: float | None
    low: float | None
    high: float | None
    likelihood: float
    """The probability of being better at all."""


def estimate_share(points: Sequence[float]) -> Interval:
    """Return the mean of the points of matches, each from 0 to 1, with its interval. Raises ValueError if none.

    While matches are few, the interval is that of the same results and one more of each extreme: even one match has
    one then, and it holds the truth at least as often as it says.
    """
    mean = fmean(points)
    if len(points) < MIN_PAIRS:
        center, error = _add_extremes(points)
        low, high = center - Z_95 * error, center + Z_95 * error
        return Interval(mean, max(0.0, min(mean, low)), min(1.0, max(mean, high)))
    margin = RULE_OF_THREE / len(points)
    if len(set(points)) > 1:
        margin = Z_95 * stdev(points) / sqrt(len(points))
    return Interval(mean, max(0.0, mean - margin), min(1.0, mean + margin))


def _add_extremes(points: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the points and of one match won and one lost, and its standard error."""
    extended = [*points, 0.0, 1.0]
    return fmean(extended), stdev(extended) / sqrt(len(extended))


def count_pairs(points: Sequence[float]) -> list[int]:
    """Return how many mirrored pairs gave 0, ½, 1, 1½ and 2 points; `points` are those of matches, from 0 to 1."""
    counts = [0] * HEAD_TO_HEAD.results
    for point in points:
        counts[round(point * (HEAD_TO_HEAD.results - 1))] += 1
    return counts


def estimate_elo(counts: Sequence[int]) -> EloEstimate | None:
    """Return the difference in Elo that mirrored pairs show; None without any.

    From MIN_PAIRS on it is the arena's own estimate. Where all pairs gave the same result, only bounds are known.
    """
    pairs = sum(counts)
    if not pairs:
        return None
    if pairs < MIN_PAIRS:
        points = [number / (HEAD_TO_HEAD.results - 1) for number, count in enumerate(counts) for _ in range(count)]
        interval, (center, error) = estimate_share(points), _add_extremes(points)
        elo, low, high = map(convert_share_to_elo, (interval.value, interval.low, interval.high))
        return EloEstimate(elo, low, high, (1 + erf((center - 0.5) / error / sqrt(2))) / 2)
    found = estimate(counts, HEAD_TO_HEAD)
    assert found is not None
    if max(counts) < pairs:
        return EloEstimate(found.elo, found.low, found.high, found.likelihood)
    share = list(counts).index(pairs) / (HEAD_TO_HEAD.results - 1)
    low, high = share - RULE_OF_THREE / pairs, share + RULE_OF_THREE / pairs
    value = convert_share_to_elo(share)
    return EloEstimate(value, convert_share_to_elo(low), convert_share_to_elo(high), found.likelihood)


def convert_share_to_elo(share: float) -> float | None:
    """Return the difference in Elo at which this share of the points is expected; None at 0 and 1 and beyond."""
    return 400 * log10(share / (1 - share)) if 0 < share < 1 else None


def describe_evidence(llr: float, bound: float) -> str:
    """Return the evidence of a sequential test, with what decides it."""
    return f"evidence {llr:+.2f} (+{bound:.2f} means better, -{bound:.2f} not better)"


NOT_KNOWN = "not known"


def format_elo(found: EloEstimate | None) -> str:
    """Return an estimate as it is printed: `+69 ± 41`, or `above +478` where only a bound is known."""
    if found is None or (found.low is None and found.high is None):
        return NOT_KNOWN
    if found.elo is None or found.low is None or found.high is None:
        return f"above {found.low:+.0f}" if found.low is not None else f"below {found.high:+.0f}"
    up, down = found.high - found.elo, found.elo - found.low
    if max(up, down) > 2 * min(up, down):
        return f"{found.elo:+.0f} ({found.low:+.0f} to {found.high:+.0f})"
    return f"{found.elo:+.0f} ± {(found.high - found.low) / 2:.0f}"


def format_share(share: Interval) -> str:
    """Return a share of points in percent, with its interval: `59.8% (56.7–62.9)`, or `60% (41–79)`."""
    decimals = 0 if share.high - share.low > WIDE_SHARE else 1
    return f"{100 * share.value:.{decimals}f}% ({100 * share.low:.{decimals}f}–{100 * share.high:.{decimals}f})"


def start_table(headings: Iterable[str], folded: str, title: str | None = None) -> Table:
    """Return a table without frame, of numbers but for the column that may be folded."""
    table = Table(title=title, title_justify="left", box=SIMPLE, show_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        if heading == folded:
            table.add_column(heading, overflow="fold")
        else:
            table.add_column(heading, justify="right", no_wrap=True)
    return table


# Stop matches as soon as they show whether a bot is better: the arena's sequential test, on this machine.

Match = TypeVar("Match")


# The base is generic from click 8.5 on.
class EloBounds(click.ParamType):  # type: ignore[type-arg]
    """The type of an option ELO0,ELO1."""

    name = "elo0,elo1"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Return both bounds."""
        try:
            low, high = map(float, str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} should be two numbers, such as 0,20", param, ctx)
        if not low < high:
            self.fail(f"{value!r} should begin with the smaller number, as in 0,20", param, ctx)
        return low, high


@dataclass(slots=True)
class SequentialTest:
    """A sequential test whether the first of two bots is better, by the results of mirrored pairs in their order."""

    elo0: float
    elo1: float
    """Bounds in normalized Elo: at `elo0` the bot is not better, at `elo1` it is."""
    counts: list[int] = field(default_factory=lambda: [0] * HEAD_TO_HEAD.results)
    llr: float = 0.0
    is_better: bool | None = None
    """None as long as that is open."""

    def add(self, points: float) -> bool:
        """Count a pair in which the first bot had so many points, from 0 to 1; return whether the test is over."""
        self.counts[round(points * (HEAD_TO_HEAD.results - 1))] += 1
        self.llr, self.is_better = decide(self.counts, HEAD_TO_HEAD, self.elo0, self.elo1)
        return self.is_better is not None or sum(self.counts) >= MAX_PAIRS

    @property
    def state(self) -> str:
        """Return the state, as a comparison on an arena has it."""
        if self.is_better is None:
            return "undecided"
        return "better" if self.is_better else "not_better"

    def describe(self, name: str) -> str:
        """Return the result in a sentence."""
        evidence = f"{describe_evidence(self.llr, LLR_BOUND)} after {sum(self.counts)} matches"
        bounds = f"bounds {self.elo0:g} and {self.elo1:g} Elo"
        if self.is_better is None:
            return f"{name}: not known yet ({evidence}, {bounds})"
        return f"{name} is {'better' if self.is_better else 'not better'} ({evidence}, {bounds})"

    def as_json(self) -> dict[str, Any]:
        """Return the test under the names that the arena's API gives a comparison."""
        return {
            "elo0": self.elo0,
            "elo1": self.elo1,
            "llr": self.llr,
            "llr_bound": LLR_BOUND,
            "pairs": sum(self.counts),
            "pentanomial": self.counts,
            "state": self.state,
        }


def sort_by_number(matches: Iterable[tuple[int, Match]]) -> Iterator[tuple[int, Match]]:
    """Yield numbered matches from 1 on in their order, each as soon as all before it have ended.

    Matches end in any order, and short ones first: a test that saw them so would be biased.
    """
    waiting: dict[int, Match] = {}
    following = 1
    for number, match in matches:
        waiting[number] = match
        while following in waiting:
            yield following, waiting.pop(following)
            following += 1
