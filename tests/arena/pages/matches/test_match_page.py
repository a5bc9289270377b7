import hashlib
import io
import json
import zipfile
import zlib
from copy import deepcopy
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from arena.matches.models import Attempt, LegSeat, Match, WorkerStatus
from arena.matches.services import claim_match, fail_attempt, queue_match
from arena.pages.matches import match_page, results
from arena.pages.matches.frames import build_frames
from arena.pages.matches.match_page import find_turn_to_show
from arena.pages.matches.replay import list_exchanges, play_back, seat_guests
from arena.people.accounts.models import User
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
    assert "No matches yet." in Client().get("/matches/").text


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
    monkeypatch.setattr(results, "MATCHES_PER_PAGE", 2)
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
    assert all(leg.deal_hash in page and f">{leg.salt}<" not in page for leg in queued.legs.all())
    assert client.get(f"/matches/{queued.pk}/legs/1/record.json").status_code == 404


def test_a_waiting_match_says_how_many_are_ahead(queued, versions):
    WorkerStatus.objects.create(worker="mill", level="A", report={"languages": [{"key": "python", "version": "3.11"}]})
    later = queue_match(versions=versions, game="battleline", edition="standard")
    urgent = queue_match(versions=versions, game="battleline", edition="standard", priority=5)
    assert "2 matches ahead of it." in Client().get(f"/matches/{later.pk}/").text
    assert "Next in the queue." in Client().get(f"/matches/{urgent.pk}/").text


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
    for _ in range(4):
        fail_attempt(attempt=claim_match(match_id=queued.pk, worker="w"), error="the disk is full")
        Attempt.objects.filter(number=1).update(ended_at=now() - timedelta(hours=2))
    page = Client().get(f"/matches/{queued.pk}/")
    assert "kept failing for an hour" in page.text and "the disk is full" not in page.text
    assert "data-hx-get" not in page.text
    assert Client().get(f"/matches/{queued.pk}/", headers={"HX-Request": "true"}).status_code == 286
    assert "kept failing for an hour" in Client().get("/matches/").text


def test_a_failed_match_says_when_it_is_tried_again_and_staff_reads_why(queued, reader, ana):
    fail_attempt(attempt=claim_match(match_id=queued.pk, worker="w"), error="the disk is full")
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    public, staff = (client.get(f"/matches/{queued.pk}/").text for client in (Client(), reader(ana)))
    for page in (public, staff):
        assert "Not played yet: the server is busy. Next try at" in page
    assert "the disk is full" in staff and "the disk is full" not in public


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
    assert "can claim flag" in page and "The claim holds" in page


def test_a_step_by_script_brings_the_inner_part_only(finished):
    headers = {"HX-Request": "true", "HX-Boosted": "true"}
    part = Client().get(f"/matches/{finished.pk}/?turn=2", headers=headers)
    assert part.status_code == 200 and "<html" not in part.text and 'class="says"' in part.text


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
    assert "of CPU time in" in page and "ms of server delay" in page
    assert page.count('<span class="late">+ server delay</span>') == 1


def test_a_leg_that_ended_by_a_fault_says_so(faulty):
    page = Client().get(f"/matches/{faulty.pk}/?turn=9999").text
    assert "South didn't get ready to play" in unescape(page)
    assert "didn&#x27;t start" in Client().get("/matches/").text


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
    assert (
        page.status_code == 200
        and "was lost in an arena failure" in page.text
        and "The match result stands" in page.text
    )
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


def test_a_link_to_a_turn_shows_a_preview_of_it(finished):
    preview = Client().get(f"/matches/{finished.pk}/?turn=4&view=1").context["preview"]
    assert preview.image == f"http://testserver/matches/{finished.pk}/turn/4.png?leg=1&view=1&result=on"
    assert preview.image_path == f"/matches/{finished.pk}/turn/4.png?leg=1&view=1"
    assert preview.title == f"Kingfisher 1 v Heron 1, match {finished.pk}"
    assert "Turn 4: " in preview.description


