"""What holds of an arena at rest, whatever has befallen it. Each check returns what is wrong; nothing if it holds."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.story.installation import Installation

MAX_SHOWN = 5
MAX_DIFFERENCE = 1e-6


def find_open_work(arena: Installation) -> str:
    """Return what of the arena's work isn't done yet; nothing once it is at rest."""
    waiting = {
        "matches not over": "select count(*) from matches_match where state in ('queued', 'running')",
        "matches not settled": "select count(*) from matches_match where settled_at is null",
        "attempts open": "select count(*) from matches_attempt where ended_at is null",
        "ladder matches in flight": "select count(*) from ladders_laddermatch where in_flight",
        "versions without a verdict": "select count(*) from bots_botversion where state in ('building', 'on_trial')",
        "ladders without a fit": "select count(*) from ladders_ladder where last_sequence > fitted_sequence",
    }
    counts = {name: int(arena.query(sql)[0][0]) for name, sql in waiting.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def check_rated_once(arena: Installation) -> list[str]:
    """A finished match has one stored attempt and, on a ladder, one line with a change for each participant."""
    stored = "select match_id from matches_attempt where ending = 'stored' group by match_id having count(*) {}"
    return [
        *_rows(arena, "stored more than once", stored.format("> 1")),
        *_rows(
            arena,
            "finished without a stored attempt",
            "select id from matches_match where state = 'finished'"
            " and id not in (select match_id from matches_attempt where ending = 'stored')",
        ),
        *_rows(
            arena,
            "stored, but not finished",
            "select m.id, m.state from matches_match m join matches_attempt a on a.match_id = m.id"
            " where a.ending = 'stored' and m.state <> 'finished'",
        ),
        *_rows(
            arena,
            "finished, but not rated",
            "select m.id from matches_match m join ladders_laddermatch l on l.match_id = m.id"
            " where m.state = 'finished' and l.sequence is null",
        ),
        *_rows(
            arena,
            "rated, but not finished",
            "select m.id, m.state from matches_match m join ladders_laddermatch l on l.match_id = m.id"
            " where m.state <> 'finished' and l.sequence is not null",
        ),
        *_rows(
            arena,
            "changes of ratings unlike participants",
            "select l.match_id from ladders_laddermatch l where l.sequence > 0 and l.void_sequence is null and"
            " (select count(*) from ladders_ratingchange c where c.ladder_match_id = l.id)"
            " <> (select count(*) from matches_participant p where p.match_id = l.match_id)",
        ),
    ]


def check_ledger(arena: Installation) -> list[str]:
    """The lines of each ladder are 1, 2, 3 …, and its entries have as many matches."""
    lines = (
        "select ladder_id, sequence from ladders_laddermatch where sequence is not null union all"
        " select ladder_id, void_sequence from ladders_laddermatch where void_sequence <> sequence"
    )
    gaps = (
        f"select l.id, l.last_sequence, count(x.sequence) from ladders_ladder l left join ({lines}) x"
        " on x.ladder_id = l.id group by l.id, l.last_sequence"
        " having count(distinct x.sequence) <> l.last_sequence or count(x.sequence) <> l.last_sequence"
        " or coalesce(max(x.sequence), 0) <> l.last_sequence"
    )
    seats = (
        "select e.ladder_id, sum(e.matches) from ladders_entry e group by e.ladder_id having sum(e.matches) <>"
        " (select count(*) from matches_participant p join ladders_laddermatch l on l.match_id = p.match_id"
        " where l.sequence > 0 and l.void_sequence is null and l.ladder_id = e.ladder_id)"
    )
    return [*_rows(arena, "gaps in the ledger", gaps), *_rows(arena, "matches of entries unlike the ledger's", seats)]


def check_recomputing(arena: Installation) -> list[str]:
    """What stands is what the ledger comes to."""
    ladders = arena.query(
        "select id, last_sequence, fitted_sequence, is_stale, fitted_at from ladders_ladder order by id"
    )
    stands = _ratings(arena)
    arena.manage("recompute_ratings")
    found = _ratings(arena)
    unlike = [
        f"{entry[:KEY_COLUMNS]}, {name}: {old} stood, {new} is computed"
        for entry, again in zip(stands, found, strict=True)
        for name, old, new in zip(RATED_COLUMNS, entry[KEY_COLUMNS:], again[KEY_COLUMNS:], strict=True)
        if abs(old - new) > MAX_DIFFERENCE
    ]
    return [f"{len(unlike)} values", *unlike[:MAX_SHOWN], f"ladders {ladders}"] if unlike else []


RATED_COLUMNS = ("rating", "deviation", "matches", "points", "opponents")
KEY_COLUMNS = 5


def _ratings(arena: Installation) -> list[tuple[Any, ...]]:
    columns = ", ".join(RATED_COLUMNS)
    return arena.query(f"select id, ladder_id, parent_id, state, in_fit, {columns} from ladders_entry order by id")


def check_uploads(arena: Installation, acknowledged: Mapping[tuple[str, int], str]) -> list[str]:
    """Every upload that was acknowledged is there with its bytes, and accepted."""
    rows = arena.query(
        "select b.slug, v.number, v.source_id, v.state from bots_botversion v join bots_bot b on b.id = v.bot_id"
    )
    there = {(slug, number): (sha256, state) for slug, number, sha256, state in rows}
    return [
        f"upload {key} is {there.get(key)}, and should be {(sha256, 'accepted')}"
        for key, sha256 in acknowledged.items()
        if there.get(key) != (sha256, "accepted")
    ]


def check_blame(arena: Installation) -> list[str]:
    """No bot was found at fault: all that play are faultless."""
    faults = (
        "select l.match_id, l.number, s.seat, s.verdict, s.fault from matches_legseat s"
        " join matches_leg l on l.id = s.leg_id where s.verdict <> 'ok'"
    )
    suspended = "select id, state from ladders_entry where state = 'suspended'"
    return [*_rows(arena, "bots at fault", faults), *_rows(arena, "entries suspended", suspended)]


def check_retries(arena: Installation) -> list[str]:
    """A match that the arena failed to play is tried again until it has a result."""
    return _rows(
        arena,
        "matches without a result that nobody cancelled",
        "select id, void_reason from matches_match where state = 'void' and cancelled_at is null",
    )


CHECKS: dict[str, Callable[[Installation], list[str]]] = {
    "each match is rated once or has no result": check_rated_once,
    "the ledger has no gaps": check_ledger,
    "recomputed ratings are those that stand": check_recomputing,
    "no bot is blamed for the arena": check_blame,
    "no match stays without a result": check_retries,
}


def _rows(arena: Installation, problem: str, sql: str) -> list[str]:
    found = arena.query(sql)
    shown = "; ".join(str(row) for row in found[:MAX_SHOWN])
    return [f"{len(found)} {problem}: {shown}"] if found else []
