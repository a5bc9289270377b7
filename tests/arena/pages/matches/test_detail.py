import io
import json
import zipfile
import zlib

import pytest
from django.test import Client

from arena.matches.models import LegSeat, Match, WorkerStatus
from arena.matches.services import claim_match, fail_attempt, queue_match
from arena.pages.matches import index as matches
from engine.replay import verify
from tests.conftest import EXITS_AT_ONCE, make_deal_and_salts


@pytest.fixture
def faulty(ana, ben, make_version, play) -> Match:
    """A match whose bot of Ana's gives up at once."""
    versions = [make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")]
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    assert play(match)
    return match


def test_there_is_a_word_for_a_site_without_matches(db):
    assert "No match has been played yet" in Client().get("/matches/").text


def test_filters_that_fit_nothing_can_be_cleared(finished):
    for query in ("?bot=nobody", "?state=void"):
        page = Client().get(f"/matches/{query}").text
        assert "No match fits these filters" in page
        assert "Clear filters" in page


def test_matches_are_filtered_by_bot_and_state(finished, versions):
    def listed(query: str) -> list[Match]:
        return [row.match for row in Client().get(f"/matches/{query}").context["rows"]]

    waiting = queue_match(versions=[versions[0]] * 2, game="battleline", edition="standard")
    assert listed("") == [finished], "those that are over, where nothing else is asked for"
    assert listed("?game=battleline") == [waiting, finished]
    assert listed("?bot=heron") == [finished]
    assert listed("?bot=kingfisher&state=queued") == [waiting]


def test_pages_follow_each_other_by_key(versions, monkeypatch):
    monkeypatch.setattr(matches, "PAGE_SIZE", 2)
    made = [queue_match(versions=versions, game="battleline", edition="standard").pk for _ in range(5)]
    newest_first = made[::-1]
    seen, query = [], "?state=queued"
    while query is not None:
        page = Client().get(f"/matches/{query}").context["page"]
        seen += [match.pk for match in page.rows]
        query = f"?state=queued&before={page.older}" if page.older else None
    assert seen == newest_first
    page = Client().get(f"/matches/?state=queued&after={made[0]}").context["page"]
    assert [match.pk for match in page.rows] == [made[2], made[1]]
    assert page.newer == made[2]


def test_a_key_that_is_none_is_left_out(finished):
    for key in ("x", "-1", "9" * 30, "²"):
        assert Client().get("/matches/", {"before": key}).status_code == 200, key


def test_queries_do_not_grow_with_the_list(versions, django_assert_num_queries):
    for count in (2, 6):
        for _ in range(count):
            queue_match(versions=versions, game="battleline", edition="standard")
        with django_assert_num_queries(3):
            Client().get("/matches/?state=queued")


def test_an_unknown_match_is_not_found(db):
    assert Client().get("/matches/99999/").status_code == 404


@pytest.mark.parametrize("who", ["ana", "eva", None])
def test_a_match_that_is_not_over_shows_no_card(queued, reader, who, request):
    client = reader(request.getfixturevalue(who) if who else None)
    claim_match(match_id=queued.pk, worker="w")
    queued.refresh_from_db()
    page = client.get(f"/matches/{queued.pk}/?turn=3&view=all&leg=1").text
    assert "Running" in page
    for card in queued.deal["troops"]:
        assert f">{card}<" not in page
    assert all(leg.deal_hash in page and leg.salt not in page for leg in queued.legs.all())
    assert client.get(f"/matches/{queued.pk}/legs/1/record.json").status_code == 404


def test_a_waiting_match_says_how_many_are_ahead(queued, versions):
    WorkerStatus.objects.create(worker="mill", level="A", report={"languages": [{"key": "python", "version": "3.11"}]})
    later = queue_match(versions=versions, game="battleline", edition="standard")
    urgent = queue_match(versions=versions, game="battleline", edition="standard", priority=5)
    assert "2 matches are played before it." in Client().get(f"/matches/{later.pk}/").text
    assert "It is the next to be played." in Client().get(f"/matches/{urgent.pk}/").text


def test_a_waiting_match_says_what_hinders_it(queued):
    assert "No worker has reported" in Client().get(f"/matches/{queued.pk}/").text


def test_polling_a_match_ends_with_its_replay(queued, play):
    address = f"/matches/{queued.pk}/"
    polled = Client().get(address, headers={"HX-Request": "true"})
    assert polled.status_code == 200 and "<html" not in polled.text
    again = Client().get(address, headers={"HX-Request": "true", "If-None-Match": polled["ETag"]})
    assert again.status_code == 304
    play(queued)
    assert Client().get(address, headers={"HX-Request": "true"})["HX-Redirect"] == f"{address}?leg=last&turn=last"


def test_a_void_match_says_why_and_is_asked_no_more(queued):
    for _ in range(3):
        fail_attempt(attempt=claim_match(match_id=queued.pk, worker="w"), error="the disk is full")
    page = Client().get(f"/matches/{queued.pk}/")
    assert "the disk is full" in page.text
    assert "data-hx-get" not in page.text
    assert Client().get(f"/matches/{queued.pk}/", headers={"HX-Request": "true"}).status_code == 286
    assert "the disk is full" in Client().get("/matches/").text


def test_both_legs_can_be_watched_from_start_to_end(finished):
    for leg in (1, 2):
        address = f"/matches/{finished.pk}/?leg={leg}"
        start = Client().get(address)
        assert start.context["scene"].number == 0
        assert "The cards are dealt." in start.text
        last = start.context["scene"].last
        end = Client().get(f"{address}&turn={last}")
        assert end.context["ending"] in end.text
        assert '<a class="button square" id="step-next"' not in end.text


def test_steps_are_links_that_keep_leg_and_view(finished):
    page = Client().get(f"/matches/{finished.pk}/?leg=2&turn=4&view=1").text
    assert 'href="?leg=2&amp;view=1&amp;turn=5" data-step="5" id="step-next"' in page
    assert 'href="?leg=2&amp;view=1&amp;turn=3" data-step="3" id="step-previous"' in page
    assert page.count('aria-current="step"') == 1


def test_a_turn_beyond_the_end_shows_the_end_and_says_so(finished):
    page = Client().get(f"/matches/{finished.pk}/?turn=9999")
    assert page.context["scene"].is_over
    assert f"This leg ends at turn {page.context['scene'].last}" in page.text


def test_nonsense_in_the_address_breaks_nothing(finished):
    for query in ("?turn=x", "?leg=7", "?leg=x", "?view=5", "?view=x", "?turn=-3", "?view=²"):
        assert Client().get(f"/matches/{finished.pk}/{query}").status_code == 200, query


def test_the_owner_sees_with_the_eyes_of_the_own_seat(finished, reader, ana, eva):
    def onlooker(user, leg: int) -> int | None:
        return reader(user).get(f"/matches/{finished.pk}/?leg={leg}").context["scene"].onlooker

    assert [onlooker(ana, leg) for leg in (1, 2)] == [0, 1]
    assert onlooker(eva, 1) is None and onlooker(None, 1) is None


def test_a_claim_comes_with_its_proof(finished):
    scene = Client().get(f"/matches/{finished.pk}/").context["scene"]
    number = next(step.number for step in scene.steps if any(e.action.startswith("claim") for e in step.entries))
    page = Client().get(f"/matches/{finished.pk}/?turn={number}").text
    assert "may claim flag" in page and "The claim holds" in page


def test_a_step_by_script_brings_the_inner_part_only(finished):
    headers = {"HX-Request": "true", "HX-Boosted": "true"}
    part = Client().get(f"/matches/{finished.pk}/?turn=2", headers=headers)
    assert part.status_code == 200 and "<html" not in part.text and 'class="says"' in part.text


def test_the_log_of_a_seat_is_its_owners_only(faulty, reader, ana, ben, eva):
    for user, sees in ((ana, True), (ben, False), (eva, False), (None, False)):
        page = reader(user).get(f"/matches/{faulty.pk}/").text
        assert ("I give up" in page) is sees


def test_what_a_bot_wrote_is_shown_as_text_with_nothing_hidden(faulty, reader, ana):
    seat = LegSeat.objects.get(leg__match=faulty, leg__number=1, participant__index=0)
    seat.stderr = "<script>\x1b[8mhidden \u202e"
    seat.fault |= {"sent": "\x9b<b>", "message": "it said '\u200b'"}
    seat.save()
    page = reader(ana).get(f"/matches/{faulty.pk}/").text
    for shown in (r"&lt;script&gt;\x1b[8mhidden \u202e", r"\x9b&lt;b&gt;", r"It said &#x27;\u200b&#x27;"):
        assert shown in page


def test_a_move_tells_its_time_and_how_late_we_were(finished):
    leg = finished.legs.get(number=1)
    record = leg.record_data
    asked = [entry for entry in record["actions"] if "ms" in entry]
    for entry in asked:
        entry.pop("late_ms", None)
    entry = asked[0]
    entry |= {"ms": 900, "cpu_ms": 200, "late_ms": 600}
    leg.record = zlib.compress(json.dumps(record).encode())
    leg.save()
    page = Client().get(f"/matches/{finished.pk}/").text
    assert "of processor time within" in page and "ms of it our delay" in page
    assert page.count('<span class="late">our delay</span>') == 1


def test_a_leg_that_ended_by_a_fault_says_so(faulty):
    page = Client().get(f"/matches/{faulty.pk}/?turn=9999").text
    assert "South did not get ready to play" in page
    assert "did not start" in Client().get("/matches/").text


def test_the_record_of_a_leg_can_be_taken_home(finished):
    for number in (1, 2):
        answer = Client().get(f"/matches/{finished.pk}/legs/{number}/record.json")
        verify(json.loads(answer.content))
        assert f"pennant-{finished.pk}-{number}.json" in answer["Content-Disposition"]
    assert Client().get(f"/matches/{finished.pk}/legs/3/record.json").status_code == 404


def test_a_fault_is_a_turn_that_can_be_linked_to(faulty):
    page = Client().get(f"/matches/{faulty.pk}/?leg=1&turn=fault-0")
    assert [entry.action for entry in page.context["scene"].step.entries] == ["forfeit"]
    assert page.context["was_out_of_range"] is False
    assert Client().get(f"/matches/{faulty.pk}/?turn=fault-1").context["scene"].is_over


def test_the_owner_reads_what_the_bot_was_told_and_why_its_claim_was_refused(finished, reader, ana, record_of):
    leg = finished.legs.get(number=1)
    record = record_of(1)
    number = next(n for n, entry in enumerate(record["actions"]) if entry["action"].startswith("claim"))
    refused = {"seat": 0, "action": "forfeit", "verdict": "illegal"}
    at = next(n for n in range(number) if record["actions"][n]["seat"] == 0 and "ms" in record["actions"][n])
    result = {"places": [2, 1], "scores": [0, 1], "reason": "illegal", "verdicts": ["illegal", "ok"]}
    record = record | {"actions": [*record["actions"][:at], refused], "result": result}
    leg.record = zlib.compress(json.dumps(record).encode())
    leg.save()
    fault = {
        "message": "flag 1 can't be claimed",
        "sent": '{"action": "claim 1"}',
        "request": {"type": "turn", "n": at},
    }
    leg.seats.filter(seat=0).update(verdict="illegal", fault=fault)
    page = reader(ana).get(f"/matches/{finished.pk}/?turn=fault-0&view=all")
    assert "claim 1" in page.text and "&quot;turn&quot;" in page.text
    assert page.context["reports"][0].proof is not None
    assert not reader(None).get(f"/matches/{finished.pk}/").context["reports"]


def test_a_lost_record_is_told_and_the_result_stands(finished):
    finished.legs.filter(number=1).update(record=None)
    page = Client().get(f"/matches/{finished.pk}/")
    assert page.status_code == 200 and "was lost in a fault" in page.text and "result of the match stands" in page.text
    assert 'href="?leg=2"' in page.text
    assert Client().get(f"/matches/{finished.pk}/?leg=2").context["scene"].last
    assert Client().get(f"/matches/{finished.pk}/text/").status_code == 200
    assert Client().get(f"/matches/{finished.pk}/turn/1.svg").status_code == 404


def test_all_records_come_in_one_file(finished):
    answer = Client().get(f"/matches/{finished.pk}/records.zip")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.namelist() == [f"pennant-{finished.pk}-{number}.json" for number in (1, 2)]
    for name in archive.namelist():
        verify(json.loads(archive.read(name)))
    finished.legs.update(record=None)
    assert Client().get(f"/matches/{finished.pk}/records.zip").status_code == 404


def test_a_match_is_told_in_words_with_links_into_its_replay(finished):
    page = Client().get(f"/matches/{finished.pk}/text/").text
    for leg in finished.legs.all():
        scene = Client().get(f"/matches/{finished.pk}/?leg={leg.number}").context["scene"]
        assert f'id="leg-{leg.number}"' in page
        for number in (1, scene.last):
            assert f'href="/matches/{finished.pk}/?leg={leg.number}&amp;turn={number}"' in page
        assert page.count(f"?leg={leg.number}&amp;turn=") == scene.last
    assert "wins" in page


def test_a_match_can_be_taken_home_as_plain_text(finished):
    answer = Client().get(f"/matches/{finished.pk}/text/?format=txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert f"pennant-{finished.pk}.txt" in answer["Content-Disposition"]
    text = answer.content.decode()
    assert text.startswith("Kingfisher 1 v Heron 1") and "Leg 2" in text and "South: Heron 1" in text
    assert "<s" not in text and "&" not in text


def test_queries_of_a_match_in_words_do_not_grow_with_its_legs(finished, django_assert_num_queries):
    for _ in range(2):
        with django_assert_num_queries(5):
            Client().get(f"/matches/{finished.pk}/text/")


def test_a_link_to_a_turn_shows_a_preview_of_it(finished):
    preview = Client().get(f"/matches/{finished.pk}/?turn=4&view=1").context["preview"]
    assert preview.image == f"http://testserver/matches/{finished.pk}/turn/4.png?leg=1&view=1"
    assert preview.title == f"Kingfisher 1 v Heron 1, match {finished.pk}"


def test_the_find_presentation_a_turn_shows_what_the_eyes_may_see(finished):
    address = f"/matches/{finished.pk}/turn/4.svg"
    answer = Client().get(address)
    assert answer["Content-Type"] == "image/svg+xml" and "Kingfisher 1" in answer.content.decode()
    assert Client().get(f"{address}?leg=2&view=1").content != answer.content
    last = Client().get(f"/matches/{finished.pk}/").context["scene"].last
    assert Client().get(f"/matches/{finished.pk}/turn/{last}.svg").status_code == 200
    for wrong in (f"turn/{last + 1}.svg", "turn/4.svg?leg=3"):
        assert Client().get(f"/matches/{finished.pk}/{wrong}").status_code == 404


def test_a_replay_asks_as_much_at_its_end_as_at_its_start(finished, django_assert_num_queries):
    for turn in (0, 5, 9999):
        with django_assert_num_queries(12):
            Client().get(f"/matches/{finished.pk}/?turn={turn}")