def test_a_link_to_a_match_shows_its_decisive_turn_and_how_it_ended(finished):
    page = Client().get(f"/matches/{finished.pk}/?leg=2")
    preview, leg = page.context["preview"], finished.legs.get(number=2)
    decisive = find_turn_to_show(play_back(leg.record_data, None))
    assert decisive > 1 and page.context["scene"].number == 0
    assert preview.image == f"http://testserver/matches/{finished.pk}/turn/{decisive}.png?leg=2&view=all&result=on"
    assert preview.url == f"http://testserver/matches/{finished.pk}/?leg=2&view=all&turn={decisive}"
    assert preview.image_path.startswith(f"/matches/{finished.pk}/turn/0.png"), "the turn on the page"
    ending = page.context["ending"]
    winner = leg.seats.get(place=1).participant.version.bot.name
    assert f"{winner} wins" in preview.description and f". Turn {decisive}: " in preview.description
    drawn = Client().get(preview.image_path.replace("/0.png", f"/{decisive}.svg") + "&result=on").text
    assert ending in drawn and f"Turn {decisive} of" in drawn
    assert ending not in Client().get(preview.image_path.replace("/0.png", f"/{decisive}.svg")).text


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


# Records from somebody's disk.

ADDRESS = "/viewer/"


def paste(text: str, **more: str):
    return Client().post(ADDRESS, {"record": text, **more})


def choose(content: bytes):
    return Client().post(ADDRESS, {"file": SimpleUploadedFile("leg.json", content, "application/json")})


def test_the_form_needs_no_account(db):
    page = Client().get(ADDRESS)
    assert page.status_code == 200 and 'enctype="multipart/form-data"' in page.text
    assert "pennant play" in page.text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_file_becomes_a_replay(db, record_of, players):
    record = record_of(9, "standard", "battalion", players)
    page = choose(json.dumps(record).encode())
    assert page.status_code == 200
    assert 'data-step="0"' in page.text
    assert page.context["frames"] == build_frames(play_back(record, None), seat_guests(record))
    assert 'data-frames-id="frames"' in page.text and '<script id="frames" type="application/json">' in page.text


def test_what_an_arena_recorded_can_be_opened(finished):
    record = Client().get(f"/matches/{finished.pk}/legs/1/record.json").content
    page = choose(record)
    assert page.status_code == 200 and "Kingfisher" in page.text
    assert "verified" in page.text


def test_steps_and_eyes_work_without_script(db, record_of):
    record = json.dumps(record_of(3))
    page = paste(record, turn="7", view="1")
    assert page.context["scene"].number == 7 and page.context["scene"].onlooker == 1
    assert page.context["frames"] is None and "data-frames-id" not in page.text
    assert 'form="steps" name="turn" value="8"' in page.text
    again = paste(page.context["text"], turn="8", view="1")
    assert again.context["scene"].number == 8
    assert paste(record, turn="9999").context["scene"].is_over


def test_nothing_is_stored(db, record_of):
    paste(json.dumps(record_of(3)))
    assert not Match.objects.exists()


def test_only_this_site_may_send_records(db, record_of):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(ADDRESS, {"record": json.dumps(record_of(3))}).status_code == 403


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Choose a file or paste a record."),
        ("{", "This isn't JSON"),
        ("[" * 5000, "This isn't JSON"),
        ("PK\x03\x04 and so on", "This is a zip file"),
        ("[]", "isn't the record of a leg"),
        ('{"format": "other/1"}', "isn't the record of a leg"),
        ('{"format": "arena-replay/1"}', "isn't valid"),
        ("x" * (match_page.MAX_RECORD_BYTES + 1), "can't be larger than"),
    ],
)
def test_what_is_no_record_is_refused_with_advice(db, text, told):
    page = paste(text)
    assert page.status_code == 422
    assert told in unescape(page.text) and 'role="alert"' in page.text


def change(record, where: list, value):
    changed = deepcopy(record)
    *path, last = where
    place = changed
    for name in path:
        place = place[name]
    place[last] = value
    return changed


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (["actions", 4, "action"], "pass"),
        (["actions", 4, "action"], ""),
        (["actions", 4, "seat"], 7),
        (["deal", "troops"], [1, {}, None]),
        (["deal"], {}),
        (["options"], {"colours": []}),
        (["options", "flags"], 10**15),
        (["result", "places"], [1, 1]),
        (["rules_version"], 99),
        (["game"], "chess"),
        (["edition"], "../x"),
        (["salt"], "another"),
        (["seats"], []),
        (["actions"], []),
        (["actions"], [None]),
        (["actions"], [{"seat": 0, "action": "pass"}] * (match_page.MAX_RECORD_ACTIONS + 1)),
        (["seats", 0], "a string"),
        (["seats", 0, "name"], {"a": ["<script>"]}),
        (["actions", 0, "ms"], "soon"),
        (["actions", 0, "cpu_ms"], [1]),
        (["actions", 0, "note"], {"a": 1}),
        (["actions", 0, "eval"], "high"),
        (["actions", 0, "eval"], 1e300),
    ],
)
def test_a_changed_record_is_refused(db, record_of, where, value):
    page = paste(json.dumps(change(record_of(3), where, value)))
    assert page.status_code == 422 and 'role="alert"' in page.text


