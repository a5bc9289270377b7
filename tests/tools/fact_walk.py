"""Walk the public pages of the arena that the settings name, and print what was found as JSON; `facts` starts it."""

import argparse
import json
from collections import Counter, deque
from collections.abc import Iterable
from copy import copy
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import django

from tests.tools.facts import LEAST_WORDS, Page, Walk, read_page

NOT_WALKED = ("/accounts/", "/admin/", "/api/v1/docs/")
"""Pages of libraries, with forms or long references: it is only checked that links to them lead somewhere."""
PATTERNS = 200
"""So many of the newest matches are repeated."""


def walk(client: Any, most: int, start: str = "/") -> Walk:
    """Open every page that links lead to, at most so many of one kind; of a filtered list no filter is followed."""
    found, queue, seen, kinds = Walk(), deque([(start, "")]), {start}, Counter[str]()
    while queue:
        address, source = queue.popleft()
        kind = find_kind(address)
        kinds[kind or ""] += 1
        if kind is None:
            found.dead.append(f"{address} on {source}")
        elif not most or kinds[kind] <= most:
            page = look_at(client, found, address, source)
            targets = {
                urldefrag(urljoin(address, link))[0] for link in page.links if not link.startswith(("http", "mailto:"))
            }
            for target in sorted(one for one in targets - seen if "?" not in one):
                seen.add(target)
                queue.append((target, address))
    return found


def find_kind(address: str) -> str | None:
    """Return the name of the view of an address; None where it has none."""
    path = urlsplit(address).path
    if path.startswith("/static/"):
        return "static"
    try:
        return str(resolve(path).view_name)
    except Resolver404:
        return None


def look_at(client: Any, found: Walk, address: str, source: str) -> Page:
    """Return what stands on a page, and note its facts, or that there is none."""
    response = client.get(address)
    if response.status_code >= 400:
        found.dead.append(f"{address} on {source}: {response.status_code}")
    is_page = response.status_code == 200 and "text/html" in response["Content-Type"]
    if not is_page or address.startswith(NOT_WALKED):
        response.close()  # an archive that nobody reads would keep others from being written
        return Page()
    found.pages += 1
    page = read_page(response.content.decode())
    if page.words < LEAST_WORDS:
        found.empty.append(address)
    for key, value in page.facts:
        found.values[key][value].append(address)
    return page


def multiply_matches(wanted: int) -> None:
    """Repeat the newest finished matches with legs, seats and lines of the ledger until there are so many."""
    patterns = list(Match.objects.filter(state="finished", group=None).order_by("-pk")[:PATTERNS])
    missing = wanted - Match.objects.filter(state="finished").count() if patterns else 0
    for first in range(0, missing, len(patterns) or 1):
        with transaction.atomic():
            repeat_matches(patterns[: missing - first])


def repeat_matches(patterns: list[Any]) -> None:
    """Repeat each of these matches once: a match at a time would be thirty writes each."""
    matches = repeat(patterns)
    people = repeat(Participant.objects.filter(match__in=patterns), match=matches)
    legs = repeat(Leg.objects.filter(match__in=patterns), match=matches)
    repeat(LegSeat.objects.filter(leg__match__in=patterns), leg=legs, participant=people)
    lines = list(LadderMatch.objects.filter(match__in=patterns, sequence__isnull=False, void_sequence=None))
    last = {ladder: (sequence, number or 0) for ladder, sequence, number in
            LadderMatch.objects.values_list("ladder").annotate(Max("sequence"), Max("number"))}  # fmt: skip
    for line in lines:
        sequence, number = last[line.ladder_id]
        line.sequence, line.number = last[line.ladder_id] = sequence + 1, number + 1
    changes = RatingChange.objects.filter(ladder_match__in=lines)
    repeat(changes, ladder_match=repeat(lines, match=matches))


def repeat(rows: Iterable[Any], **moved: dict[int, Any]) -> dict[int, Any]:
    """Store rows once more; those that they refer to are replaced as given. Return the new ones by the old keys."""
    found = {}
    for row in rows:
        again = copy(row)
        again.pk, again._state.adding = None, True
        for name, by_key in moved.items():
            setattr(again, name, by_key[getattr(row, f"{name}_id")])
        found[row.pk] = again
    if found:
        type(again).objects.bulk_create(found.values())
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int)
    parser.add_argument("--pages", type=int)
    parser.add_argument("--at")
    asked = parser.parse_args()
    if asked.matches:
        multiply_matches(asked.matches)
    with time_machine.travel(asked.at or now(), tick=False):
        client = Client(SERVER_NAME="localhost", raise_request_exception=False)
        print(json.dumps(walk(client, asked.pages).report()))


if __name__ == "__main__":
    django.setup()
    import time_machine
    from django.db import transaction
    from django.db.models import Max
    from django.test import Client
    from django.urls import Resolver404, resolve
    from django.utils.timezone import now

    from arena.contests.ladders.models import LadderMatch, RatingChange
    from arena.matches.models import Leg, LegSeat, Match, Participant

    main()
