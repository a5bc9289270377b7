"""Deal all matches of a season from one secret, and check the document of a season."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.core import Game, Json
from engine.deal import deal_hash
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game
from engine.replay import record_hash

# Deal all matches of a season from one secret.
#
# The secret's hash is published before the first match, the secret after the last one. Then anyone can deal every
# match again and see that no deal was chosen: a deal depends only on the match's number, and numbers are given in
# order.

SEASON_FORMAT = "pennant-season/1"
SALT_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Season:
    """The source of a season's deals. `number` is the season's, from 1."""

    secret: str
    game: str
    edition: str
    number: int

    def draw(self, match: int, *purpose: str) -> bytes:
        """Return 32 bytes for one purpose in one match: the HMAC-SHA256, by the secret, of the purpose's name."""
        name = "/".join([SEASON_FORMAT, self.game, self.edition, str(self.number), str(match), *purpose])
        return hmac.digest(self.secret.encode(), name.encode(), "sha256")

    def deal(self, game: Game, options: Json, seats: int, match: int, number: int = 1) -> Json:
        """Return a deal of the match with this number.

        Legs that change seats have the same deal, the first. In a series each game has a deal of its own, by `number`.
        """
        purpose = ("deal",) if number == 1 else ("deal", str(number))
        return game.deal(options, seats, Random(int.from_bytes(self.draw(match, *purpose), "big")))

    def deals(self, game: Game, options: Json, seats: int, match: int, count: int) -> list[Json]:
        """Return the deals of the first `count` games of a series."""
        return [self.deal(game, options, seats, match, number) for number in range(1, count + 1)]

    def salt(self, match: int, leg: int) -> str:
        """Return the salt of one leg, from 1. Without it nobody can guess a deal from its hash."""
        return self.draw(match, "salt", str(leg)).hex()[:SALT_LENGTH]

    def salts(self, legs: int, match: int) -> list[str]:
        """Return the salts of so many legs of a match: as many as seats, or as a series has games."""
        return [self.salt(match, leg) for leg in range(1, legs + 1)]

    def deal_hashes(self, game: Game, options: Json, seats: int, match: int, *, legs: int | None = None) -> list[str]:
        """Return the hashes that are published before the first move of each leg: as many as seats, or so many."""
        deal = self.deal(game, options, seats, match)
        return [deal_hash(deal, salt) for salt in self.salts(legs or seats, match)]


def commitment(secret: str) -> str:
    """Return the lower-case hex SHA-256 of the secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


# Check the document of a season: its secret, its numbers and every deal.

SEASON_FIELDS: dict[str, type | tuple[type, ...]] = {
    "format": str,
    "game": str,
    "edition": str,
    "season": int,
    "options": dict,
    "commitment": str,
    "secret": (str, type(None)),
    "last_number": int,
    "matches": list,
}
MATCH_FIELDS: dict[str, type | tuple[type, ...]] = {
    "number": int,
    "match": (int, str),
    "state": str,
    "seats": int,
    "rules_version": int,
    "deal_hashes": list,
}
VALUE_FUNCTION_FIELDS: dict[str, type | tuple[type, ...]] = {
    "version": str,
    "hash": str,
    "luck_share": (int, float),
    "cards_per_draw": int,
}
CLOCKS = ("open", "slow")
"""The clocks of open ladders, whose matches have one leg each. Documents of other ladders name none."""
HOUSE_RATINGS_FIELDS: dict[str, type | tuple[type, ...]] = {"version": int, "hash": str, "method": int}
MAX_NUMBERS_NAMED = 10


class BadSeason(ValueError):
    """This is not the document of a season. The message says why."""


def check_season(document: Any) -> None:
    """Raise BadSeason where this isn't the document of a season, whatever it claims."""
    if not isinstance(document, dict):
        raise BadSeason("a season's document is a JSON object")
    _check_fields(document, SEASON_FIELDS, "")
    if document["format"] != SEASON_FORMAT:
        raise BadSeason(f"format is {document['format']!r}, not {SEASON_FORMAT!r}")
    check_published("value_function", document.get("value_function"), VALUE_FUNCTION_FIELDS)
    check_published("house_ratings", document.get("house_ratings"), HOUSE_RATINGS_FIELDS)
    if document.get("clock", CLOCKS[0]) not in CLOCKS:
        raise BadSeason(f"clock is {document['clock']!r}, not one of {', '.join(CLOCKS)}")
    for place, row in enumerate(document["matches"]):
        if not isinstance(row, dict):
            raise BadSeason(f"match {place} of the list is no object")
        _check_fields(row, MATCH_FIELDS, f"match {place} of the list: ")
        hashes, options = row["deal_hashes"], row.get("options", {})
        if not isinstance(options, dict) or not all(isinstance(found, str) for found in hashes):
            raise BadSeason(f"match {place} of the list: deal hashes or options are not of the right type")
        if not _are_record_hashes(row.get("record_hashes", []), len(hashes)):
            raise BadSeason(f"match {place} of the list: record hashes are not one for each leg")


def check_published(name: str, found: Any, fields: dict[str, type | tuple[type, ...]]) -> None:
    """Raise BadSeason for something of the wrong shape that a season published at its start. Not every one has it."""
    if found is None:
        return
    if not isinstance(found, dict):
        raise BadSeason(f"{name} is no object")
    _check_fields(found, fields, f"{name}: ")


def _are_record_hashes(found: Any, legs: int) -> bool:
    """Return whether this is a hash for each leg, or null while it has none; the list may be empty."""
    if not isinstance(found, list) or len(found) not in (0, legs):
        return False
    return all(record is None or isinstance(record, str) for record in found)


