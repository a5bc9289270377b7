"""Choose and store the stories of a day."""

from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.utils.timezone import localdate

from arena.stories.choosing import (
    Call,
    Climb,
    Pair,
    Played,
    Side,
    choose_climber,
    choose_longest,
    choose_match_of_the_day,
    choose_matches_to_replay,
    choose_narrowest_claim,
    choose_rivalry,
    choose_upset,
)
from arena.stories.models import Story
from arena.stories.queries.close_calls import list_close_calls
from arena.stories.queries.results import list_climbs, list_last_results, list_pairs, list_played

Kind = Story.Kind
FIRST_HOUR_WITH_FINAL_STORIES = 3
"""From then on the stories of the day before stay: they are chosen for the last time an hour earlier."""


def tell_stories_of_today() -> int:
    """Choose the stories of today anew. Return their number."""
    return tell_stories(day=localdate())


def tell_first_stories_of_today() -> int:
    """Choose the stories of today if there are none yet. Return the number of those chosen."""
    return 0 if Story.objects.filter(day=localdate()).exists() else tell_stories_of_today()


def tell_stories_of_yesterday() -> int:
    """Choose the stories of yesterday for the last time, now that all its matches are rated. Return their number."""
    return tell_stories(day=localdate() - timedelta(days=1))


def tell_stories(*, day: date) -> int:
    """Store the stories of a day in place of those chosen before. Return their number."""
    played = list_played(day)
    chosen = {
        Kind.MATCH_OF_THE_DAY: describe_match(choose_match_of_the_day(played)),
        Kind.UPSET: describe_match(choose_upset(played)),
        Kind.LONGEST: describe_match(choose_longest(played)),
        Kind.NARROWEST_CLAIM: describe_call(choose_narrowest_claim(list_close_calls(choose_matches_to_replay(played)))),
        Kind.CLIMBER: describe_climb(choose_climber(list_climbs(day))),
        Kind.RIVALRY: describe_pair(choose_rivalry(list_pairs())) if played else None,
    }
    told = [Story(day=day, kind=kind, **fields) for kind, fields in chosen.items() if fields]
    with transaction.atomic():
        kept = Story.objects.filter(day=day)
        for story in told:
            fields = {name: getattr(story, name) for name in ("match_id", "leg", "first_id", "second_id", "facts")}
            kept.update_or_create(day=day, kind=story.kind, defaults=fields)
        kept.exclude(kind__in=[story.kind for story in told]).delete()
    return len(told)


def describe_match(played: Played | None) -> dict[str, Any] | None:
    """Return the fields of a story of a match."""
    if played is None:
        return None
    facts = {"decisions": played.decisions, "chance": played.upset_chance}
    return describe_sides(played, played.winner or played.sides[0], played.leg, facts)


def describe_call(call: Call | None) -> dict[str, Any] | None:
    """Return the fields of the story of a close call, which is about who claimed."""
    if call is None:
        return None
    first = next(side for side in call.played.sides if side.entry == call.claimant)
    closest = call.closest
    facts = {"step": closest.step, "seat": closest.seat, "margin": list(closest.margin), "call": closest.facts}
    return describe_sides(call.played, first, call.leg, facts)


def describe_sides(played: Played, first: Side, leg: int, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a story of a match that is about `first`, whose opponent is the other side."""
    second = played.sides[1] if first is played.sides[0] else played.sides[0]
    facts |= {
        "ratings": [round(first.rating), round(second.rating)],
        "points": [first.points, second.points],
    }
    found = {"match_id": played.match, "leg": leg, "facts": facts}
    return {**found, "first_id": first.entry, "second_id": second.entry}


def describe_climb(climb: Climb | None) -> dict[str, Any] | None:
    """Return the fields of the story of a climber."""
    if climb is None:
        return None
    facts = {
        "before": round(climb.before),
        "after": round(climb.after),
        "ratings_by_day": [round(rating) for rating in climb.by_day],
    }
    return {"first_id": climb.entry, "facts": facts}


def describe_pair(pair: Pair | None) -> dict[str, Any] | None:
    """Return the fields of the story of a rivalry."""
    if pair is None:
        return None
    facts = {
        "matches": pair.matches,
        "points": [pair.points, pair.matches - pair.points],
        "last": list_last_results(pair.first, pair.second),
    }
    return {"first_id": pair.first, "second_id": pair.second, "facts": facts}
