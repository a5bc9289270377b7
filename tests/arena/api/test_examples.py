"""The description's examples are real: requests of a story, and what they were answered with.

`WRITE_EXAMPLES=1 uv run pytest -p no:randomly tests/arena/api/test_examples.py` writes them anew. Those that have kept
their fields stay as they are.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import resolve
from django.utils.timezone import now
from jsonschema import Draft202012Validator

from arena.api.schema import EXAMPLES_FILE, build_api_schema, load_examples
from arena.bots.models import Bot
from arena.bots.teams import issue_token
from arena.contests.atlas.services import count_legs
from arena.contests.comparisons.models import Comparison
from arena.contests.formations.models import make_formation
from arena.contests.ladders.models import Entry, Ladder
from arena.matches.models import LegSeat, Match
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from tests.arena.api.played import TALKS
from tests.arena.api.test_arena import PYTHON, tell
from tests.arena.contests.puzzles.made import make_puzzles
from tests.arena.contests.tournaments.world import begin, play_round
from tests.arena.live_hints import make_waiting_hint
from tests.conftest import MakeVersion

COMMAND = "WRITE_EXAMPLES=1 uv run pytest -p no:randomly tests/arena/api/test_examples.py"
MAX_ROWS = 5
"""Longer lists inside of an example are cut."""
SHOWN_OF_SECRETS = {"token": 8, "key": 8, "sign_in_url": 46}
"""How much of a secret is shown: nothing in an example may look as if it had leaked."""
Examples = dict[str, dict[str, Any]]


class Teller:
    """Asks the API for somebody, and notes the first request and response of each serializer."""

    def __init__(self, noted: Examples, who: User | None, by_session: bool = False) -> None:
        self.noted, self.client = noted, Client()
        self.headers = {}
        if who is not None and by_session:
            self.client.force_login(who)
        elif who is not None:
            self.headers = {"Authorization": f"Bearer {issue_token(owner=who, name='CI')[1]}"}

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        ask = getattr(self.client, method)
        sent = (body or {}, "application/json") if method in ("post", "patch", "put") else (body or {},)
        answer = ask(f"/api/v1{path}", *sent, headers=self.headers)
        assert answer.status_code < 300, (path, answer.content)
        view = resolve(f"/api/v1{path}").func
        operation = getattr(view.cls, view.actions[method]).operation
        if operation.reads and body:
            self.noted["request"].setdefault(name_of(operation.reads), body)
        if not answer.content or operation.shows is None:
            return None
        told = answer.json()
        rows = told if isinstance(told, list) else told["results"] if operation.paging else [told]
        if rows:
            self.noted["response"].setdefault(name_of(operation.shows), cut(rows[0]))
        return told


def name_of(serializer: type) -> str:
    return serializer.__name__.removesuffix("Serializer")


def cut(value: Any) -> Any:
    """A response with a host that is an example, and without the end of long lists."""
    if isinstance(value, dict):
        shown = {key: cut(inner) for key, inner in value.items()}
        secrets = {key: shown[key] for key in SHOWN_OF_SECRETS if isinstance(shown.get(key), str)}
        return shown | {key: f"{text[: SHOWN_OF_SECRETS[key]]}…" for key, text in secrets.items()}
    if isinstance(value, list):
        return [cut(inner) for inner in value[:MAX_ROWS]]
    return value.replace("http://testserver", "https://arena.example.org") if isinstance(value, str) else value


def outline(value: Any) -> Any:
    """Which keys an example has, at all depths."""
    if isinstance(value, dict):
        return {key: outline(inner) for key, inner in value.items()}
    return [outline(value[0])] if isinstance(value, list) and value else None


def tell_of_bots(noted: Examples, ana: User, ben: User) -> None:
    ask, session = Teller(noted, ana), Teller(noted, ana, by_session=True)
    session("post", "/tokens/", {"name": "CI of Kingfisher", "bot": "kingfisher"})
    for path in ("/arena/", "/languages/", "/me/", "/queue/", "/lesson/", "/notices/"):
        ask("get", path)
    session("get", "/tokens/")
    ask("put", "/following/bots/heron/")
    ask("post", "/webhooks/", {"url": "https://1.1.1.1/pennant", "events": ["trial.finished", "comparison.decided"]})
    ask("get", "/webhooks/")
    ask("post", "/bots/kingfisher/team/", {"username": "ben"})
    Teller(noted, ben)("post", "/bots/kingfisher/invitation/")
    ask("get", "/bots/kingfisher/")
    ask("post", "/bots/", {"name": "Grey heron", "game": "battleline"})
    ask("patch", "/bots/grey-heron/", {"name": "Purple heron"})
    ask("get", "/bots/kingfisher/head-to-head/")
    ask("get", "/bots/kingfisher/versions/1/")


def tell_of_matches(noted: Examples, ana: User, match: Match) -> None:
    ask = Teller(noted, ana)
    ask("get", "/matches/", {"state": "finished"})
    ask("get", f"/matches/{match.pk}/")
    ask("post", f"/matches/{match.pk}/legs/1/analysis/")
    ladder = "/ladders/battleline/standard/"
    for path in ("", "standings/", "seasons/1/", "seasons/1/deals/", "seasons/1/atlas/"):
        ask("get", f"{ladder}{path}")
    ask("get", "/ladders/battleline/")
    ask("get", "/formations/")
    own, other = {"bot": "kingfisher", "version": 1}, {"bot": "heron"}
    options = {"scout": "at-once"}
    ask("post", "/challenges/", {"version": own, "opponent": other, "options": options, "series": None})
    terms = {"mode": "head_to_head", "preset": "default", "promote_if_better": True, "adjust_for_luck": True}
    ask("post", "/comparisons/", {"version": {"bot": "kingfisher", "version": 2}, **terms})
    Comparison.objects.update(result_counts=[14, 0, 44, 0, 38], pairs=96, llr=1.3)
    ask("get", "/comparisons/")
    asked = {"game": "battleline", "edition": "standard", "seats": ["me", "heron"], "has_hints": True}
    game = ask("post", "/live-games/", asked)
    path = f"/live-games/{game['slug']}/"
    ask("post", f"{path}hint/", {"at": 0})
    assert make_waiting_hint()
    del noted["response"]["Hint"]
    ask("get", f"{path}hint/")
    ask("post", f"{path}actions/", {"action": game["legal"][0], "at": 0})
    ask("get", "/live-games/")
    ask("get", "/live-games/opponents/", {"game": "battleline"})


def tell_of_remote_bots(noted: Examples, ana: User) -> None:
    ask = Teller(noted, ana)
    kept = noted["response"].pop("Bot"), noted["response"].pop("BotVersion")
    ask("post", "/remote-bots/", {"name": "Far heron", "game": "battleline", "declared": "model X, temperature 0"})
    ask("post", "/bots/far-heron/versions/remote/", {"declared": "model Y, temperature 0, laptop"})
    noted["response"]["Bot"], noted["response"]["BotVersion"] = kept
    ask("post", "/ladders/battleline/standard/open/bots/", {"bot": "far-heron"})
    RemoteBot.objects.update(is_online=True, seen_at=now(), room=2)
    ask("get", "/remote-bots/")


def tell_of_puzzles(noted: Examples, ana: User) -> None:
    ask = Teller(noted, ana)
    claim, _ = make_puzzles()
    path = f"/puzzles/claim/{claim.day}/"
    ask("post", f"{path}answer/", {**claim.solution, "seconds": 38})
    ask("get", path)
    ask("get", "/puzzles/")
    ask("get", "/puzzles/solver/")


def tell_of_groups(noted: Examples, teacher: User, ana: User) -> None:
    teacher.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    ask = Teller(noted, User.objects.get(pk=teacher.pk))
    made = ask("post", "/groups/", {"name": "Class 10.b", "real_name": "Ben Kovács"})
    del noted["response"]["Group"]
    path = f"/groups/{made['slug']}/"
    code = ask("post", f"{path}code/", {"hours": 168})["join_code"]
    Teller(noted, ana)("post", "/groups/join/", {"code": code, "real_name": "Anna Nagy"})
    noted["request"]["Join"]["code"] = "7KQ2-M9XD-4TRW"
    member = ask("get", f"{path}members/")["results"][1]
    del noted["response"]["Member"]
    ask("patch", f"{path}members/{member['id']}/", {"role": "co_organiser"})
    ask("post", f"{path}list/", {"names": "Bence Tóth\nCili Szabó", "days": 14, "dry_run": False})
    ask("post", f"{path}list/links/", {"days": 14})
    ask("post", f"{path}ladders/", {"game": "battleline", "edition": "standard", "with_samples": False})
    Teller(noted, ana)("post", f"{path}ladders/battleline/standard/bots/", {"bot": "kingfisher"})


def tell_of_tournaments(noted: Examples, bots: list[Bot]) -> None:
    tournament = play_round(begin(bots))
    ask = Teller(noted, tournament.organiser)
    planned: dict[str, Any] = {
        "title": "Spring Cup",
        "game": "battleline",
        "settings": {"format": "swiss", "matches_per_pairing": 3},
    }
    planned["are_entries_moderated"] = True
    ask("get", "/tournaments/autumn-cup/")
    ask("post", "/tournaments/", planned | {"edition": "standard", "options": {"scout": "at-once"}})
    for path in ("entrants/", "rounds/", "standings/", "crosstable/", "deals/", "deals/matches/"):
        ask("get", f"/tournaments/autumn-cup/{path}")
    seat = LegSeat.objects.filter(leg__match__pairing_match__isnull=False).order_by("pk")[0]
    LegSeat.objects.filter(pk=seat.pk).update(verdict="crash", fault={"message": "The bot exited with code 1."})
    LegSeat.objects.filter(pk=seat.pk).update(stderr="KeyError: 'plan'")
    ask("get", "/tournaments/autumn-cup/faults/")
    ask("post", "/tournaments/autumn-cup/organisers/", {"username": "ben"})
    board = ask("get", "/tournaments/autumn-cup/rounds/")["results"][-1]["pairings"][0]
    decision = {"outcome": "win", "winner": board["seats"][0]["bot"], "reason": "The other machine burnt."}
    number = ask("get", "/tournaments/autumn-cup/")["rounds_started"]
    ask("post", f"/tournaments/autumn-cup/rounds/{number}/boards/1/decide/", decision)
    ask("get", "/tournaments/autumn-cup/decisions/")
    ask("post", "/tournaments/autumn-cup/pause/", {"reason": "A machine is down."})
    ask("post", "/tournaments/spring-cup/open/")
    Teller(noted, bots[0].owner)("post", "/tournaments/spring-cup/entrants/", {"bot": bots[0].slug})
    ask("post", "/tournaments/spring-cup/approve/", {"bot": bots[0].slug})
    reason = "It plays with a book of another bot."
    ask("post", "/tournaments/spring-cup/disqualify/", {"bot": bots[0].slug, "reason": reason})


@pytest.mark.usefixtures("queued", "house", "olga")
def test_examples_are_of_real_requests(
    rated: Match, ladder: Ladder, ana: User, ben: User, bots: list[Bot], make_version: MakeVersion
) -> None:
    noted: Examples = {"request": {}, "response": {}}
    tell("mill", PYTHON)
    count_legs(ladder=ladder)
    formation = make_formation("0,2,4/0,2")
    formation.deployed, formation.deployed_points, formation.first_match = 4, 3.0, rated
    formation.save()
    known = {"rating": 1618.9, "deviation": 38.4, "is_ranked": True, "rank_low": 1, "rank_high": 3, "group": 1}
    Entry.objects.filter(version__bot__slug="kingfisher").update(**known)
    tell_of_bots(noted, ana, ben)
    make_version(ana, "Kingfisher", TALKS + b"# newer")
    Bot.objects.filter(slug="heron").update(played_by="everybody")
    tell_of_matches(noted, ana, rated)
    tell_of_remote_bots(noted, ana)
    tell_of_puzzles(noted, ana)
    tell_of_groups(noted, ben, ana)
    tell_of_tournaments(noted, bots)
    stored = load_examples()
    kept = {
        side: {
            name: stored[side][name] if outline(stored[side].get(name)) == outline(value) else value
            for name, value in sorted(noted[side].items())
        }
        for side in ("request", "response")
    }
    if os.environ.get("WRITE_EXAMPLES"):
        EXAMPLES_FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    else:
        assert kept == stored, f"The API has changed. Write its examples anew:\n{COMMAND}"


def as_json_schema(part: Any) -> Any:
    """OpenAPI 3.0 says `nullable` where JSON Schema has a type of its own."""
    if isinstance(part, list):
        return [as_json_schema(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    plain = {key: as_json_schema(inner) for key, inner in part.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if part.get("nullable") is True else plain


def examples() -> Iterator[tuple[str, Any, Any]]:
    """Where each stands, its value, and the schema that it is to fit."""
    for path, operations in build_api_schema()["paths"].items():
        for method, operation in operations.items():
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for body in bodies:
                for content in body.get("content", {}).values():
                    for name, example in content.get("examples", {}).items():
                        yield f"{method} {path}: {name}", example["value"], content["schema"]


def test_examples_are_as_the_schema_says() -> None:
    components = as_json_schema(build_api_schema()["components"])
    shown = list(examples())
    wrong = [
        f"{where}: {error.message}"
        for where, value, schema in shown
        for error in Draft202012Validator({"components": components, **as_json_schema(schema)}).iter_errors(value)
    ]
    assert shown and not wrong