def test_notes_and_names_are_text(db, record_of):
    record = change(record_of(3), ["actions", 0, "note"], "</script><script>alert(1)</script>")
    record = change(record, ["seats", 0, "name"], "<b>bold</b>")
    for more in ({}, {"turn": "1"}):
        page = paste(json.dumps(record), **more).text
        assert "<script>alert" not in page and "<b>bold" not in page
        assert "&lt;b&gt;bold" in page


def test_a_leg_too_long_to_be_sent_whole_is_stepped_through(db, record_of, monkeypatch):
    monkeypatch.setattr(match_page, "MAX_RECORD_FRAMES", 10)
    page = paste(json.dumps(record_of(3)))
    assert page.status_code == 200 and page.context["frames"] is None
    assert 'form="steps" name="turn" value="1"' in page.text


def test_other_eyes_look_at_the_same_step(db, record_of):
    page = paste(json.dumps(record_of(3)), at="7", view="0")
    assert 'data-frames-id="frames" data-step="7"' in page.text and 'data-view="0"' in page.text


# What a bot was asked can be read again from the record of a leg: word for word, but for the clock.

TELLS_WHAT_IT_WAS_ASKED = b"""
import hashlib, json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "turn":
        message.pop("bank_ms")
        told = json.dumps(message, sort_keys=True).encode()
        print(hashlib.sha256(told).hexdigest(), file=sys.stderr, flush=True)
        print(json.dumps({"action": message["legal"][-1], "note": "the last one"}), flush=True)
"""


@pytest.fixture(params=[("battleline", "medieval", 2), ("battalion", "standard", 3)], ids=lambda param: param[0])
def told(request, ana, make_version, play) -> Match:
    game, edition, seats = request.param
    versions = [make_version(ana, f"Teller {number}", TELLS_WHAT_IT_WAS_ASKED, game=game) for number in range(seats)]
    match = queue_match(versions=versions, game=game, edition=edition, **make_deal_and_salts(0, game, edition, seats))
    assert play(match)
    return match


def test_every_request_is_told_as_it_was_sent(told):
    for leg in told.legs.all():
        record = leg.record_data
        asked = list(list_exchanges(record, 0, len(record["actions"])))
        for seat in leg.seats.all():
            own = [one["request"] for one in asked if one["request"]["seat"] == seat.seat]
            hashes = [hashlib.sha256(json.dumps(one, sort_keys=True).encode()).hexdigest() for one in own]
            assert hashes == seat.stderr.split() and hashes


def test_a_turn_tells_its_own_requests_with_their_answers(told):
    leg = told.legs.get(number=2)
    actions = [entry["action"] for entry in leg.record_data["actions"] if "ms" in entry]
    last = Client().get(f"/matches/{told.pk}/?leg=2").context["scene"].last
    found = []
    for turn in range(last + 1):
        answer = Client().get(f"/matches/{told.pk}/turn/{turn}/asked.json?leg=2")
        assert answer["Content-Type"] == "application/json"
        found += answer.json()
    assert [one["answer"]["action"] for one in found] == actions
    assert all(one["answer"]["action"] in one["request"]["legal"] for one in found)
    assert all(one["answer"]["note"] == "the last one" and one["ms"] >= 0 for one in found)


def test_the_replay_leads_to_it_and_what_is_not_there_is_not_found(told):
    page = Client().get(f"/matches/{told.pk}/?turn=2&leg=2").text
    assert f'data-turn-in-path href="/matches/{told.pk}/turn/2/asked.json?leg=2"' in page
    assert Client().get(f"/matches/{told.pk}/turn/99999/asked.json").status_code == 404
    told.legs.update(record=None)
    assert Client().get(f"/matches/{told.pk}/turn/1/asked.json").status_code == 404


