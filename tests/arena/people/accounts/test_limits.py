"""Sign-ups and wrong passwords have limits, which no lost cache opens and no stranger turns against an author."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client

from arena.core.http import find_client_address, find_client_network
from arena.people.accounts.limits import (
    SIGN_UP_WINDOW,
    WRONG_PASSWORD_WINDOW,
    TooManyActions,
    count_password_attempt,
)
from arena.people.accounts.models import LimitedAction, User

PASSWORD = "four flags of nine"
RIGHT = "ana's password"
STRANGER, HOME = "192.0.2.66", "198.51.100.1"
LOCKED = "Too many wrong passwords for this name from your address. Try again in 15 min."

pytestmark = pytest.mark.django_db


def sign_in(password: str, address: str = STRANGER, name: str = "ana", page: str = "/accounts/login/") -> str:
    """What is said to somebody who signs in; empty where it worked."""
    answer = Client(REMOTE_ADDR=address).post(page, {"login": name, "password": password})
    return "" if answer.status_code == 302 else " ".join(answer.context["form"].non_field_errors())


def sign_up(name: str, address: str = STRANGER) -> str:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    answer = Client(REMOTE_ADDR=address).post("/accounts/signup/", form)
    return "" if answer.status_code == 302 else " ".join(answer.context["form"].non_field_errors())


def let_pass(window: timedelta) -> None:
    """Let time pass for all that was counted."""
    for action in LimitedAction.objects.all():
        LimitedAction.objects.filter(pk=action.pk).update(at=action.at - window)


@pytest.fixture(params=["memory", "lost Redis"], autouse=True)
def _caches(request: pytest.FixtureRequest, settings) -> None:
    """The limits hold with a cache and with one that is lost at every request."""
    if request.param == "lost Redis":
        lost = {"BACKEND": "arena.core.brokers.RedisOrMemoryCache", "LOCATION": "redis://127.0.0.1:1"}
        settings.CACHES = {"default": lost, "pages": lost | {"KEY_PREFIX": "pages"}}
    caches["default"]._memory.clear() if request.param == "lost Redis" else caches["default"].clear()


def test_a_stranger_who_guesses_is_locked_out_and_the_author_is_not(ana: User) -> None:
    assert "not correct" in [sign_in("guess") for _ in range(5)][-1]
    assert sign_in("guess") == sign_in(RIGHT) == sign_in(RIGHT, name=" ANA ") == LOCKED
    assert sign_in(RIGHT, HOME) == ""
    let_pass(WRONG_PASSWORD_WINDOW - timedelta(minutes=4))
    assert sign_in(RIGHT).endswith("Try again in 4 min.")
    let_pass(timedelta(minutes=4))
    assert sign_in(RIGHT) == ""


def test_one_right_password_does_not_make_wrong_ones_forgotten(ana: User) -> None:
    assert sign_in("guess") and sign_in("guess") and sign_in(RIGHT) == ""
    assert [sign_in("guess") == LOCKED for _ in range(4)] == [False, False, False, True]


def test_right_passwords_are_not_counted(ana: User) -> None:
    assert {sign_in(RIGHT) for _ in range(7)} == {""}
    assert not LimitedAction.objects.exists()


def test_one_address_can_not_try_all_names(ana: User, settings) -> None:
    settings.MAX_WRONG_PASSWORDS_PER_ADDRESS = 3
    for name in ("ben", "cleo", "dora"):
        assert "not correct" in sign_in("guess", name=name)
    assert sign_in(RIGHT) == "Too many wrong passwords from your address. Try again in 60 min."
    assert sign_in(RIGHT, HOME) == ""


def test_the_lock_is_told_in_the_language_of_the_reader(ana: User, settings) -> None:
    settings.MAX_WRONG_PASSWORDS = 0
    reader = Client(headers={"accept-language": "hu"})
    page = reader.post("/accounts/login/", {"login": "ana", "password": RIGHT}).content.decode()
    assert "15 perc múlva" in page


def test_the_admin_has_no_door_of_its_own(ana: User) -> None:
    page = "/admin/login/?next=/admin/"
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    client = Client(REMOTE_ADDR=STRANGER)
    answer = client.post(page, {"username": "ana", "password": RIGHT})
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/?next=")
    assert "_auth_user_id" not in client.session
    client.post(answer["Location"], {"login": "ana", "password": RIGHT})
    assert client.get("/admin/").status_code == 200


def test_a_password_that_is_asked_for_again_is_counted(ana: User) -> None:
    client = Client(REMOTE_ADDR=STRANGER)
    client.force_login(ana)
    for _ in range(5):
        client.post("/accounts/reauthenticate/", {"password": "guess"})
    assert sign_in(RIGHT) == LOCKED and sign_in(RIGHT, HOME) == ""


def test_the_api_takes_no_passwords(ana: User) -> None:
    answer = Client().get("/api/v1/me/", headers={"Authorization": "Basic YW5hOmFuYSdzIHBhc3N3b3Jk"})
    assert answer.status_code == 401


def test_an_address_makes_so_many_accounts_in_an_hour(settings) -> None:
    settings.MAX_SIGN_UPS_PER_HOUR = 3
    assert [sign_up(f"author{number}") for number in range(3)] == ["", "", ""]
    refused = "Too many sign-ups from your address. Try again in 60 min, or ask the site's staff."
    assert sign_up("author3") == refused
    assert sign_up("author3", HOME) == ""
    let_pass(SIGN_UP_WINDOW)
    assert sign_up("author4") == ""
    assert User.objects.count() == 5


def test_a_form_with_a_mistake_is_no_sign_up(settings) -> None:
    settings.MAX_SIGN_UPS_PER_HOUR = 1
    assert sign_up("root") == "" or not User.objects.exists()
    assert sign_up("cleo") == ""


def test_a_provider_gives_out_networks_not_addresses(rf) -> None:
    def network(address: str) -> str:
        return find_client_network(rf.get("/", REMOTE_ADDR=address))

    assert network("2001:db8:1:2:3:4:5:6") == network("2001:db8:1:2::9") == "2001:db8:1:2::/64"
    assert network("2001:db8:1:3::9") != network("2001:db8:1:2::9")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") == "192.0.2.1"
    assert network("unix:") == "unix:"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "found"),
    [
        (0, "203.0.113.5", "192.0.2.1"),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "10.9.9.9, 203.0.113.5", "203.0.113.5"),
        (2, "10.9.9.9, 203.0.113.5, 198.51.100.7", "203.0.113.5"),
        (2, "203.0.113.5", "203.0.113.5"),
        (1, "", "192.0.2.1"),
        (1, "::ffff:203.0.113.5", "203.0.113.5"),
    ],
)
def test_only_what_a_proxy_of_ours_wrote_is_believed(rf, settings, proxies: int, forwarded: str, found: str) -> None:
    settings.PROXIES = proxies
    request = rf.get("/", REMOTE_ADDR="192.0.2.1", headers={"X-Forwarded-For": forwarded})
    assert find_client_address(request) == found


def test_the_table_tells_nobody_who_was_here(ana: User) -> None:
    sign_in("guess")
    stored = str(list(LimitedAction.objects.values()))
    assert "ana" not in stored and STRANGER not in stored


@pytest.mark.django_db(transaction=True)
def test_of_many_guesses_at_once_no_more_than_the_limit_are_looked_at() -> None:
    def attempt(_number: int) -> bool:
        try:
            count_password_attempt(address=STRANGER, name="ana")
        except TooManyActions:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(24))) <= 5