def _check_fields(found: Json, fields: dict[str, type | tuple[type, ...]], where: str) -> None:
    for name, kind in fields.items():
        if name not in found:
            raise BadSeason(f"{where}field {name!r} is missing")
        if not isinstance(found[name], kind) or isinstance(found[name], bool):
            raise BadSeason(f"{where}field {name!r} is not of the right type")


def season_problems(document: Json) -> Iterator[str]:
    """Yield a sentence for each thing that doesn't hold in a document of the right shape.

    Deals are checked only once the secret is published.
    """
    yield from _gaps(document)
    if document["secret"] is None:
        return
    if commitment(document["secret"]) != document["commitment"]:
        yield "the secret is not the one that was committed to"
        return
    season = Season(document["secret"], document["game"], document["edition"], document["season"])
    legs = 1 if "clock" in document else None
    for row in document["matches"]:
        problem = _deal_problem(season, row, document["options"], legs)
        if problem:
            yield f"match {row['match']}, number {row['number']}: {problem}"


def _gaps(document: Json) -> Iterator[str]:
    """Yield what is wrong with the numbers: they run from 1 to the last one, each once, and so does each match."""
    numbers = Counter(row["number"] for row in document["matches"])
    matches = Counter(row["match"] for row in document["matches"])
    last = document["last_number"]
    missing = last - sum(1 <= number <= last for number in numbers)
    if missing:
        named = (number for number in range(1, last + 1) if number not in numbers)
        first = ", ".join(str(next(named)) for _ in range(min(missing, MAX_NUMBERS_NAMED)))
        yield f"{missing} of {last} numbers are missing: {first}{' …' if missing > MAX_NUMBERS_NAMED else ''}"
    for number, times in numbers.items():
        if not 1 <= number <= last:
            yield f"number {number} is not from 1 to {last}"
        elif times > 1:
            yield f"number {number} is there {times} times"
    for match, times in matches.items():
        if times > 1:
            yield f"match {match} is there {times} times"


def _deal_problem(season: Season, row: Json, options: Json, legs: int | None) -> str | None:
    """Return why a match was not dealt by this season's secret, or None where it was.

    It has a leg for each seat, or so many `legs`.
    """
    try:
        game, options = resolve_rules(season, row.get("options", options), row["rules_version"])
    except BadSeason as error:
        return str(error)
    if row["seats"] not in game.seats:
        return f"{game.title} is not played by {row['seats']}"
    if season.deal_hashes(game, options, row["seats"], row["number"], legs=legs) != row["deal_hashes"]:
        return "its deal did not come from the secret"
    return None


def resolve_rules(season: Season, options: Json, rules_version: int) -> tuple[Game, Json]:
    """Return the game and all options by which a match was dealt. Raise BadSeason where they aren't known here."""
    try:
        game = find_game(season.game)
        options = game.complete_options(options)
        is_whole = game.options(season.edition, **options) == options
    except (UnknownGame, BadOptions, TypeError) as error:
        raise BadSeason(str(error)) from error
    if not is_whole:
        raise BadSeason("its options don't name every option of the edition")
    if not 1 <= rules_version <= game.rules_version:
        raise BadSeason(f"it was dealt by rules version {rules_version}; known are 1 to {game.rules_version}")
    return game, options


def change_problems(earlier: Json, later: Json) -> Iterator[str]:
    """Yield what an earlier document of a season published and a later one doesn't. Both are of the right shape."""
    yield from _head_changes(earlier, later)
    now = {row["number"]: row for row in later["matches"]}
    for row in earlier["matches"]:
        found = now.get(row["number"])
        if found is None:
            yield f"number {row['number']} was there, and is not"
        elif any(found[name] != row[name] for name in ("match", "deal_hashes")):
            yield f"number {row['number']} has another match or deal than it had"
        elif not _keeps_records(row.get("record_hashes", []), found.get("record_hashes", [])):
            yield f"number {row['number']} has another record than it had"


def _head_changes(earlier: Json, later: Json) -> Iterator[str]:
    for name in ("game", "edition", "season", "commitment"):
        if earlier[name] != later[name]:
            yield f"{name} was {earlier[name]}, and is {later[name]}"
    if earlier.get("clock") != later.get("clock"):
        yield "one is of an open ladder, and the other isn't, or has another clock"
    for name in ("value_function", "house_ratings", "secret"):
        if earlier.get(name) not in (None, later.get(name)):
            yield f"the {name.replace('_', ' ')} {'have' if name.endswith('s') else 'has'} changed"


def _keeps_records(earlier: list[str | None], later: list[str | None]) -> bool:
    """Return whether each hash of a record that was published is still the same."""
    published = [(leg, record) for leg, record in enumerate(earlier) if record is not None]
    return all(leg < len(later) and later[leg] == record for leg, record in published)


def record_problem(record: Json, document: Json) -> str | None:
    """Return why a record that holds by itself doesn't belong to the season, or None where it does.

    Its deal must be one of the season's; where the hash of the leg's record is published, it must be that record.
    """
    for name in ("game", "edition"):
        if record[name] != document[name]:
            return f"it is of {record[name]}, the season of {document[name]}"
    row = next((row for row in document["matches"] if record["deal_hash"] in row["deal_hashes"]), None)
    if row is None:
        return "no match of the season has its deal hash"
    game = find_game(record["game"])
    options = game.complete_options(row.get("options", document["options"]))
    if game.complete_options(record["options"]) != options:
        return f"it has other options than match {row['match']} of the season"
    published = row.get("record_hashes") or [None] * len(row["deal_hashes"])
    expected = published[row["deal_hashes"].index(record["deal_hash"])]
    if expected is not None and expected != record_hash(record):
        return f"match {row['match']} of the season has another record with this deal hash"
    return None
