import pytest
from django.test import Client

from arena.people.accounts.models import User

PASSWORD = "four flags of nine"
pytestmark = pytest.mark.django_db


def sign_up(client: Client, name: str, **changes: str) -> int:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD} | changes
    return client.post("/accounts/signup/", form).status_code


def test_a_name_and_a_password_are_enough(client: Client) -> None:
    assert sign_up(client, "ana") == 302
    assert client.session["_auth_user_id"] == str(User.objects.get(username="ana").pk)


@pytest.mark.parametrize("name", ["admin", "House", "root"])
def test_nobody_signs_up_as_the_house(client: Client, name: str) -> None:
    assert sign_up(client, name) == 200
    assert not User.objects.exists()


def test_a_name_is_taken_once(client: Client, ana: User) -> None:
    assert sign_up(client, "Ana") == 200
    assert User.objects.count() == 1


@pytest.mark.parametrize("password", ["short", "password", "12345678"])
def test_a_weak_password_is_refused(client: Client, password: str) -> None:
    assert sign_up(client, "ana", password1=password, password2=password) == 200
    assert not User.objects.exists()


def test_a_short_password_and_another_repeat_are_both_told(client: Client) -> None:
    form = {"username": "ana", "password1": "short", "password2": "shorter"}
    errors = client.post("/accounts/signup/", form).context["form"].errors
    assert {"password1", "password2"} == set(errors)


def test_who_signed_up_can_log_in_and_out(client: Client, ana: User) -> None:
    wrong = {"login": "ana", "password": "wrong"}
    assert client.post("/accounts/login/", wrong).status_code == 200
    assert "_auth_user_id" not in client.session
    client.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
    assert client.session["_auth_user_id"] == str(ana.pk)
    client.get("/accounts/logout/")
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


def test_every_page_says_what_a_browser_may_load(client: Client) -> None:
    answer = client.get("/accounts/login/")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
