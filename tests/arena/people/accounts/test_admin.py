import pytest
from django.test import Client

from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.people.accounts.models import User
from tests.conftest import MakeVersion


@pytest.fixture
def looked_at(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion) -> int:
    for owner in (ana, ben):
        enter_version(ladder=ladder, version=make_version(owner, f"{owner.username}'s"))
    return queue_ladder_matches(ladder=ladder)[0].pk


def test_an_admin_sees_a_match_and_not_its_deal(admin_client: Client, looked_at: int) -> None:
    answer = admin_client.get(f"/admin/matches/match/{looked_at}/change/")
    assert answer.status_code == 200 and b"troops" not in answer.content
    assert admin_client.post(f"/admin/matches/match/{looked_at}/change/", {}).status_code == 403
