from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.ladders.services.entering import enter_version
from arena.matches.models import LegSeat, Match
from arena.matches.services import claim_match, queue_match
from arena.people.accounts.models import User
from engine.replay import record_hash, verify
from tests.arena.api.played import Script
from tests.arena.contests.ladders.conftest import store_match


def test_a_waiting_match_tells_who_plays_and_the_hash_of_its_deal(queued: Match):
    told = Script().read(f"/matches/{queued.pk}/")
    assert (told["state"], told["kind"], told["game"], told["edition"]) == (
        "queued",
        "ladder",
        "battleline",
        "standard",
    )
    assert [(part["bot"], part["authors"], part["points"], part["rating"]) for part in told["participants"]] == [
        ("kingfisher", ["ana"], None, None),
        ("heron", ["ben"], None, None),
    ]
    assert [leg["deal_hash"] for leg in told["legs"]] == [leg.deal_hash for leg in queued.legs.all()]
    shown = ("seating", "reason", "seats", "record", "record_hash")
    assert [tuple(leg[name] for name in shown) for leg in told["legs"]] == [
        ([0, 1], None, [], None, None),
        ([1, 0], None, [], None, None),
    ]
    assert told["waiting"]["ahead"] == 0 and told["waiting"]["reason"]
    assert "deal" not in told and "salt" not in told["legs"][0]


def test_a_finished_match_tells_points_rating_and_where_its_records_are(rated: Match):
    told = Script().read(f"/matches/{rated.pk}/")
    assert told["state"] == "finished" and told["waiting"] is None
    assert told["html_url"] == f"http://testserver/matches/{rated.pk}/"
    assert sum(part["points"] for part in told["participants"]) == 1
    assert all(part["rating"]["before"] == 1500 for part in told["participants"])
    assert told["ladder"] == {
        "game": "battleline",
        "edition": "standard",
        "clock": "",
        "season": 1,
        "group": None,
        "number": 1,
        "sequence": 1,
        "is_cancelled": False,
    }
    for leg in told["legs"]:
        assert {seat["verdict"] for seat in leg["seats"]} == {"ok"} and leg["decisions"]
        record = Script().client.get(leg["record"]).json()
        assert record["deal_hash"] == leg["deal_hash"]
        assert leg["record_hash"] == record_hash(record)
        verify(record)


def test_what_is_stored_of_a_match_that_is_not_over_is_not_told(rated: Match, ana: User):
    Match.objects.filter(pk=rated.pk).update(state=Match.State.RUNNING, finished_at=None)
    told = Script(ana).read(f"/matches/{rated.pk}/")
    assert [part["points"] for part in told["participants"]] == [None, None]
    assert [(leg["seats"], leg["decisions"], leg["reason"], leg["record"]) for leg in told["legs"]] == 2 * [
        ([], None, None, None)
    ]
    for what in ("record", "logs"):
        assert Script(ana).get(f"/matches/{rated.pk}/legs/1/{what}/").status_code == 404


def test_matches_are_listed_newest_first_and_by_state_game_and_bot(rated: Match, queued: Match, versions, ana: User):
    alone = queue_match(versions=[versions[0]] * 2, game="battleline", edition="short")
    assert claim_match(match_id=alone.pk, worker="here")

    def listed(**query: str) -> list[int]:
        return [match["id"] for match in Script().read("/matches/", **query)["results"]]

    assert listed() == [alone.pk, queued.pk, rated.pk]
    assert listed(state="queued") == [queued.pk]
    assert listed(edition="short", game="battleline") == [alone.pk]
    assert listed(bot="heron") == [queued.pk, rated.pk]
    assert listed(game="chess") == []
    assert Script().get("/matches/", bot="nobody").status_code == 404
    assert Script().get("/matches/", state="lost").json()["error"]["fields"].keys() == {"state"}


def test_pages_of_matches_follow_each_other(queue_rated):
    made = [queue_rated().pk for _ in range(5)]
    first = Script().read("/matches/", limit=2)
    second = Script().client.get(first["next"]).json()
    assert [match["id"] for page in (first, second) for match in page["results"]] == made[:0:-1]
    assert Script().client.get(second["previous"]).json()["results"] == first["results"]


def test_what_was_known_is_not_sent_again(rated: Match):
    for path in (f"/matches/{rated.pk}/", f"/matches/{rated.pk}/legs/1/record/", "/matches/"):
        script = Script()
        script.headers["If-None-Match"] = script.get(path)["ETag"]
        again = script.get(path)
        assert again.status_code == 304 and not again.content


def test_a_record_may_be_kept_for_ever(rated: Match):
    response = Script().get(f"/matches/{rated.pk}/legs/2/record/")
    assert "immutable" in response["Cache-Control"] and response["Content-Type"] == "application/json"
    for address in (f"{rated.pk}/legs/3", f"{2**63}/legs/1"):
        assert Script().get(f"/matches/{address}/record/").status_code == 404


def test_a_lost_record_is_not_there(rated: Match):
    rated.legs.update(record=None)
    assert Script().get(f"/matches/{rated.pk}/legs/1/record/").json()["error"]["code"] == "not_found"


def test_owners_read_the_logs_of_their_own_bots_only(rated: Match, ana: User, ben: User, versions: list[BotVersion]):
    LegSeat.objects.filter(leg__match=rated).update(fault={"message": "It was late."})
    path = f"/matches/{rated.pk}/legs/2/logs/"
    assert Script(ana).read(path) == [
        {
            "seat": 1,
            "participant": 0,
            "bot": "kingfisher",
            "version": 1,
            "verdict": "ok",
            "fault": {"message": "It was late."},
            "stderr": "the diary of this bot\n",
        }
    ]
    assert [log["bot"] for log in Script(ben, versions[1].bot).read(path)] == ["heron"]
    assert Script().get(path).status_code == 401


def test_a_void_match_says_why(queued: Match):
    Match.objects.filter(pk=queued.pk).update(state="void", void_reason="No worker came.", finished_at=now())
    told = Script().read(f"/matches/{queued.pk}/")
    assert (told["state"], told["state_reason"], told["waiting"]) == ("void", "No worker came.", None)


def test_matches_are_filtered_as_on_the_page(ladder, ana, ben, make_version, client):
    one, other = (
        enter_version(ladder=ladder, version=make_version(owner, name))
        for owner, name in ((ana, "One"), (ben, "Other"))
    )
    won = store_match(ladder, [one, other], [[1, 2], [1, 2]]).match_id
    lost = store_match(ladder, [one, other], [[2, 1], [2, 1]], [(0, 0)]).match_id
    for query, found in (
        ("bot=one", [lost, won]),
        ("bot=one&result=won", [won]),
        ("bot=other&opponent=one&result=won", [lost]),
        ("fault=any", [lost]),
        ("bot=other&fault=any", []),
        ("rated=no", []),
        ("game=chess", []),
    ):
        answer = client.get(f"/api/v1/matches/?{query}").json()
        assert [row["id"] for row in answer["results"]] == found, query
    first = client.get("/api/v1/matches/?bot=one&limit=1").json()
    second = client.get(first["next"]).json()
    assert [row["id"] for row in first["results"] + second["results"]] == [lost, won] and second["next"] is None
    back = client.get(second["previous"]).json()
    assert [row["id"] for row in back["results"]] == [lost] and back["previous"] is None
    refused = client.get("/api/v1/matches/?result=won")
    assert refused.status_code == 400 and refused.json()["error"]["fields"] == {"result": ["Specify the bot, too."]}
    assert client.get("/api/v1/matches/?bot=one&opponent=nobody").status_code == 404
