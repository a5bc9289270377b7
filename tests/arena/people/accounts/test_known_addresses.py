"""Nobody learns from the site whether a mail address is known here."""

from time import monotonic, sleep

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.pages.account import security
from arena.people.accounts.models import User
from tests.arena.pages.outline import Outline

PASSWORD = "four flags of nine"
KNOWN, UNKNOWN = "mia@example.com", "nobody@example.com"


@pytest.fixture
def mia(db: None, settings) -> User:
    user = User.objects.create_user("mia", email=KNOWN, password=PASSWORD)
    EmailAddress.objects.create(user=user, email=KNOWN, verified=True, primary=True)
    settings.MAX_SIGN_UPS_PER_HOUR = 100
    return user


def wait_for_mails(count: int) -> None:
    began = monotonic()
    while len(mail.outbox) < count and monotonic() - began < 20:
        sleep(0.02)
    assert len(mail.outbox) == count


def describe(path: str, form: dict[str, str]) -> tuple[object, ...]:
    """What one is told, and what the arena does until then."""
    client = Client()
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(path, form, follow=True)
    asked = [query["sql"].split(" ")[0] for query in queries.captured_queries]
    return answer.status_code, answer.redirect_chain, sorted(Outline(answer.text).sentences), asked


@pytest.mark.django_db(transaction=True)
def test_a_new_password_is_sent_to_a_known_address_and_promised_to_any(mia: User, monkeypatch) -> None:
    monkeypatch.setattr(security, "MAX_DELAY_MS", 100)
    for _ in range(2):
        Client().get("/accounts/password/reset/")
    asked = [describe("/accounts/password/reset/", {"email": address}) for address in (KNOWN, UNKNOWN, KNOWN.upper())]
    assert asked[0] == asked[1] == asked[2]
    assert asked[0][1] == [("/accounts/password/reset/done/", 302)]
    wait_for_mails(2)
    assert {one for letter in mail.outbox for one in letter.to} == {KNOWN}


@pytest.mark.parametrize("mode", ["open", "approval"])
def test_who_signs_up_is_not_told_that_an_address_is_known(mia: User, settings, mode: str) -> None:
    settings.SIGN_UP = mode
    form = {"password1": PASSWORD, "password2": PASSWORD}
    asked = [
        describe("/accounts/signup/", form | {"username": name, "email": address})
        for name, address in (("primus", UNKNOWN), ("secundus", KNOWN))
    ]
    assert str(asked[0]).replace("primus", "secundus") == str(asked[1])
    assert User.objects.filter(username="secundus").exists()
    owners = EmailAddress.objects.filter(email=KNOWN, verified=True)
    assert [address.user for address in owners] == [mia], "it stays hers"
