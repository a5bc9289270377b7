"""Challenges and comparisons: what scripts do with versions beside the ladder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.challenges.models import Challenge
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import queue_comparison_matches
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.matches.models import Match
from arena.people.accounts.models import User
from engine.games.battleline.value import value_hash
from tests.arena.api.played import TALKS, Script
from tests.conftest import FIRST_LEGAL, MakeVersion, Play

Messages = Callable[[], list[Path]]
OWN = {"bot": "kingfisher", "version": 1}
OTHER = {"bot": "heron"}


def test_a_challenge_is_a_match_that_waits_before_those_of_ladders(versions: list[BotVersion], queued, ana: User):
    answer = Script(ana).post("/challenges/", {"version": OWN, "opponent": OTHER})
    assert answer.status_code == 201
    match = answer.json()["match"]
    assert (match["kind"], match["state"], match["ladder"]) == ("challenge", "queued", None)
    assert [part["bot"] for part in match["participants"]] == ["kingfisher", "heron"]
    assert Script(ana).read(f"/matches/{match['id']}/")["waiting"]["ahead"] == 0
    assert Script(ana).read("/challenges/")["results"] == [answer.json()]


def test_a_challenge_takes_rule_options_and_a_series(versions: list[BotVersion], queued, ana: User):
    body = {"version": OWN, "opponent": OTHER, "edition": "terrain", "options": {"tactics": 10}, "series": {"games": 3}}
    match = Script(ana).post("/challenges/", body).json()["match"]
    assert (match["edition"], match["changed_options"]) == ("terrain", {"tactics": 10})
    assert match["variant"] == "Medieval with terrain, with the ten tactics"
    assert match["series"] == {"games": 3, "points": None}
    detail = Script(ana).read(f"/matches/{match['id']}/")
    assert detail["options"]["tactics"] == 10 and detail["changed_options"] == {"tactics": 10}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"options": {"tiles": "shuffled", "flags": 5}}, "nine tiles need nine flags"),
        ({"options": []}, "options"),
        ({"series": {}}, "choose one"),
        ({"series": {"games": 99}}, "series"),
    ],
)
def test_rules_that_nobody_can_play_are_refused(versions: list[BotVersion], ana: User, wrong: Any, sentence: str):
    refused = Script(ana).post("/challenges/", {"version": OWN, "opponent": OTHER} | wrong)
    assert refused.status_code == 400 and sentence in refused.content.decode()
    assert not Challenge.objects.exists()


def test_workers_are_woken_for_challenges_and_comparisons(
    newer: BotVersion, ana: User, messages: Messages, django_capture_on_commit_callbacks: Callable[..., Any]
):
    with django_capture_on_commit_callbacks(execute=True):
        Script(ana).post("/challenges/", {"version": OWN, "opponent": OTHER})
    assert len(messages()) == 1
    with django_capture_on_commit_callbacks(execute=True):
        begin(Script(ana))
    assert len(messages()) == 2


def test_only_own_versions_challenge(versions: list[BotVersion], ana: User, ben: User):
    body = {"version": OWN, "opponent": OTHER}
    refused = Script(ben).post("/challenges/", body)
    assert refused.status_code == 403 and refused.json()["error"]["code"] == "not_yours"
    assert Script().post("/challenges/", body).status_code == 401
    assert Script(ana).post("/challenges/", {"version": OWN}).json()["error"]["fields"].keys() == {"opponent"}
    unknown = Script(ana).post("/challenges/", body | {"opponent": {"bot": "heron", "version": 9}})
    assert unknown.status_code == 404 and "version 9" in unknown.json()["error"]["message"]
    itself = Script(ana).post("/challenges/", {"version": OWN, "opponent": OWN})
    assert itself.status_code == 400 and itself.json()["error"]["code"] == "not_challengeable"
    assert not Challenge.objects.exists()


def test_a_token_for_one_bot_challenges_with_that_bot_only(versions: list[BotVersion], ana: User, make_version):
    osprey = make_version(ana, "Osprey")
    body = {"version": OWN, "opponent": OTHER}
    assert Script(ana).post("/challenges/", body).status_code == 201
    scoped = Script(ana, osprey.bot)
    assert scoped.post("/challenges/", body).status_code == 403
    assert scoped.post("/challenges/", body | {"version": {"bot": "osprey"}}).status_code == 201
    assert [one["match"]["participants"][0]["bot"] for one in scoped.read("/challenges/")["results"]] == ["osprey"]
    assert len(Script(ana).read("/challenges/")["results"]) == 2


@pytest.fixture
def newer(versions: list[BotVersion], ana: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ana, "Kingfisher", TALKS + b"# newer")


def begin(who: Script, **terms: object) -> dict:
    answer = who.post("/comparisons/", {"version": {"bot": "kingfisher"}, **terms})
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_a_comparison_is_with_the_version_before_unless_said_otherwise(newer: BotVersion, ana: User):
    told = begin(Script(ana))
    assert (told["version"]["version"], told["baseline"]["version"]) == (2, 1)
    assert (told["mode"], told["elo0"], told["elo1"], told["promote_if_better"]) == ("head_to_head", 0, 20, False)
    assert (told["state"], told["llr"], told["pairs"], told["estimate"]) == ("running", 0, 0, None)
    assert told["llr_bound"] == pytest.approx(2.944439, abs=1e-6) and told["max_pairs"] == 5000
    other = begin(Script(ana), baseline=OTHER, preset="quick", promote_if_better=True)
    assert (other["baseline"]["bot"], other["elo1"], other["promote_if_better"]) == ("heron", 30, True)
    again = Script(ana).post("/comparisons/", {"version": {"bot": "kingfisher"}})
    assert again.status_code == 409


def test_a_comparison_is_played_by_changed_options(newer: BotVersion, ana: User):
    told = Script(ana).post("/comparisons/", {"version": {"bot": "kingfisher"}, "options": {"tactics": 0}}).json()
    assert (told["changed_options"], told["variant"]) == ({"tactics": 0}, "Standard, without tactics")
    assert told["options"]["tactics"] == 0
    comparison = Comparison.objects.get()
    assert {match.changed_options["tactics"] for match in queue_comparison_matches(comparison=comparison)} == {0}
    other = Script(ana).post("/comparisons/", {"version": {"bot": "kingfisher"}})
    assert other.status_code == 201, "by other rules the same two may be compared"


def test_a_comparison_that_takes_luck_off_names_its_value_function(newer: BotVersion, ana: User):
    told = begin(Script(ana), adjust_for_luck=True)
    assert told["luck"]["value_function"]["hash"] == value_hash()
    assert (told["luck"]["llr"], told["luck"]["estimate"], told["luck"]["is_suspended"]) == (0.0, None, False)
    refused = Script(ana).post(
        "/comparisons/", {"version": {"bot": "kingfisher"}, "edition": "long", "adjust_for_luck": True}
    )
    assert refused.status_code == 400 and "no value function" in refused.text


def test_everybody_sees_comparisons_and_finds_them_by_bot_owner_and_state(newer: BotVersion, ana: User):
    told = begin(Script(ana))
    assert Script().read(f"/comparisons/{told['id']}/") == told
    for query in ({}, {"bot": "kingfisher"}, {"owner": "ana"}, {"state": "running"}):
        assert [one["id"] for one in Script().read("/comparisons/", **query)["results"]] == [told["id"]]
    for query in ({"bot": "heron"}, {"owner": "ben"}, {"state": "better"}):
        assert Script().read("/comparisons/", **query)["results"] == []
    assert Script().get("/comparisons/77/").status_code == 404


def test_its_owner_stops_a_comparison_once(newer: BotVersion, ana: User, ben: User, make_version):
    path = f"/comparisons/{begin(Script(ana))['id']}/stop/"
    osprey = make_version(ana, "Osprey").bot
    assert [who.post(path).status_code for who in (Script(), Script(ben), Script(ana, osprey))] == [401, 403, 403]
    assert Script(ana).post(path).json()["state"] == "stopped"
    assert Script(ana).post(path).status_code == 409


def test_what_was_counted_is_told_with_an_estimate(newer: BotVersion, ana: User):
    told = begin(Script(ana))
    Comparison.objects.filter(pk=told["id"]).update(result_counts=[0, 0, 2, 0, 8], pairs=10, llr=1.5)
    told = Script().read(f"/comparisons/{told['id']}/")
    assert told["pentanomial"] == [0, 0, 2, 0, 8] and told["llr"] == 1.5
    assert told["estimate"]["low"] < told["estimate"]["elo"] < told["estimate"]["high"]


def test_a_record_waits_for_the_other_match_with_its_deal(
    newer: BotVersion, ladder: Ladder, ana: User, ben: User, play: Play, make_version: MakeVersion
):
    enter_version(ladder=ladder, version=make_version(ben, "Egret", FIRST_LEGAL))
    told = begin(Script(ana), mode="field")
    assert [one["bot"] for one in told["opponents"]] == ["egret", "heron"]
    first, second = queue_comparison_matches(comparison=Comparison.objects.get(pk=told["id"]))[:2]
    assert first.deal == second.deal
    assert play(first)
    for path in ("record", "logs"):
        assert Script(ana).get(f"/matches/{first.pk}/legs/1/{path}/").status_code == 404
    Match.objects.filter(pk=second.pk).update(state=Match.State.VOID, finished_at=now())
    for path in ("record", "logs"):
        assert Script(ana).get(f"/matches/{first.pk}/legs/1/{path}/").status_code == 200
