"""Records from somebody's disk."""

import json
from copy import deepcopy

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.matches.models import Match
from arena.pages.matches import viewer
from arena.pages.matches.frames import build_frames
from arena.pages.matches.guests import seat_guests
from arena.pages.matches.replay import play_back

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
        ("", "Choose a file, or paste a record."),
        ("{", "This is not JSON"),
        ("[" * 5000, "This is not JSON"),
        ("PK\x03\x04 and so on", "This is a zip file"),
        ("[]", "not a record of a leg"),
        ('{"format": "other/1"}', "not a record of a leg"),
        ('{"format": "arena-replay/1"}', "is not valid"),
        ("x" * (viewer.MAX_BYTES + 1), "larger than"),
    ],
)
def test_what_is_no_record_is_refused_with_advice(db, text, told):
    page = paste(text)
    assert page.status_code == 422
    assert told in page.text and 'role="alert"' in page.text


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
        (["actions"], [{"seat": 0, "action": "pass"}] * (viewer.MAX_ACTIONS + 1)),
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
    monkeypatch.setattr(viewer, "MAX_FRAMES", 10)
    page = paste(json.dumps(record_of(3)))
    assert page.status_code == 200 and page.context["frames"] is None
    assert 'form="steps" name="turn" value="1"' in page.text


def test_other_eyes_look_at_the_same_step(db, record_of):
    page = paste(json.dumps(record_of(3)), at="7", view="0")
    assert 'data-frames-id="frames" data-step="7"' in page.text and 'data-view="0"' in page.text
