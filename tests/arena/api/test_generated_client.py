"""A client that a generator of others makes from the schema, without a warning, and that works."""

import importlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest
from pytest_django.live_server_helper import LiveServer

from arena.api.schema import build_api_schema
from arena.bots.teams import issue_token
from arena.matches.models import Match
from arena.people.accounts.models import User

PACKAGE = "pennant_api_client"
pytestmark = [pytest.mark.full, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(build_api_schema()))
    command = ["openapi-python-client", "generate", "--path", "openapi.json", "--output-path", PACKAGE]
    run = [sys.executable, "-m", *command, "--meta", "none", "--fail-on-warning"]
    run[2] = "openapi_python_client"
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield PACKAGE
    sys.path.remove(str(folder))


class Api:
    """The generated functions, asked as Ana's program does."""

    def __init__(self, package: str, url: str, token: str) -> None:
        self.package = package
        client: Any = importlib.import_module(package)
        self.client = client.AuthenticatedClient(base_url=url, token=token, headers={"Connection": "close"})
        self.called: set[str] = set()

    def module(self, path: str) -> ModuleType:
        return importlib.import_module(f"{self.package}.{path}")

    def call(self, name: str, *arguments: Any, status: int = 200, **query: Any) -> Any:
        self.called.add(name)
        response = self.module(f"api.{name}").sync_detailed(*arguments, client=self.client, **query)
        assert response.status_code == status, (name, response.content)
        return response.parsed


def test_twenty_addresses_answer_a_generated_client(
    package: str, live_server: LiveServer, ana: User, rated: Match
) -> None:
    api = Api(package, live_server.url, issue_token(owner=ana, name="a program")[1])
    game = "battleline"
    assert api.call("me.me").username == "ana"
    assert [bot.slug for bot in api.call("bots.bots_list", search="kingf").results] == ["kingfisher"]
    assert api.call("bots.bots_retrieve", "kingfisher").name == "Kingfisher"
    assert api.call("bots.bots_head_to_head", "kingfisher").results[0].opponent == "heron"
    assert api.call("bots.bots_ratings", "kingfisher").results == []  # none was computed yet
    assert api.call("bots.bots_versions_list", "kingfisher").results[0].number == 1
    assert api.call("bots.bots_versions_retrieve", "kingfisher", 1).state == "accepted"
    api.call("bots.bots_versions_log", "kingfisher", 1)
    source = api.call("bots.bots_versions_source", "kingfisher", 1)
    assert ZipFile(io.BytesIO(source.payload.read())).namelist() == ["bot.py"]
    assert [one.id for one in api.call("matches.matches_list", bot="heron").results] == [rated.pk]
    assert len(api.call("matches.matches_retrieve", rated.pk).legs) == 2
    assert api.call("matches.matches_record", rated.pk, 1).game == game
    assert len(api.call("matches.matches_logs", rated.pk, 1)) == 1
    ask_about_the_rest(api, game)
    assert len(api.called) >= 20


def ask_about_the_rest(api: Api, game: str) -> None:
    assert api.call("ladders.ladders_list").results[0].game == game
    assert api.call("ladders.ladders_retrieve", game, "standard").edition == "standard"
    assert len(api.call("ladders.ladders_standings", game, "standard").results) == 2
    assert api.call("ladders.seasons_list", game, "standard").results[0].edition == "standard"
    assert api.call("queue.queue_retrieve").waiting == 0
    assert api.call("languages.languages_list") == []
    assert api.call("tokens.tokens_list", status=403).error.code == "permission_denied"
    assert api.call("tournaments.tournaments_list").results == []
    assert api.call("challenges.challenges_list").results == []
    kind = api.module("models.game_enum").GameEnum(game)
    body = api.module("models.bot_draft_request").BotDraftRequest("Osprey", kind)
    assert api.call("bots.bots_create", body=body, status=201).slug == "osprey"
    refused = api.call("bots.bots_retrieve", "nobody", status=404)
    assert refused.error.code == "not_found"
