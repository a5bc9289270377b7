"""The sample bots of the house, and what a worker can run, with the files that it runs."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from cachetools import LRUCache
from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from arena.bots.models import Blob, Bot, BotVersion, TeamMember
from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.languages import LANGUAGES
from arena.runner.program import LADDER_LEVEL, LEVEL_FILE, Program, choose_level, read_program
from arena.runner.sandbox.base import LEVELS_FOR_ALL_AUTHORS
from engine.core import Json
from engine.registry import GAMES, PACKAGES

# What a worker can run: one rule, for matches, trials, builds, turns of live games, hints and analyses.


@dataclass(frozen=True, slots=True)
class WorkerCapabilities:
    """The capabilities of one worker, or of several that are alike."""

    is_for_all: bool
    """Whether its sandbox is good enough for bots of all authors."""
    is_for_rated: bool
    """Whether it may play rated matches between bots of different authors."""
    languages: frozenset[str]
    package_set: str | None = ""
    """Hash of the set of packages that bots in Python have there; empty without one, None for any."""

    @classmethod
    def of_report(cls, report: Mapping[str, Any], languages: Collection[str]) -> "WorkerCapabilities":
        """Return the capabilities of a worker with this sandbox report, as `Report.as_json` returns it."""
        level = report.get("level")
        keeps_legs_apart = report.get("keeps_legs_apart", level == "A")
        return cls(
            is_for_all=level in LEVELS_FOR_ALL_AUTHORS,
            is_for_rated=keeps_legs_apart or settings.ALLOW_OPEN_CHANNELS,
            languages=frozenset(languages),
            package_set=read_package_hash(report),
        )

    def surpasses(self, other: "WorkerCapabilities") -> bool:
        """Return whether this worker can play all that the other can, and more."""
        return (
            self != other
            and self.is_for_all >= other.is_for_all
            and self.is_for_rated >= other.is_for_rated
            and self.languages >= other.languages
            and (not other.package_set or other.package_set == self.package_set)
        )

    def cannot_run(self, *, version: str | None = None, game: str | None = None) -> Q:
        """Return the condition of rows that this worker can't run.

        `version` leads from a row to the version that is run or built, such as `"version__"`; None where only our own
        code is run, as for hints and analyses. `game` is the field with the key of the game.
        """
        beyond = Q(pk__in=()) if game is None else ~Q(**{f"{game}__in": list(GAMES)})
        if version is not None:
            beyond |= ~Q(**{f"{version}language__in": self.languages}) | self.lacks_packages(version=version)
        if version is not None and not self.is_for_all:
            beyond |= _is_of_strangers(version)
        return beyond

    def lacks_packages(self, *, version: str) -> Q:
        """Return the condition of rows whose version uses packages of another set, where `version` leads to it."""
        if self.package_set is None:
            return Q(pk__in=())
        return ~Q(**{f"{version}package_set__in": {"", self.package_set}})


def read_package_hash(report: Mapping[str, Any]) -> str:
    """Return the hash of the set of packages that works on a machine, by its report; empty if none does."""
    told = report.get("packages") or {}
    return str(told["hash"]) if told.get("works") else ""


ALL_CAPABILITIES = WorkerCapabilities(
    is_for_all=True, is_for_rated=True, languages=frozenset(LANGUAGES), package_set=None
)
NO_BOTS = WorkerCapabilities(is_for_all=False, is_for_rated=False, languages=frozenset())
"""What a worker without a sandbox can do: hints and analyses, which are made by our own code."""


def _is_of_strangers(version: str) -> Q:
    """Return the condition of versions that people other than the house and the staff have written, or could have."""
    outside = {"is_staff": False, "is_house": False}
    on_team = TeamMember.objects.joined().filter(bot=OuterRef(f"{version}bot"))
    strangers = Q(Exists(on_team.filter(**{f"user__{field}": value for field, value in outside.items()})))
    for person in ("bot__owner", "uploaded_by"):
        strangers |= Q(**{f"{version}{person}__{field}": value for field, value in outside.items()})
    return strangers


# Fetch the files of bots by their hashes, and keep those used lately in memory.

MAX_CACHED_BYTES = 64 * 2**20
"""Size of the files that a worker process keeps. It plays the same versions over and over."""

Files = Mapping[str, bytes]
"""Content by relative path."""


def _count_bytes(files: Files) -> int:
    return sum(len(content) for content in files.values())


_cache: LRUCache[str, Files] = LRUCache(MAX_CACHED_BYTES, _count_bytes)
"""Files by the hash of their zip, which never change. Used by the one thread that plays matches."""


def fetch_programs(versions: Iterable[BotVersion]) -> list[Program]:
    """Return the program of each version: what is run, or before that what is to be built."""
    versions = list(versions)
    files = _fetch_files({version.blob_id for version in versions})
    return [version.program_of(files[version.blob_id]) for version in versions]


def _fetch_files(hashes: set[str]) -> dict[str, Files]:
    found = {sha256: _cache[sha256] for sha256 in hashes if sha256 in _cache}
    for blob in Blob.objects.filter(pk__in=hashes - found.keys()):
        found[blob.sha256] = files = blob.files
        if _count_bytes(files) <= MAX_CACHED_BYTES:
            _cache[blob.sha256] = files
    return found


# The sample bots of the house by game, the simplest first. One folder may serve several games.
#
# Most of them anchor the scale of the ladders: each of these plays as well on a slow machine as on a fast one, and
# costs little.

STRONGEST_SAMPLE = "marshal"
SAMPLE_NAMES_BY_GAME = {
    "battleline": ("random", "brute", "greedy", "careful", STRONGEST_SAMPLE),
    "battalion": ("random", "brute", "greedy", "general"),
}
SAMPLES_OF_OTHER_GAMES = ("random",)
"""It plays any game."""
EDITIONS_OF_STRONGEST_SAMPLE = frozenset({"standard", "advanced", "medieval", "highlands"})
"""Editions on whose ladders it plays: those in which it was measured to be the strongest sample (`bots/README.md`)."""
LEVEL_NUMBERS_BY_NAME = {f"{STRONGEST_SAMPLE}-{number}": number for number in range(1, 5)}
"""Weaker levels of the strongest sample, to be played against by people; the sample itself is the fifth."""


def list_samples(game: str) -> tuple[str, ...]:
    """Return the names of the samples that play a game, the simplest first."""
    own = tuple(SAMPLE_NAMES_BY_GAME.get(game, SAMPLES_OF_OTHER_GAMES))
    return own + tuple(sorted(folder.parent.name for folder in list_package_samples(game)))


def list_anchors(game: str) -> tuple[str, ...]:
    """Return the names of the samples that fix the scale of the ladders, the simplest first.

    The strongest one is left out: it becomes another bot with every training of the value function.
    """
    return tuple(name for name in list_samples(game) if name != STRONGEST_SAMPLE)


def list_levels(game: str) -> tuple[str, ...]:
    """Return the names of the bots that play a game with people alone, and on no ladder."""
    return tuple(LEVEL_NUMBERS_BY_NAME) if STRONGEST_SAMPLE in list_samples(game) else ()


def is_sample(bot: Bot) -> bool:
    """Return whether a bot is a sample or a level of one: its source comes with Pennant, and is no secret."""
    return bot.owner.is_house and bot.name in (*list_samples(bot.game), *list_levels(bot.game))


def is_on_ladder(name: str, edition: str) -> bool:
    """Return whether a sample plays on the ladders of an edition, as this arena is set up."""
    return name != STRONGEST_SAMPLE or (settings.MARSHAL_ON_LADDERS and edition in EDITIONS_OF_STRONGEST_SAMPLE)


def choose_ladder_level(program: Program) -> Program:
    """Return the strongest sample's program as it plays on ladders. A version from before the level plays in full."""
    has_level = LADDER_LEVEL.encode() in program.files.get("search.py", b"")
    return choose_level(program, LADDER_LEVEL) if has_level else program


