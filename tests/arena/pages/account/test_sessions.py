"""Where somebody is signed in: listed for them alone, and ended by them."""

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.pages.account.security import describe_device
from arena.people.accounts.models import User

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36 Edg/142.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1"
)
CHROME = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36"


@pytest.fixture(autouse=True)
def nothing_is_noted_yet():
    cache.clear()


def sign_in(user: User, user_agent: str = FIREFOX, address: str = "203.0.113.7") -> Client:
    client = Client(headers={"User-Agent": user_agent}, REMOTE_ADDR=address)
    client.post("/accounts/login/", {"login": user.username, "password": f"{user.username}'s password"})
    assert is_signed_in(client)
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/notices/").status_code == 200


def row_of(client: Client) -> UserSession:
    return UserSession.objects.get(session_key=client.session.session_key)


def test_each_session_is_listed_with_its_device_and_address(ana):
    here = sign_in(ana)
    sign_in(ana, EDGE, "198.51.100.9")
    answer = here.get("/sessions/")
    assert "no-store" in answer["Cache-Control"]
    rows = answer.context["rows"]
    assert [(row["device"], row["session"].ip, row["is_current"]) for row in rows] == [
        ("Firefox, Linux", "203.0.113.7", True),
        ("Edge, Windows", "198.51.100.9", False),
    ]
    assert "signed in on 2 devices" in here.get("/settings/").text


def test_one_is_ended_and_really_signed_out(ana):
    here, there, third = (sign_in(ana) for _ in range(3))
    page = here.post(f"/sessions/{row_of(there).pk}/end/", follow=True)
    assert "Session ended: Firefox, Linux." in page.text
    assert len(page.context["rows"]) == 2
    assert [is_signed_in(one) for one in (here, there, third)] == [True, False, True]


def test_all_others_are_ended_at_once(ana):
    here, there, third = (sign_in(ana) for _ in range(3))
    page = here.post("/sessions/end-others/", follow=True)
    assert "2 other sessions ended." in page.text
    assert "End all others" not in page.text
    assert [is_signed_in(one) for one in (here, there, third)] == [True, False, False]


def test_nobody_sees_or_ends_the_sessions_of_others(ana, ben):
    hers, his = sign_in(ana), sign_in(ben, EDGE, "198.51.100.9")
    assert "203.0.113.7" not in his.get("/sessions/").text
    assert his.post(f"/sessions/{row_of(hers).pk}/end/").status_code == 404
    his.post("/sessions/end-others/")
    assert is_signed_in(hers) and is_signed_in(his)
    assert Client().get("/sessions/")["Location"].startswith("/accounts/login/")
    assert his.get(f"/sessions/{row_of(hers).pk}/end/").status_code == 405


def test_what_has_ended_otherwise_is_not_listed(ana):
    here, there, third = (sign_in(ana) for _ in range(3))
    there.post("/accounts/logout/")
    Session.objects.filter(session_key=third.session.session_key).delete()
    assert [row["is_current"] for row in here.get("/sessions/").context["rows"]] == [True]


def test_a_new_password_ends_the_others(ana):
    here, there = sign_in(ana), sign_in(ana)
    form = {"oldpassword": "ana's password", "password1": "seven quiet herons", "password2": "seven quiet herons"}
    here.post("/accounts/password/change/", form)
    assert is_signed_in(here) and not is_signed_in(there)
    assert [row["is_current"] for row in here.get("/sessions/").context["rows"]] == [True]


def test_a_session_from_before_this_page_is_listed_from_its_next_use(ana):
    client = Client(headers={"User-Agent": SAFARI})
    client.force_login(ana)
    assert not UserSession.objects.exists()
    client.get("/settings/")
    assert [row["device"] for row in client.get("/sessions/").context["rows"]] == ["Safari, iPhone"]


def writes_of(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]


def test_its_last_use_is_stored_now_and_then_and_not_with_each_page(ana):
    client = sign_in(ana)
    before = row_of(client).last_seen_at
    cache.clear()
    assert writes_of(client, "/bots/") != []
    assert row_of(client).last_seen_at > before
    assert [writes_of(client, page) for page in ("/bots/", "/settings/", "/sessions/", "/")] == [[]] * 4


def test_a_page_without_a_reader_asks_for_no_session(ana):
    client = sign_in(ana)
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        client.get("/health/")
    assert [query["sql"] for query in queries if "usersession" in query["sql"].lower()] == []


def test_what_is_asked_does_not_grow_with_the_sessions(ana):
    here = sign_in(ana)

    def count() -> list[int]:
        counts = []
        for page in ("/sessions/", "/settings/"):
            with CaptureQueriesContext(connection) as queries:
                here.get(page)
            counts.append(len(queries))
        return counts

    few = count()
    for _ in range(5):
        sign_in(ana)
    assert count() == few


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (FIREFOX, "Firefox, Linux"),
        (EDGE, "Edge, Windows"),
        (SAFARI, "Safari, iPhone"),
        (CHROME, "Chrome, Android"),
        ("curl/8.5", "curl"),
        ("", "Unknown device"),
        ("<script>", "Unknown device"),
    ],
)
def test_a_device_is_said_in_words(user_agent, words):
    assert describe_device(user_agent) == words
