"""Puzzles through the API: nobody gets a solution before answering."""

import json

import pytest
from django.test import Client

from arena.bots.teams import issue_token
from arena.contests.puzzles.models import Answer, Puzzle
from arena.contests.puzzles.queries import today
from arena.people.accounts.models import User
from engine.games.battleline.plain_proof import prove
from tests.arena.contests.puzzles.made import DAY, make_puzzles

pytestmark = pytest.mark.django_db
CLAIM = f"/api/v1/puzzles/claim/{DAY}/"


@pytest.fixture
def puzzles() -> tuple[Puzzle, Puzzle]:
    return make_puzzles()


def sign_in(user: User) -> Client:
    return Client(headers={"Authorization": f"Bearer {issue_token(owner=user, name='CI')[1]}"})


def test_a_puzzle_is_for_everybody_and_its_solution_is_not(puzzles, client):
    told = client.get(CLAIM).json()
    claim = puzzles[0]
    assert (told["kind"], told["number"], told["day"]) == ("claim", 1, DAY.isoformat())
    assert told["question"] == claim.question and told["html_url"].endswith(f"/puzzles/{DAY}/")
    assert told["solution"] is told["match"] is told["leg"] is told["turn"] is told["given"] is None
    proof = prove(told["options"], told["view"], told["seat"], told["question"]["flag"])
    assert proof.holds == claim.solution["claim"]


def test_the_first_answer_brings_the_solution(puzzles, ana):
    claim, client = puzzles[0], sign_in(ana)
    told = client.post(f"{CLAIM}answer/", claim.solution | {"seconds": 38.2}, "application/json").json()
    assert told["solution"] == claim.solution and told["turn"] == claim.turn
    given = told["given"]
    assert (given["is_right"], given["answer"], given["seconds"], given["tries"]) == (True, claim.solution, 38, 1)
    assert (told["first_tries"], told["first_right"]) == (1, 1)
    again = client.post(f"{CLAIM}answer/", {"claim": not claim.solution["claim"], "card": "R1"}, "application/json")
    assert again.status_code in (200, 400)
    assert client.get(CLAIM).json()["given"]["is_right"]
    (row,) = client.get("/api/v1/puzzles/?kind=claim").json()["results"]
    assert row["given"]["is_right"] and "solution" not in row


def test_guests_and_tokens_for_one_bot_cannot_answer(puzzles, client, ana, make_version):
    assert client.post(f"{CLAIM}answer/", {"claim": True}, "application/json").status_code == 401
    bot = make_version(ana, "Kingfisher").bot
    token = issue_token(owner=ana, name="CI", bot=bot)[1]
    answer = Client(headers={"Authorization": f"Bearer {token}"}).post(
        f"{CLAIM}answer/", {"claim": True}, "application/json"
    )
    assert answer.status_code == 403 and not Answer.objects.exists()


@pytest.mark.parametrize("answer", [{}, {"claim": False}, {"claim": False, "card": "joker"}, {"action": "play R1 1"}])
def test_what_is_no_answer_is_refused(puzzles, ana, answer):
    refused = sign_in(ana).post(f"{CLAIM}answer/", answer, "application/json")
    assert refused.status_code == 400 and refused.json()["error"]["fields"]
    assert not Answer.objects.exists()


def test_a_best_choice_is_answered_by_an_action(puzzles, ana):
    best = puzzles[1]
    path = f"/api/v1/puzzles/best/{DAY}/answer/"
    told = sign_in(ana).post(path, {"action": best.solution["best"]}, "application/json").json()
    assert told["given"]["is_right"] and told["solution"]["error"] == best.solution["error"]


def test_days_without_a_puzzle_are_not_found(client, puzzles):
    for path in ("claim/today/", "claim/2999-01-01/", "claim/soon/", "chess/today/"):
        answer = client.get(f"/api/v1/puzzles/{path}")
        assert answer.status_code == 404 and answer.json()["error"]["message"]
    Puzzle.objects.filter(day=DAY).update(day=today())
    assert client.get("/api/v1/puzzles/best/today/").json()["kind"] == "best"


def test_solvers_see_their_rating_and_streak(puzzles, ana):
    client = sign_in(ana)
    told = client.get("/api/v1/puzzles/solver/").json()
    assert (told["rating"], told["answered"], told["streak"]) == (1500.0, 0, 0)
    assert [day["state"] for day in told["week"]] == ["missed"] * 6 + ["today"]
    Puzzle.objects.filter(kind="claim", day=DAY).update(day=today())
    client.post("/api/v1/puzzles/claim/today/answer/", json.dumps(puzzles[0].solution), "application/json")
    told = client.get("/api/v1/puzzles/solver/").json()
    assert told["rating"] > 1500 and (told["answered"], told["right"], told["streak"]) == (1, 1, 1)
    assert told["week"][-1] == {"day": today().isoformat(), "state": "solved"}