def list_package_samples(game: str) -> list[Path]:
    """Return the bots in the package of a game from outside the tree."""
    return list(PACKAGES[game].folder.glob("samples/*/bot.py")) if game in PACKAGES else []


def find_sample_folder(game: str, name: str) -> Path:
    """Return the folder of a sample that plays a game."""
    own = (path.parent for path in list_package_samples(game) if path.parent.name == name)
    return next(own, SAMPLES_FOLDER / name)


def read_sample_files(game: str, name: str) -> Mapping[str, bytes]:
    """Return the files of a sample or of a level by path. Raises BadProgramError and OSError."""
    level = LEVEL_NUMBERS_BY_NAME.get(name)
    if level is None:
        return read_program(find_sample_folder(game, name)).files
    return {**read_program(find_sample_folder(game, STRONGEST_SAMPLE)).files, LEVEL_FILE: str(level).encode()}


# How strong the sample bots are, as `python -m bots.training ratings` measured it: the file `ratings.json`.
#
# Its numbers are relative to the mean of a game's anchors. A ladder puts that mean at a number of its own.

RATINGS_FILE = SAMPLES_FOLDER / "ratings.json"
EDITION_OF_LEVELS = "standard"
"""The edition in which the levels of the strongest sample were measured."""
BOTTOM_SAMPLE = "random"
"""Nothing is estimated to be weaker: a level may lose to it on paper, within its interval."""


