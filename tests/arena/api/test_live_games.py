"""Live games by the API: what a client of a person does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client, override_settings

from arena.bots.models import BotVersion
from arena.matches.livegames.models import LiveGame
from arena.matches.models import Leg, LegSeat, Match, WorkerStatus
from arena.people.accounts.models import User
from tests.arena.api.played import Script
from tests.arena.contests.analysis.finished import finish_match, make_analysis, make_coarse_pass
from tests.arena.live_hints import make_waiting_hint
from tests.arena.matches.livegames.conftest import AnswerAll
from tests.arena.matches.livegames.conftest import answer_all as answer_all
from tests.conftest import MakeVersion

Messages = Callable[[], list[Path]]


@pytest.fixture
def game(ana: User, house: User, make_version: MakeVersion) -> dict:
    make_version(house, "Heron")
    made = Script(ana).post("/live-games/", {"game": "battleline", "edition": "short", "seats": ["me", "heron"]})
    assert made.status_code == 201
    return made.json()


def test_a_client_plays_a_whole_game(game: dict, ana: User, answer_all: AnswerAll, messages: Messages) -> None:
    address, script = f"/live-games/{game['slug']}/", Script(ana)
    assert (game["seat"], game["at"], game["state"]) == (0, 0, "playing") and game["legal"]
    statuses = set()
    while game["state"] == "playing":
        sent = {"action": game["legal"][0], "at": game["at"]}
        answer = script.post(f"{address}actions/", sent)
        statuses.add(answer.status_code)
        answer_all(LiveGame.objects.get(slug=game["slug"]))
        game = script.read(address)
    assert statuses <= {200, 202} and game["seats"][0]["place"] in (1, 2)
    record = script.read(f"{address}record/")
    assert record["seats"][0] == {"name": "ana", "kind": "person"}
    again = script.post(f"{address}swap/", {})
    assert again.status_code == 201 and again.json()["seat"] == 1
    assert {one["slug"] for one in script.read("/live-games/")["results"]} == {game["slug"], again.json()["slug"]}


def test_a_step_is_taken_back_and_a_game_resigned(game: dict, ana: User) -> None:
    address, script = f"/live-games/{game['slug']}/", Script(ana)
    stepped = script.post(f"{address}actions/", {"action": game["legal"][0], "at": 0}).json()
    assert stepped["draft"] == [game["legal"][0]] and stepped["at"] == 1
    assert script.post(f"{address}undo/", {"at": 1}).json()["legal"] == game["legal"]
    assert script.post(f"{address}resign/", {}).json()["reason"] == "resigned"
    late = script.post(f"{address}actions/", {"action": game["legal"][0], "at": 0})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "game_over")


def test_a_rematch_has_a_new_deal_and_the_other_seat(game: dict, ana: User, ben: User) -> None:
    address, script = f"/live-games/{game['slug']}/", Script(ana)
    early = script.post(f"{address}rematch/", {})
    assert (early.status_code, early.json()["error"]["code"]) == (400, "cannot_start")
    script.post(f"{address}resign/", {})
    assert Script(ben).post(f"{address}rematch/", {}).status_code == 400
    assert Script().post(f"{address}rematch/", {}).status_code == 401
    again = script.post(f"{address}rematch/", {})
    assert again.status_code == 201 and (again.json()["seat"], again.json()["edition"]) == (1, "short")
    first, second = (LiveGame.objects.get(slug=one["slug"]) for one in (game, again.json()))
    assert second.previous == first and second.deal != first.deal
    assert script.post(f"{address}rematch/", {}).json()["slug"] == second.slug


def test_errors_have_a_code_and_a_sentence(game: dict, ana: User, ben: User) -> None:
    address = f"/live-games/{game['slug']}/actions/"
    illegal = Script(ana).post(address, {"action": "claim 3", "at": 0})
    assert (illegal.status_code, illegal.json()["error"]["code"]) == (422, "forbidden_action")
    assert "BL-" in illegal.json()["error"]["message"]
    stale = Script(ana).post(address, {"action": game["legal"][0], "at": 7})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_table")
    theirs = Script(ben).post(address, {"action": game["legal"][0], "at": 0})
    assert (theirs.status_code, theirs.json()["error"]["code"]) == (403, "not_seated")
    assert Script(ben).get("/live-games/nowhere/").status_code == 404


def test_a_token_for_one_bot_looks_on(game: dict, ana: User, make_version: MakeVersion) -> None:
    script = Script(ana, bot=make_version(ana, "Kingfisher").bot)
    address = f"/live-games/{game['slug']}/"
    seen = script.read(address)
    assert (seen["seat"], seen["view"], seen["legal"]) == (None, None, [])
    for refused in (
        script.get("/live-games/"),
        script.post(f"{address}actions/", {"action": game["legal"][0], "at": 0}),
        script.post(f"{address}resign/", {}),
    ):
        assert refused.status_code == 403


def test_a_link_seats_one_person_once(ana: User, ben: User) -> None:
    made = Script(ana).post("/live-games/", {"game": "battleline", "seats": ["link", "me"]}).json()
    (link,) = made["links"]
    path = "/live-games" + link.partition("/play")[2]
    assert Script(ana).post(path, {}).status_code == 409
    joined = Script(ben).post(path, {})
    assert joined.status_code == 200 and joined.json()["seat"] == 0 and joined.json()["legal"]
    assert Script(ana).post(path, {}).status_code == 404


def test_bots_that_are_not_offered_cannot_be_played(ana: User, ben: User, make_version: MakeVersion) -> None:
    version: BotVersion = make_version(ben, "Secret")
    body = {"game": "battleline", "seats": ["me", "secret"]}
    refused = Script(ana).post("/live-games/", body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "cannot_start")
    assert Script(ben).post("/live-games/", body).status_code == 201
    version.bot.played_by = "everybody"
    version.bot.save()
    assert Script(ana).post("/live-games/", body).status_code == 201


def test_a_client_asks_for_a_hint(ana: User, ben: User, house: User, make_version: MakeVersion) -> None:
    make_version(house, "Heron")
    asked = {"game": "battleline", "edition": "short", "seats": ["me", "heron"]}
    without = Script(ana).post("/live-games/", asked).json()
    refused = Script(ana).post(f"/live-games/{without['slug']}/hint/", {"at": 0})
    assert (without["has_hints"], refused.status_code, refused.json()["error"]["code"]) == (False, 403, "no_hint")
    game = Script(ana).post("/live-games/", {**asked, "has_hints": True}).json()
    address = f"/live-games/{game['slug']}/hint/"
    assert game["has_hints"] and Script(ana).get(address).status_code == 404
    waiting = Script(ana).post(address, {"at": game["at"]})
    assert waiting.status_code == 202
    assert waiting.json() == {"at": 0, "state": "waiting", "choices": []}
    assert make_waiting_hint()
    done = Script(ana).read(address)
    assert done["state"] == "done" and done["choices"][0]["action"] in game["legal"]
    assert done["choices"][0]["chance"] >= done["choices"][1]["chance"]
    assert Script(ana).post(address, {"at": game["at"]}).status_code == 200
    assert Script(ben).get(address).status_code == 403
    assert Script(ben).post(address, {"at": 0}).json()["error"]["code"] == "not_seated"
    link = Script(ana).post("/live-games/", {**asked, "seats": ["me", "link"], "has_hints": True})
    assert link.json()["error"]["code"] == "cannot_start"


# Analyses by the API.


@pytest.fixture
def leg(ana: User, ben: User, make_version: MakeVersion) -> Leg:
    return finish_match([make_version(ana, "Kingfisher"), make_version(ben, "Heron")]).legs.get(number=1)


def test_an_analysis_is_requested_followed_and_read(client: Client, ben: User, leg: Leg) -> None:
    path = f"/api/v1/matches/{leg.match_id}/legs/1/analysis/"
    assert client.get(f"/api/v1/matches/{leg.match_id}/").json()["legs"][0]["analysis"].endswith(path)
    missing = client.get(path)
    assert missing.status_code == 404 and "POST" in missing.json()["error"]["message"]
    assert client.post(path).status_code in (401, 403)
    client.force_login(ben)
    requested = client.post(path)
    assert requested.status_code == 202
    assert (requested.json()["state"], requested.json()["result"], requested.json()["ahead"]) == ("waiting", None, 0)
    assert (requested.json()["pass"], requested.json()["coarse_result"]) == ("coarse", None)
    assert requested.json()["expected_seconds"] is None  # no worker reports
    coarse = make_coarse_pass()
    assert coarse is not None
    WorkerStatus.objects.create(worker="mill", level="A")
    followed = client.get(path).json()
    assert (followed["state"], followed["pass"], followed["result"]) == ("running", "full", None)
    assert followed["coarse_result"] == coarse.coarse_data and followed["coarse_result"]["pass"] == "coarse"
    assert followed["expected_seconds"] > 0
    analysis = make_analysis()
    assert analysis is not None
    done = Client().get(path).json()
    assert (done["pass"], done["coarse_result"], done["expected_seconds"]) == ("full", None, None)
    assert "pass" not in done["result"]
    assert (done["state"], done["progress"], done["result"]) == ("done", 1.0, analysis.result_data)
    assert client.post(path).status_code == 200


@override_settings(MAX_ANALYSES_PER_DAY=3)
def test_the_last_losses_are_analysed_by_one_request(client: Client, ana: User, ben: User, leg: Leg) -> None:
    versions = [one.version for one in leg.match.participants.select_related("version").order_by("index")]
    for number in range(1, 4):
        finish_match(versions, seed=f"deal {number}")
    path = "/api/v1/bots/kingfisher/analyses/"
    client.force_login(ben)
    assert client.post(path, {"losses": 2}, content_type="application/json").status_code == 403
    client.force_login(ana)
    told = client.post(path, {"losses": 2}, content_type="application/json")
    assert told.status_code == 202, told.content
    lost = [
        (seat.leg.match_id, seat.leg.number)
        for seat in LegSeat.objects.filter(participant__version__bot__slug="kingfisher", place__gt=1).select_related(
            "leg"
        )
    ]
    newest = sorted(lost, reverse=True)
    assert [(one["match"], one["leg"]) for one in told.json()] == newest[:2]
    assert client.get(told.json()[0]["url"]).json()["state"] == "waiting"
    assert len(client.post(path, {}, content_type="application/json").json()) == min(
        3, len(newest)
    )  # what the day's quota allows
    page = client.post("/bots/kingfisher/mistakes/", follow=True)
    assert "being analysed" in page.content.decode()


@pytest.mark.parametrize("state", [Match.State.QUEUED, Match.State.RUNNING, Match.State.VOID])
def test_a_match_that_is_not_finished_has_none(client: Client, ben: User, leg: Leg, state: Match.State) -> None:
    client.force_login(ben)
    Match.objects.update(state=state)
    path = f"/api/v1/matches/{leg.match_id}/legs/1/analysis/"
    assert client.get(path).status_code == client.post(path).status_code == 404
    assert client.get(f"/api/v1/matches/{leg.match_id}/").json()["legs"][0]["analysis"] is None
