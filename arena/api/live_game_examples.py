"""Examples of live games in the description of the API."""

from typing import Any

from arena.api.examples import EXAMPLE_HOST

EXAMPLE_HINT = {
    "at": 4,
    "state": "done",
    "choices": [{"action": "play R7 3", "chance": 0.612}, {"action": "play B5 4", "chance": 0.581}],
}
EXAMPLE_NEW_LIVE_GAME = {"game": "battleline", "edition": "standard", "seats": ["me", "heron"]}
EXAMPLE_LIVE_GAME: dict[str, Any] = {
    "slug": "4J2mP0c9xQ7LrT1a",
    "html_url": f"{EXAMPLE_HOST}/play/4J2mP0c9xQ7LrT1a/",
    "game": "battleline",
    "edition": "standard",
    "changed_options": {},
    "state": "playing",
    "state_reason": "",
    "created_at": "2026-11-21T18:00:00Z",
    "finished_at": None,
    "has_hints": True,
    "seat_to_act": 0,
    "reason": "",
    "seats": [
        {
            "seat": 0,
            "bot": None,
            "version": None,
            "person": "ana",
            "is_free": False,
            "place": None,
            "score": None,
            "verdict": "ok",
        },
        {
            "seat": 1,
            "bot": "heron",
            "version": 7,
            "person": None,
            "is_free": False,
            "place": None,
            "score": None,
            "verdict": "ok",
        },
    ],
    "seat": 0,
    "at": 1,
    "view": {"decision": "finish", "turn": 1, "to_move": 0, "hand": ["G6", "B8", "O3", "Y1", "P9", "fog"]},
    "events": [
        {"event": "deal", "seat": 0, "hand": ["B5", "G6", "B8", "O3", "Y1", "P9", "fog"]},
        {"seat": 0, "action": "play B5 1"},
    ],
    "legal": ["draw troop", "draw tactic"],
    "open": None,
    "draft": ["play B5 1"],
    "links": [],
}