@dataclass(frozen=True, slots=True)
class MeasuredStrength:
    """A measured rating, in Elo."""

    rating: float
    """Relative to the mean of the anchors."""
    deviation: float
    """Standard deviation, with what the bot may do better or worse against other bots than those it was measured by."""


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """The content of the file."""

    version: int
    hash: str
    """SHA-256 of the file."""
    strengths: Mapping[str, Mapping[str, MeasuredStrength]]
    """By ladder (`battleline/standard`) and bot (`marshal:3` is a level of one)."""


@cache
def read_ratings_file() -> RatingsFile:
    """Return what the file says."""
    text = RATINGS_FILE.read_bytes()
    content: Json = json.loads(text)
    strengths = {
        ladder: {name: MeasuredStrength(one["rating"], one["deviation"]) for name, one in found["ratings"].items()}
        for ladder, found in content["ladders"].items()
    }
    return RatingsFile(content["version"], hashlib.sha256(text).hexdigest(), strengths)


def list_strengths(game: str, edition: str) -> dict[str, MeasuredStrength]:
    """Return the strengths of the samples on the ladders of an edition; of the strongest, at its level there."""
    measured = read_ratings_file().strengths.get(f"{game}/{edition}", {})
    found = {name: one for name, one in measured.items() if ":" not in name and name != STRONGEST_SAMPLE}
    on_ladder = measured.get(f"{STRONGEST_SAMPLE}:{LADDER_LEVEL}")
    return found | {STRONGEST_SAMPLE: on_ladder} if on_ladder else found


def estimate_off_ladder(game: str, edition: str, ratings: Mapping[str, float]) -> dict[str, float]:
    """Return the estimated ratings of what plays on no ladder: the strongest sample in full, and its weaker levels.

    `ratings` are those of the house's samples on the ladder, by name. The levels were measured in one edition, and are
    as far below the full sample in the others. Nothing is estimated where the sample wasn't measured.
    """
    measured = read_ratings_file().strengths.get(f"{game}/{edition}", {})
    origin = find_origin(game, edition, ratings)
    if origin is None or STRONGEST_SAMPLE not in measured or edition not in EDITIONS_OF_STRONGEST_SAMPLE:
        return {}
    full = origin + measured[STRONGEST_SAMPLE].rating
    estimates = {name: full - below for name, below in list_levels_below_full().items()}
    bottom = ratings.get(BOTTOM_SAMPLE, origin + measured[BOTTOM_SAMPLE].rating)
    return {STRONGEST_SAMPLE: full} | {name: max(rating, bottom) for name, rating in estimates.items()}


def list_levels_below_full() -> dict[str, float]:
    """Return by its name how much weaker each level of the strongest sample is than the sample in full, in Elo."""
    measured = read_ratings_file().strengths[f"battleline/{EDITION_OF_LEVELS}"]
    full = measured[STRONGEST_SAMPLE].rating
    return {
        name: full - measured[f"{STRONGEST_SAMPLE}:{number}"].rating for name, number in LEVEL_NUMBERS_BY_NAME.items()
    }


def find_origin(game: str, edition: str, ratings: Mapping[str, float]) -> float | None:
    """Return the number at which the file's 0 is on a ladder with these ratings of samples; None without an anchor."""
    strengths = list_strengths(game, edition)
    return mean_or_none(
        ratings[name] - strengths[name].rating for name in list_anchors(game) if name in ratings and name in strengths
    )


def mean_or_none(values: Iterable[float]) -> float | None:
    """Return the mean, or None of nothing."""
    found = list(values)
    return fmean(found) if found else None