def test_authors_alone_are_offered_to_ask_their_bots_again_up_to_each_turn(told, ana, ben):
    client = Client()
    client.force_login(ana)
    record = told.legs.get(number=2).record_data
    last = client.get(f"/matches/{told.pk}/?leg=2").context["scene"].last
    page = client.get(f"/matches/{told.pk}/?leg=2&turn={last}")
    commands = page.context["reruns"]
    assert [command.start.split()[-2] for command in commands] == [str(seat) for seat in range(len(record["seats"]))]
    assert {command.until for command in commands} == {len(record["actions"]) - 1}
    assert f"pennant rerun http://testserver/matches/{told.pk}/legs/2/record.json --bot teller-" in page.text
    slug, number = commands[0].start.split()[4].split("/")
    assert slug.startswith("teller-") and number == "1"
    decisions = commands[0].decisions
    assert decisions == sorted(decisions) and len(decisions) == last + 1
    client.force_login(ben)
    assert client.get(f"/matches/{told.pk}/?leg=2").context["reruns"] == []


# Pictures for other sites: each drawn once, by nobody too often, and all together in a tenth of a core.

PNG = b"\x89PNG\r\n\x1a\n"


def ask(match: Match, turn: int, *, leg: int = 1, address: str = "192.0.2.1") -> bytes:
    answer = Client(REMOTE_ADDR=address).get(f"/matches/{match.pk}/turn/{turn}.png?leg={leg}")
    assert answer.status_code == 200 and answer["Content-Type"] == "image/png" and answer.content.startswith(PNG)
    return answer.content


def count_steps(match: Match) -> int:
    return play_back(match.legs.get(number=1).record_data, None).last


def test_one_address_has_so_many_drawn_and_then_gets_the_decisive_step(
    finished: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_page, "MAX_DRAWINGS_PER_ADDRESS", 5)
    asked = [(leg, turn) for leg in (1, 2) for turn in range(7)]
    assert count_steps(finished) > 7
    answers = []
    for leg, turn in asked:
        answers.append(ask(finished, turn, leg=leg))
        Path(settings.DATA_DIR, "drawing-time").unlink(missing_ok=True)  # a slow machine would run out of time
    assert len(set(answers[:5])) == 5
    assert len(set(answers[5:7])) == len(set(answers[7:])) == 1, "the decisive step of each leg"
    assert ask(finished, 3) == answers[3], "what is kept is for everybody, at any time"
    elsewhere = {ask(finished, turn, address="192.0.2.9") for turn in range(5, 7)}
    assert elsewhere - set(answers), "at most one of them is the decisive step"


def test_a_stand_in_is_not_kept_by_others_for_long(finished: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_page, "MAX_DRAWINGS_PER_ADDRESS", 1)
    caching = [Client().get(f"/matches/{finished.pk}/turn/{turn}.png")["Cache-Control"] for turn in (1, 2)]
    assert caching == ["public, max-age=3600", "public, max-age=60"]


def test_an_ipv6_network_is_one_address(finished: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_page, "MAX_DRAWINGS_PER_ADDRESS", 2)
    drawn = [ask(finished, turn, address=f"2001:db8:0:1::{turn}") for turn in range(1, 5)]
    assert len(set(drawn)) == 3 and drawn[2] == drawn[3]
    assert ask(finished, 3, address="2001:db8:0:2::1") not in drawn


def test_all_drawings_together_have_a_tenth_of_a_core(finished: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_page, "MAX_SAVED_DRAWING_S", 1.0)
    monkeypatch.setattr(match_page, "DECISIVE_DRAWING_RESERVE_S", 0.5)
    answers = [ask(finished, turn, address=f"192.0.2.{turn}") for turn in range(1, 25)]
    assert len(set(answers[:2])) == 2 and len(set(answers)) < 20, "whatever address asks"


def test_without_any_time_left_there_is_a_picture_still(finished: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_page, "MAX_SAVED_DRAWING_S", 0.0)
    plain = {ask(finished, turn) for turn in (1, 2, 3)}
    assert plain == {match_page.render_plain_png()}
    assert Client().get(f"/matches/{finished.pk}/turn/1.svg").content.startswith(b"<svg")
