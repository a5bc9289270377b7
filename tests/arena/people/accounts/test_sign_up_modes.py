"""Who may make an account: everybody, the invited, those whom staff approves, or nobody."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site_settings
from django.core import mail
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.utils.timezone import now

from arena.core.errors import Conflict
from arena.people.accounts.models import Invitation, User
from arena.people.accounts.services import create_invitation, store_new_account
from arena.people.notices.models import Notice
from tests.arena.pages.outline import Outline

PASSWORD = "four flags of nine"
SIGN_UP = "/accounts/signup/"
MODES = ["open", "invitation", "approval", "closed"]

pytestmark = pytest.mark.django_db


def sign_up(client: Client, name: str, **more: str) -> HttpResponse:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD, **more}
    return client.post(SIGN_UP, form)


def sign_in(client: Client, name: str) -> HttpResponse:
    return client.post("/accounts/login/", {"login": name, "password": PASSWORD}, follow=True)


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("sofia", password=PASSWORD)


@pytest.mark.parametrize("value", ["Open", "no", ""])
def test_a_wrong_value_ends_the_start_with_one_line(value: str) -> None:
    environment = {**os.environ, "PENNANT_SIGNUP": value, "DJANGO_SETTINGS_MODULE": "arena.settings"}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=site_settings.BASE_DIR, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    expected = f"PENNANT_SIGNUP is {value!r}, but must be one of: open, invitation, approval, closed, school.\n"
    assert done.stderr == expected


@pytest.mark.parametrize("mode", MODES)
def test_pages_link_to_the_form_where_it_can_be_used(settings, mode: str) -> None:
    settings.SIGN_UP = mode
    for page in ("/", "/start/", "/api/v1/docs/", "/accounts/login/"):
        is_linked = f'href="{SIGN_UP}' in Client().get(page).content.decode()
        assert is_linked == (mode in ("open", "approval")), page


@pytest.mark.parametrize("mode", ["invitation", "approval", "closed"])
@pytest.mark.parametrize("page", [SIGN_UP, f"{SIGN_UP}?invitation=none", "/accounts/waiting/", "/accounts/login/"])
def test_what_is_said_is_translated(settings, mode: str, page: str) -> None:
    settings.SIGN_UP = mode
    first, other = (
        Outline(Client(headers={"accept-language": one}).get(page).content.decode()).sentences for one in ("en", "hu")
    )
    assert other and not first & other


def test_a_closed_site_shows_no_form_and_takes_none(settings) -> None:
    settings.SIGN_UP = "closed"
    page = Client().get(SIGN_UP)
    assert page.status_code == 200 and "password1" not in page.text and "Sign-up is closed" in page.text
    assert sign_up(Client(), "cleo").status_code == 403
    assert not User.objects.exists()


def test_without_an_invitation_the_page_explains_and_takes_no_form(settings) -> None:
    settings.SIGN_UP = "invitation"
    page = Client().get(SIGN_UP)
    assert "password1" not in page.text and "open an invitation link" in page.text
    guessed = Client().get(f"{SIGN_UP}?invitation=guess")
    assert "password1" not in guessed.text and "can't be used" in guessed.text
    assert sign_up(Client(), "cleo").status_code == sign_up(Client(), "cleo", invitation="guess").status_code == 403
    assert not User.objects.exists()


def open_link(path: str) -> tuple[str, str]:
    """The token and the address that the form is filled in with."""
    page = Client().get(path).text
    (token,) = re.findall(r'name="invitation" value="([^"]+)"', page)
    return token, "".join(re.findall(r'name="email" value="([^"]+)"', page))


def test_a_link_works_once(settings) -> None:
    settings.SIGN_UP = "invitation"
    invitation, path = create_invitation(note="Class 9b", email="cleo@example.com")
    token, email = open_link(path)
    assert email == "cleo@example.com" and token not in str(Invitation.objects.values())
    client = Client()
    assert sign_up(client, "root", invitation=token).status_code == 200  # a mistake uses nothing
    assert sign_up(client, "cleo", invitation=token).status_code == 302 and is_signed_in(client)
    invitation.refresh_from_db()
    assert invitation.used_by == User.objects.get(username="cleo") and invitation.used_at is not None
    assert sign_up(Client(), "dora", invitation=token).status_code == 403
    assert "password1" not in Client().get(path).text
    assert User.objects.count() == 1


def test_an_old_link_does_not_work(settings) -> None:
    settings.SIGN_UP = "invitation"
    invitation, path = create_invitation(days=2)
    token, _email = open_link(path)
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=now() - timedelta(seconds=1))
    assert sign_up(Client(), "cleo", invitation=token).status_code == 403


def test_of_two_who_open_the_same_link_one_gets_in(settings) -> None:
    """Both forms were looked at before the first was stored."""
    settings.SIGN_UP = "invitation"
    _invitation, path = create_invitation()
    token, _email = open_link(path)
    store_new_account(user=User(username="cleo"), invitation=token)
    with pytest.raises(Conflict, match="was already used"):
        store_new_account(user=User(username="dora"), invitation=token)
    assert [user.username for user in User.objects.all()] == ["cleo"]


def test_the_command_prints_a_link(settings) -> None:
    settings.SIGN_UP = "invitation"
    out = StringIO()
    call_command("invite", "--days", "3", "--note", "Dora", "--site", "https://arena.example.org", stdout=out)
    (link,) = out.getvalue().split()
    assert link.startswith(f"https://arena.example.org{SIGN_UP}?invitation=")
    parts = urlsplit(link)
    assert open_link(f"{parts.path}?{parts.query}")
    invitation = Invitation.objects.get()
    assert invitation.note == "Dora" and timedelta(days=2.9) < invitation.expires_at - now() <= timedelta(days=3)
    with pytest.raises(CommandError, match="1 to 365 days"):
        call_command("invite", "--days", "0")


def test_staff_invites_in_the_admin_and_sees_the_link_once(settings, staff: User) -> None:
    settings.SIGN_UP = "invitation"
    client = Client()
    client.force_login(staff)
    page = client.post("/admin/accounts/invitation/add/", {"note": "Eve", "email": "", "days": "5"}, follow=True)
    (query,) = re.findall(r"http://testserver/accounts/signup/\?(invitation=[\w-]+)", page.text)
    invitation = Invitation.objects.get()
    assert invitation.created_by == staff and invitation.note == "Eve"
    detail = client.get(f"/admin/accounts/invitation/{invitation.pk}/change/")
    assert detail.status_code == 200 and invitation.digest not in detail.text
    assert open_link(f"{SIGN_UP}?{query}")
    client.post(f"/admin/accounts/invitation/{invitation.pk}/delete/", {"post": "yes"})
    assert "password1" not in Client().get(f"{SIGN_UP}?{query}").text


def test_a_new_account_waits_until_staff_approves_it(settings, staff: User) -> None:
    settings.SIGN_UP = "approval"
    client = Client()
    assert sign_up(client, "cleo").headers["Location"] == "/accounts/waiting/"
    cleo = User.objects.get(username="cleo")
    assert not is_signed_in(client) and not cleo.is_active
    page = sign_in(client, "cleo")
    assert not is_signed_in(client) and "Your account is waiting for approval" in page.content.decode()
    assert Client().get("/authors/cleo/").status_code == 404
    (notice,) = Notice.objects.all()
    assert (notice.user, str(notice.text)) == (staff, "New user cleo is waiting for approval.")

    boss = Client()
    boss.force_login(staff)
    assert boss.get(notice.url).status_code == 200
    assert "cleo" in boss.get("/admin/accounts/user/?awaits_approval__exact=1").content.decode()
    chosen = {"action": "approve", "_selected_action": [cleo.pk, staff.pk]}
    for count in ("1 account approved.", "0 accounts approved."):
        assert count in boss.post("/admin/accounts/user/", chosen, follow=True).content.decode()
    assert is_signed_in(client) is False and sign_in(client, "cleo").status_code == 200 and is_signed_in(client)
    assert [str(one.text) for one in Notice.objects.filter(user=cleo)] == [
        "Your account was approved. You can upload bots now."
    ]
    assert mail.outbox == []


def test_who_was_switched_off_does_not_wait(settings, ana: User) -> None:
    settings.SIGN_UP = "approval"
    User.objects.filter(pk=ana.pk).update(is_active=False)
    answer = Client().post("/accounts/login/", {"login": "ana", "password": "ana's password"})
    assert answer.headers["Location"] == "/accounts/inactive/"


def test_a_confirmed_address_is_told_of_the_approval_and_no_other(settings, staff: User) -> None:
    settings.SIGN_UP = "approval"
    for name in ("cleo", "dora"):
        sign_up(Client(), name, email=f"{name}@example.com")
    assert [letter.to for letter in mail.outbox] == [["cleo@example.com"], ["dora@example.com"]]
    (link,) = re.findall(r"http://testserver(/accounts/confirm-email/\S+)", str(mail.outbox[0].body))
    Client().post(link)
    assert EmailAddress.objects.get(email="cleo@example.com").verified
    mail.outbox.clear()
    boss = Client()
    boss.force_login(staff)
    waiting = list(User.objects.filter(awaits_approval=True).values_list("pk", flat=True))
    boss.post("/admin/accounts/user/", {"action": "approve", "_selected_action": waiting})
    (letter,) = mail.outbox
    assert letter.to == ["cleo@example.com"] and "[Pennant] Your account was approved" == letter.subject
    assert "http://testserver/accounts/login/" in letter.body


def test_a_change_of_the_setting_leaves_existing_accounts_alone(settings, ana: User) -> None:
    for mode in MODES:
        settings.SIGN_UP = mode
        client = Client()
        client.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
        assert is_signed_in(client)
