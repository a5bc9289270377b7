"""Accounts in other languages than English: pages, errors and mails, most of which allauth brings."""

import re

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.core import mail
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation

from arena.pages.account import security
from arena.people.accounts.models import User
from tests.arena.pages.outline import Outline
from tests.arena.people.accounts.test_known_addresses import wait_for_mails

OTHERS = [language for language, _title in settings.LANGUAGES if language != "en"]
OPEN = ["login", "signup", "password/reset", "password/reset/done", "inactive", "password/reset/key/1-gone"]
OWN = ["logout", "password/change", "email", "reauthenticate", "2fa", "2fa/webauthn"]
CONFIRMED = ["2fa/totp/activate", "2fa/totp/deactivate", "2fa/webauthn/add", "2fa/recovery-codes"]
CONFIRMED += ["2fa/recovery-codes/generate", "2fa/reauthenticate"]
WRONG = {
    "login": {"login": "ana", "password": "wrong"},
    "signup": {"username": "root", "email": "nowhere", "password1": "123", "password2": "321"},
    "password/reset": {"email": "nowhere"},
}


def both(ask, language):
    """What two readers are shown, one of English and one of another language."""
    pages = [ask(Client(headers={"accept-language": one})).text for one in ("en", language)]
    return [Outline(page).sentences for page in pages], [re.findall(r"<title>\s*(.*?)\s*·", page) for page in pages]


@pytest.mark.django_db
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", OPEN)
def test_what_everybody_may_see_is_translated(name, language):
    (first, other), (title, translated) = both(lambda client: client.get(f"/accounts/{name}/"), language)
    assert other and not first & other
    assert all(title) and all(translated) and title != translated


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", OWN)
def test_what_an_owner_sees_is_translated(ana, name, language):
    def ask(client):
        client.force_login(ana)
        return client.get(f"/accounts/{name}/")

    (first, other), (title, translated) = both(ask, language)
    assert not first & other
    assert title != translated


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", CONFIRMED)
def test_what_changes_a_second_factor_is_translated(ana, name, language):
    """These pages open for some minutes after the password was entered again, most of them to who has one."""
    if "activate" not in name or "deactivate" in name:
        TOTP.activate(ana, generate_totp_secret())
        RecoveryCodes.activate(ana)

    def ask(client):
        client.force_login(ana)
        client.post("/accounts/reauthenticate/", {"password": "ana's password"})
        answer = client.get(f"/accounts/{name}/")
        assert answer.status_code == 200
        return answer

    (first, other), (title, translated) = both(ask, language)
    assert other and not first & other
    assert title != translated


@pytest.mark.django_db
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", WRONG)
def test_errors_are_translated(name, language):
    (first, other), _titles = both(lambda client: client.post(f"/accounts/{name}/", WRONG[name]), language)
    assert other and not first & other


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", OTHERS)
def test_the_mail_with_a_new_password_is_translated(language, monkeypatch):
    monkeypatch.setattr(security, "MAX_DELAY_MS", 1)
    User.objects.create_user("mia", email="mia@example.com", password="mia's password")
    for one in ("en", language):
        Client(headers={"accept-language": one}).post("/accounts/password/reset/", {"email": "mia@example.com"})
        wait_for_mails(1 if one == "en" else 2)
    first, other = mail.outbox
    said = [{line for line in letter.body.splitlines() if " " in line} for letter in (first, other)]
    assert first.subject != other.subject
    assert said[1] and not said[0] & said[1]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("template", ["403.html", "403_csrf.html", "404.html", "500.html"])
def test_error_pages_are_translated(template, language):
    """They may have to do without a request."""
    said = []
    for one in ("en", language):
        with translation.override(one):
            said.append(Outline(render_to_string(template)).sentences)
    assert said[1] and not said[0] & said[1]
