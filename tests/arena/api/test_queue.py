from arena.accounts.models import User
from arena.matches.models import Match
from arena.matches.services import claim_match, queue_match
from tests.arena.api.played import Script
from tests.arena.api.played import queue_rated as queue_rated
from tests.arena.api.played import versions as versions


def test_the_queue_tells_how_much_runs_and_waits(queue_rated):
    running, *_ = [queue_rated() for _ in range(3)]
    assert claim_match(match_id=running.pk, worker="mill")
    assert Script().read("/queue/") == {"running": 1, "waiting": 2, "own": []}


def test_authors_see_where_their_own_stand_and_why(queue_rated, ana: User, make_version):
    rated: Match = queue_rated()
    osprey = make_version(ana, "Osprey")
    trial = queue_match(versions=[osprey] * 2, game="battleline", edition="standard", priority=10)
    own = Script(ana).read("/queue/")["own"]
    assert [(one["match"]["id"], one["waiting"]["ahead"]) for one in own] == [(trial.pk, 0), (rated.pk, 1)]
    assert all(one["waiting"]["reason"] for one in own)
    assert [one["match"]["id"] for one in Script(ana, osprey.bot).read("/queue/")["own"]] == [trial.pk]


def test_the_queue_costs_the_same_number_of_queries(queue_rated, ana: User, django_assert_max_num_queries):
    script = Script(ana)
    queue_rated()
    script.read("/queue/")
    with django_assert_max_num_queries(20) as few:
        script.read("/queue/")
    queue_rated()
    with django_assert_max_num_queries(len(few.captured_queries)):
        script.read("/queue/")
