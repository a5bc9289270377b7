"""Example requests and responses for the schema of the API."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

EXAMPLE_HOST = "https://arena.example.org"
EXAMPLE_OPTIONS: dict[str, Any] = {
    "colours": "ROYGBP",
    "copies": 1,
    "flags": 9,
    "envelopment": 5,
    "breakthrough": True,
    "tactics": 10,
    "claims": "any",
    "leader_limit": True,
    "pass": "no-troop",
    "tiles": "none",
    "scout": "at-once",
}
EXAMPLE_CHANGED_OPTIONS = {"scout": "at-once"}
EXAMPLE_VARIANT_FIELDS = {"changed_options": EXAMPLE_CHANGED_OPTIONS, "variant": "Standard, the Scout draws at once"}
EXAMPLE_MATCH: dict[str, Any] = {
    "id": 4711,
    "html_url": f"{EXAMPLE_HOST}/matches/4711/",
    "game": "battleline",
    "edition": "standard",
    "changed_options": {},
    "variant": "Standard",
    "state": "finished",
    "kind": "ladder",
    "ladder": {
        "game": "battleline",
        "edition": "standard",
        "season": 1,
        "group": None,
        "number": 1203,
        "sequence": 1199,
        "is_cancelled": False,
    },
    "state_reason": "",
    "series": None,
    "cancelled_at": None,
    "created_at": "2026-11-21T18:00:00Z",
    "started_at": "2026-11-21T18:00:02Z",
    "finished_at": "2026-11-21T18:00:09Z",
    "participants": [
        {
            "index": 0,
            "bot": "kingfisher",
            "name": "Kingfisher",
            "authors": ["ana"],
            "version": 3,
            "points": 1.0,
            "series_score": None,
            "rating": {"before": 1611.2, "after": 1618.9, "deviation": 38.4},
        },
        {
            "index": 1,
            "bot": "heron",
            "name": "Heron",
            "authors": ["ben"],
            "version": 7,
            "points": 0.0,
            "series_score": None,
            "rating": {"before": 1634.0, "after": 1627.5, "deviation": 35.1},
        },
    ],
}
EXAMPLE_MATCH_DETAIL = EXAMPLE_MATCH | {
    "options": EXAMPLE_OPTIONS | {"scout": "one-by-one"},
    "rules_version": 1,
    "limits": {"move_ms": 1000},
    "waiting": None,
    "legs": [
        {
            "number": 1,
            "seating": [0, 1],
            "deal_hash": "8c2f0d6f4c0f5a1be6a3f7d0f3f4b0f1f2a90d1e5c1b7f7d2e6f5a4b3c2d1e0f",
            "record_hash": "f3b9a1f4c2be0d1f7f8a6b5c4d3e2f100f1e2d3c4b5a69788796a5b4c3d2e1f0",
            "reason": "five flags",
            "decisions": 97,
            "seats": [
                {"seat": 0, "participant": 0, "place": 1, "score": 5.0, "verdict": "ok"},
                {"seat": 1, "participant": 1, "place": 2, "score": 3.0, "verdict": "ok"},
            ],
            "record": f"{EXAMPLE_HOST}/api/v1/matches/4711/legs/1/record/",
            "analysis": f"{EXAMPLE_HOST}/api/v1/matches/4711/legs/1/analysis/",
        }
    ],
}
EXAMPLE_PARTICIPANTS = EXAMPLE_MATCH["participants"]
EXAMPLE_CHALLENGE = (
    EXAMPLE_MATCH
    | EXAMPLE_VARIANT_FIELDS
    | {"kind": "challenge", "ladder": None, "participants": [part | {"rating": None} for part in EXAMPLE_PARTICIPANTS]}
)
EXAMPLE_STANDING = {
    "rank": 2,
    "rank_low": 1,
    "rank_high": 3,
    "group": 1,
    "bot": "kingfisher",
    "name": "Kingfisher",
    "authors": ["ana"],
    "version": 3,
    "language": "python",
    "rating": 1618.9,
    "deviation": 38.4,
    "margin_95": 75.3,
    "is_ranked": True,
    "is_anchor": False,
    "matches": 64,
    "opponents": 12,
    "points": 37.5,
    "rated_at": "2026-11-21T18:00:10Z",
}
EXAMPLE_OWN_VERSION, EXAMPLE_OPPONENT = {"bot": "kingfisher", "version": 3}, {"bot": "heron"}
EXAMPLE_NEW_CHALLENGE = {
    "version": EXAMPLE_OWN_VERSION,
    "opponent": EXAMPLE_OPPONENT,
    "options": EXAMPLE_CHANGED_OPTIONS,
    "series": None,
}
EXAMPLE_NEW_COMPARISON = {
    "version": EXAMPLE_OWN_VERSION,
    "mode": "head_to_head",
    "preset": "default",
    "promote_if_better": True,
    "adjust_for_luck": True,
}
EXAMPLE_VALUE_FUNCTION = {
    "version": "1",
    "hash": "9d0b8f6c1e2a4d73b5c6f7089a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4",
    "luck_share": 0.75,
    "cards_per_draw": 8,
}
EXAMPLE_COMPARISON = {
    "id": 12,
    "html_url": f"{EXAMPLE_HOST}/comparisons/12/",
    "owner": "ana",
    "game": "battleline",
    "edition": "standard",
    "options": EXAMPLE_OPTIONS,
    **EXAMPLE_VARIANT_FIELDS,
    "version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 4},
    "baseline": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 3},
    "mode": "head_to_head",
    "state": "running",
    "state_reason": "",
    "state_detail": "",
    "elo0": 0.0,
    "elo1": 20.0,
    "llr": 1.3,
    "llr_bound": 2.944439,
    "pairs": 96,
    "max_pairs": 5000,
    "pentanomial": [14, 0, 44, 0, 38],
    "result_counts": None,
    "estimate": {"elo": 88.7, "low": 39.5, "high": 141.5, "likelihood": 0.9998},
    "luck": {
        "value_function": EXAMPLE_VALUE_FUNCTION,
        "llr": 1.6,
        "estimate": {"elo": 85.1, "low": 41.9, "high": 131.0, "likelihood": 0.9999},
        "adjusted_pairs": 96,
        "is_suspended": False,
    },
    "promote_if_better": True,
    "created_at": "2026-11-21T18:00:00Z",
    "decided_at": None,
    "promoted_at": None,
}
EXAMPLE_NEW_WEBHOOK = {"url": "https://ci.example.org/pennant", "events": ["trial.finished", "comparison.decided"]}
EXAMPLE_WAITING_TIME = {"ahead": 3, "seconds": 21.0, "reason": "3 matches come before it."}
EXAMPLE_QUEUE = {
    "running": 2,
    "waiting": 4,
    "own": [
        {
            "match": EXAMPLE_MATCH
            | {
                "state": "queued",
                "started_at": None,
                "finished_at": None,
                "ladder": EXAMPLE_MATCH["ladder"] | {"sequence": None},
                "participants": [part | {"points": None, "rating": None} for part in EXAMPLE_PARTICIPANTS],
            },
            "waiting": EXAMPLE_WAITING_TIME,
        }
    ],
}


EXAMPLE_NEW_TOURNAMENT = {
    "title": "Autumn Cup",
    "game": "battleline",
    "edition": "standard",
    "options": EXAMPLE_CHANGED_OPTIONS,
    "settings": {"format": "swiss", "matches_per_pairing": 3},
    "entries_close_at": "2026-11-22T18:00:00Z",
}
EXAMPLE_TOURNAMENT = {
    "slug": "autumn-cup",
    "html_url": f"{EXAMPLE_HOST}/tournaments/autumn-cup/",
    "title": "Autumn Cup",
    "description": "",
    "organiser": "olga",
    "game": "battleline",
    "edition": "standard",
    "options": EXAMPLE_OPTIONS,
    **EXAMPLE_VARIANT_FIELDS,
    "settings": {
        "format": "swiss",
        "rounds": None,
        "matches_per_pairing": 3,
        "max_tiebreak_matches": 2,
        "scoring": "wins",
        "groups": 2,
        "advance_per_group": 2,
        "knockout_size": 4,
        "third_place_match": False,
        "seats": 2,
        "series": None,
    },
    "is_rated": False,
    "is_low_priority": False,
    "entries_close_at": "2026-11-22T18:00:00Z",
    "max_entrants": 64,
    "max_entrants_per_author": 1,
    "group": None,
    "visibility": "public",
    "entry_rule": "anyone",
    "entry_code": None,
    "are_entries_moderated": False,
    "state": "running",
    "state_reason": "",
    "entrants": 8,
    "rounds_started": 1,
    "rounds_planned": 4,
    "phases": [{"number": 1, "key": "swiss", "rounds_planned": 4}],
    "seconds_left": 240.0,
    "commitment": "4c1f7d0c5b6a39e2f5b1d3a7c9e8f60112233445566778899aabbccddeeff001",
    "forecast": {"1": {"bot": "kingfisher", "win": 0.41, "podium": 0.83, "place": 2.1}},
    "forecast_after_round": 0,
    "created_at": "2026-11-21T18:00:00Z",
    "started_at": "2026-11-22T18:01:10Z",
    "finished_at": None,
}
EXAMPLE_REASON = {"reason": "A machine is down."}
EXAMPLE_PAIRING_DECISION = {"outcome": "win", "winner": "kingfisher", "reason": "The other machine burnt."}
EXAMPLE_ORGANISER = {"username": "mari"}
EXAMPLE_ORGANISER_ACT = {
    "at": "2026-11-22T18:11:32Z",
    "by": "olga",
    "act": "pairing.decide",
    "text": "Round 1, Kingfisher – Heron: decided, Kingfisher wins",
    "reason": "The other machine burnt.",
    "is_public": True,
}
EXAMPLE_TOURNAMENT_ENTRY = {"bot": "kingfisher"}
EXAMPLE_DISQUALIFICATION = {"bot": "kingfisher", "reason": "It plays with a book of another bot."}
EXAMPLE_ENTRANT = {
    "number": 1,
    "version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 4},
    "updates_automatically": True,
    "state": "ready",
    "state_reason": "",
    "state_detail": "",
    "check_match": 4712,
    "rating": 1618.9,
    "left_in_round": None,
    "place": None,
    "created_at": "2026-11-21T18:30:00Z",
}
EXAMPLE_TOURNAMENT_ROUND = {
    "number": 1,
    "phase": 1,
    "attempt": 0,
    "is_latest_attempt": True,
    "replay_reason": "",
    "started_at": "2026-11-22T18:01:10Z",
    "finished_at": None,
    "pairings": [
        {
            "board": 1,
            "name": "",
            "must_decide": False,
            "is_over": True,
            "played": True,
            "given_points": None,
            "given_reason": "",
            "seats": [
                {"number": 1, "bot": "kingfisher", "points": 1.0, "game_points": 10.0},
                {"number": 5, "bot": "heron", "points": 0.0, "game_points": 6.0},
            ],
            "matches": [{"match": 4720, "number": 1, "state": "finished", "counts": True}],
        }
    ],
}
EXAMPLE_TABLE_LINE = {
    "place": 1,
    "number": 1,
    "bot": "kingfisher",
    "name": "Kingfisher",
    "authors": ["ana"],
    "version": 4,
    "score": 1.0,
    "points": 1.0,
    "game_points": 10.0,
    "played": 1,
    "wins": 1,
    "draws": 0,
    "losses": 0,
    "byes": 0,
    "direct": None,
    "buchholz": 0.0,
    "buchholz_cut_1": 0.0,
    "sonneborn_berger": 0.0,
    "lot": 3,
    "is_out": False,
    "reached_round": 0,
}
EXAMPLE_CROSSTABLE_LINE = {
    "number": 1,
    "bot": "kingfisher",
    "meetings": [{"number": 5, "round": 1, "points": 1.0, "played": True}],
}
EXAMPLE_TOURNAMENT_DEALS = {
    "game": "battleline",
    "edition": "standard",
    "season": 1,
    "options": EXAMPLE_OPTIONS,
    "rules_version": 1,
    "commitment": EXAMPLE_TOURNAMENT["commitment"],
    "secret": None,
}
EXAMPLE_DEALT_MATCH = {
    "number": 100101,
    "match": 4720,
    "state": "queued",
    "deal_hashes": [EXAMPLE_MATCH_DETAIL["legs"][0]["deal_hash"]],
}


def response_example(name: str, value: dict[str, Any]) -> Any:
    """Return a decorator that adds an example response to a serializer."""
    return extend_schema_serializer(examples=[OpenApiExample(name, value, response_only=True)])


def request_example(name: str, value: dict[str, Any]) -> Any:
    """Return a decorator that adds an example request to a serializer."""
    return extend_schema_serializer(examples=[OpenApiExample(name, value, request_only=True)])
