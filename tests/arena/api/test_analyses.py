"""Analyses by the API."""

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.matches.models import Leg, Match
from tests.arena.analysis.finished import finish_match, make_analysis
from tests.conftest import MakeVersion


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
    analysis = make_analysis()
    assert analysis is not None
    done = Client().get(path).json()
    assert (done["state"], done["progress"], done["result"]) == ("done", 1.0, analysis.result_data)
    assert client.post(path).status_code == 200


@pytest.mark.parametrize("state", [Match.State.QUEUED, Match.State.RUNNING, Match.State.VOID])
def test_a_match_that_is_not_finished_has_none(client: Client, ben: User, leg: Leg, state: Match.State) -> None:
    client.force_login(ben)
    Match.objects.update(state=state)
    path = f"/api/v1/matches/{leg.match_id}/legs/1/analysis/"
    assert client.get(path).status_code == client.post(path).status_code == 404
    assert client.get(f"/api/v1/matches/{leg.match_id}/").json()["legs"][0]["analysis"] is None


def test_the_quota_says_when_to_try_again(client: Client, ben: User, leg: Leg, settings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 0
    client.force_login(ben)
    refused = client.post(f"/api/v1/matches/{leg.match_id}/legs/1/analysis/")
    assert refused.status_code == 429 and refused.json()["error"]["code"] == "quota_spent"


def test_rules_without_a_value_function_are_refused(client: Client, ben: User, leg: Leg) -> None:
    Match.objects.update(edition="terrain")
    client.force_login(ben)
    refused = client.post(f"/api/v1/matches/{leg.match_id}/legs/1/analysis/")
    assert refused.status_code == 409 and refused.json()["error"]["code"] == "not_analysable"
