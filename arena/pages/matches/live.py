"""The page of a match that waits, runs or has no result; while it runs, with the public view of the table."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from django.core.cache import cache as shelf
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.timezone import now
from django.utils.translation import get_language

from arena.matches.models import Attempt, Leg, LegSeat, Match
from arena.matches.waiting import place_in_queue
from arena.pages.games import find_presentation
from arena.pages.matches.moves import Move
from arena.pages.matches.replay import LAST_STEP, PUBLIC_ONLOOKER, play_to
from arena.pages.matches.results import Row
from arena.pages.matches.stage import build_stage
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.tournaments.reading import find_named_round
from engine.core import Json

SILENCE_TIMEOUT = timedelta(seconds=20)
"""After the last sign of life of its worker, a running match is said to be silent."""
CACHE_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Live:
    """The leg of a running match that is played, as far as its worker has reported."""

    match: Match
    attempt: Attempt
    leg: Leg
    actions: Sequence[Json]
    legs: int
    seats: Sequence[LegSeat]
    is_silent: bool
    series_scores: Sequence[str]
    """The series score of each participant before this leg; empty where the match is no series."""

    @property
    def tag(self) -> str:
        """Return a key that changes with everything that is shown, and with the language."""
        told = [self.attempt.pk, self.leg.number, len(self.actions), self.is_silent, get_language(), self.names]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()[:32]

    @property
    def names(self) -> list[str]:
        """Return the name and version of the bot at each seat."""
        return [str(seat.participant.version) for seat in self.seats]

    @property
    def record(self) -> Json:
        """Return the record so far, without a result."""
        self.match.refresh_from_db(fields=["deal", "options"])
        deal = self.leg.deal if self.match.series else None
        return {
            "game": self.match.game,
            "edition": self.match.edition,
            "options": self.match.options,
            "deal": deal or self.match.deal,
            "seats": [{} for _ in self.seats],
            "actions": self.actions,
            "result": None,
        }


def show_unfinished(request: HtmxRequest, row: Row) -> HttpResponse:
    """Show a match that waits, runs or ended without a result, or whose deal is still in play elsewhere.

    Of a leg that is being played the page shows only what is public.
    """
    match = row.match
    attempts = list(match.attempts.all())
    legs = list(match.legs.only("match", "number", "seating", "deal_hash").order_by("number"))
    live = find_live(row, attempts, legs)
    if live and request.htmx and (unchanged := get_conditional_response(request, etag=f'"{live.tag}"')):
        unchanged["ETag"] = f'"{live.tag}"'
        patch_vary_headers(unchanged, ["HX-Request"])
        return unchanged
    is_final = match.state == Match.State.VOID
    context = {
        "match": match,
        "named_round": find_named_round(request, match),
        "is_final": is_final,
        "row": row,
        "waiting": place_in_queue(match) if match.state == Match.State.QUEUED else None,
        "legs": legs,
        "attempts": attempts,
        "live": live,
        "table": live and render_table(live),
    }
    response = render_live(request, "matches/unfinished.html", "matches/_unfinished.html", context, is_final)
    if live and request.htmx:
        response["ETag"] = f'"{live.tag}"'
    return response


def find_live(row: Row, attempts: Sequence[Attempt], legs: Sequence[Leg]) -> Live | None:
    """Return the leg that is played; None where the match isn't running or its worker has not reported yet."""
    match = row.match
    attempt = next((one for one in attempts if one.ended_at is None and one.underway), None)
    if attempt is None or match.state != Match.State.RUNNING:
        return None
    underway: Json = attempt.underway or {}
    leg = legs[underway["leg"] - 1]
    seating = underway.get("seating") or leg.seating
    seats = [LegSeat(seat=seat, participant=row.parts[index].participant) for seat, index in enumerate(seating)]
    is_silent = now() - attempt.heartbeat_at > SILENCE_TIMEOUT
    scores = [f"{score:g}" for score in underway.get("series_scores", ())]
    return Live(match, attempt, leg, underway["actions"], len(legs), seats, is_silent, scores)


def render_table(live: Live) -> str:
    """Return the table after the newest step that is over, and all steps so far. Kept a while: many may look at it."""
    kept: str | None = shelf.get(f"live:{live.tag}")
    if kept is None:
        kept = render_to_string("matches/_live.html", build_table_context(live.record, live.seats))
        shelf.set(f"live:{live.tag}", kept, CACHE_TIMEOUT_S)
    return kept


def build_table_context(record: Json, seats: Sequence[Any]) -> dict[str, Any]:
    """Return the context of the table's template, built from the public view so that it has no hidden card."""
    presentation = find_presentation(record["game"], record["edition"])
    scene = play_to(record, LAST_STEP, PUBLIC_ONLOOKER)
    return {
        **build_stage(scene, presentation),
        "seats": seats,
        "moves": [Move(step, presentation.describe_step(step)) for step in scene.steps[:0:-1]],
    }
