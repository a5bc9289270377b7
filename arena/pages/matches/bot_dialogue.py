"""Rebuild the requests to bots and their answers in a leg from its record; only the clock is missing."""

from collections.abc import Iterator

from arena.runner import protocol
from engine.core import Json
from engine.replay import states

ANSWER_FIELDS = ("action", "note", "eval")


def list_exchanges(record: Json, first: int, last: int) -> Iterator[Json]:
    """Yield `{"request", "answer", "ms"}` of each answer among the entries from `first` to before `last`.

    Requests are as `bots/README.md` has them, with `view` and `legal` though the bot may have wanted neither, and
    without `bank_ms`.
    """
    log_positions = [0] * len(record["seats"])
    for number, (state, entry) in enumerate(zip(states(record), record["actions"], strict=False)):
        if "ms" not in entry:
            continue
        seat = entry["seat"]
        if first <= number < last:
            yield {
                "request": protocol.build_turn(state, seat, log_positions[seat], legal=list(state.actions())),
                "answer": {name: entry[name] for name in ANSWER_FIELDS if name in entry},
                "ms": entry["ms"],
            }
        log_positions[seat] = state.log_length
