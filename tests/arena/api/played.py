"""What tests of the API look at: matches of Ana's and Ben's bots, before and after they are played."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from arena.bots.models import Bot, BotVersion
from arena.bots.teams import issue_token
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import derive_match_deal
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from tests.conftest import MakeVersion, Play

TALKS = b"""
import json, sys
print("the diary of this bot", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""


class Script:
    """Asks the API as somebody's program does: with a token, for all bots or for one; or without."""

    def __init__(self, owner: User | None = None, bot: Bot | None = None) -> None:
        self.client = Client()
        self.headers: dict[str, str] = {}
        if owner is not None:
            _, text = issue_token(owner=owner, name="script", bot=bot)
            self.headers = {"Authorization": f"Bearer {text}"}

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.client.get(f"/api/v1{path}", query, headers=self.headers)

    def post(self, path: str, body: Any = None) -> HttpResponse:
        return self.client.post(f"/api/v1{path}", body or {}, "application/json", headers=self.headers)

    def put(self, path: str) -> HttpResponse:
        return self.client.put(f"/api/v1{path}", headers=self.headers)

    def patch(self, path: str, body: Any) -> HttpResponse:
        return self.client.patch(f"/api/v1{path}", body, "application/json", headers=self.headers)

    def delete(self, path: str) -> HttpResponse:
        return self.client.delete(f"/api/v1{path}", headers=self.headers)

    def read(self, path: str, **query: Any) -> Any:
        """What is at that address."""
        response = self.get(path, **query)
        assert response.status_code == 200, response.content
        return response.json()


@pytest.fixture
def versions(ana: User, ben: User, make_version: MakeVersion, ladder: Ladder) -> list[BotVersion]:
    """One of Ana's and one of Ben's, on the ladder."""
    both = [make_version(ana, "Kingfisher", TALKS), make_version(ben, "Heron", TALKS)]
    for version in both:
        enter_version(ladder=ladder, version=version)
    return both


@pytest.fixture
def queue_rated(versions: list[BotVersion], ladder: Ladder) -> Callable[[], Match]:
    """Another match of both, for the ladder, not yet played."""

    def queue() -> Match:
        ladder.refresh_from_db()
        ladder.last_number += 1
        ladder.save(update_fields=["last_number"])
        deal, salts = derive_match_deal(ladder, ladder.last_number, 2)
        match = queue_match(versions=versions, game="battleline", edition="standard", deal=deal, salts=salts)
        LadderMatch.objects.create(ladder=ladder, match=match, number=ladder.last_number)
        return match

    return queue


@pytest.fixture
def queued(queue_rated: Callable[[], Match]) -> Match:
    return queue_rated()


@pytest.fixture
def rated(queue_rated: Callable[[], Match], play: Play, ladder: Ladder) -> Match:
    """A match that was played and rated."""
    match = queue_rated()
    assert play(match)
    assert append_finished_matches(ladder=ladder) == 1
    match.refresh_from_db()
    return match
