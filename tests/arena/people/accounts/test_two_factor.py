"""A second factor beside the password: set up, asked for, reset, and needed by staff."""

import logging
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib import admin
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils.timezone import now

from arena.bots.models import Token
from arena.bots.services import create_bot
from arena.bots.teams import issue_token
from arena.contests.formations.models import make_formation
from arena.pages.account.security import STAFF_PAGES, SecondFactorAdapter
from arena.people.accounts.limits import MAX_WRONG_CODES, WRONG_CODES_WINDOW
from arena.people.accounts.models import LimitedAction, User
from arena.people.groups.models import Group, Membership
from tests.arena.api.played import Script
from tests.authenticator import code_of

LOGIN = "/accounts/login/"
SECOND = "/accounts/2fa/authenticate/"
OWN = "/accounts/2fa/"
ACTIVATE = "/accounts/2fa/totp/activate/"
SECRET = generate_totp_secret()


@pytest.fixture(autouse=True)
def nothing_is_counted_yet():
    """Neither wrong codes nor codes that were used once."""
    cache.clear()


def enter_password(client: Client, user: User):
    return client.post(LOGIN, {"login": user.username, "password": f"{user.username}'s password"})


def sign_in_and_confirm(client: Client, user: User, code: str = "") -> None:
    """As the pages that set up a second factor want it."""
    enter_password(client, user)
    if code:
        client.post(SECOND, {"code": code})
    client.post("/accounts/reauthenticate/", {"password": f"{user.username}'s password"})


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.fixture
def with_app(ana: User) -> User:
    TOTP.activate(ana, SECRET)
    RecoveryCodes.activate(ana)
    return ana


@pytest.fixture
def sam(db: None) -> User:
    """Staff with all permissions."""
    return User.objects.create_superuser("sam", password="sam's password")


class TestSettingUp:
    def test_an_app_is_set_up_by_its_first_code(self, client, ana):
        sign_in_and_confirm(client, ana)
        page = client.get(ACTIVATE)
        assert 'src="data:image/svg+xml;base64,' in page.text
        answer = client.post(ACTIVATE, {"code": code_of(page.context["form"].secret)}, follow=True)
        assert answer.redirect_chain[-1][0] == "/accounts/2fa/recovery-codes/"
        assert len(answer.context["unused_codes"]) == 10
        assert {one.type for one in Authenticator.objects.filter(user=ana)} == {"totp", "recovery_codes"}

    def test_a_wrong_code_sets_nothing_up(self, client, ana):
        sign_in_and_confirm(client, ana)
        client.get(ACTIVATE)
        assert client.post(ACTIVATE, {"code": "000000"}).status_code == 200
        assert not Authenticator.objects.exists()

    def test_an_address_that_nobody_has_verified_is_no_reason_against_it(self, client, ana):
        sign_in_and_confirm(client, ana)
        client.post("/accounts/email/", {"email": "ana@example.com", "action_add": ""})
        assert client.get(ACTIVATE).status_code == 200

    def test_who_sets_it_up_confirms_it_by_the_password(self, client, ana):
        enter_password(client, ana)
        assert client.get(ACTIVATE)["Location"].startswith("/accounts/reauthenticate/")

    def test_it_is_switched_off_with_its_recovery_codes(self, client, with_app):
        sign_in_and_confirm(client, with_app, code_of(SECRET))
        client.post("/accounts/2fa/totp/deactivate/")
        assert not Authenticator.objects.exists()

    def test_the_page_says_that_tokens_are_not_affected(self, client, ana):
        client.force_login(ana)
        assert "never needs a code" in client.get(OWN).text


class TestSigningIn:
    def test_the_password_alone_is_not_enough(self, client, with_app):
        assert enter_password(client, with_app)["Location"] == SECOND
        assert not is_signed_in(client)
        assert client.get("/notices/").status_code == 302

    def test_with_a_code_of_the_app(self, client, with_app):
        enter_password(client, with_app)
        assert client.post(SECOND, {"code": code_of(SECRET)})["Location"] == "/bots/"
        assert is_signed_in(client)

    def test_with_a_recovery_code_which_counts_once(self, client, with_app):
        code = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]
        enter_password(client, with_app)
        client.post(SECOND, {"code": code})
        assert is_signed_in(client)
        again = Client()
        enter_password(again, with_app)
        assert again.post(SECOND, {"code": code}).status_code == 200
        assert not is_signed_in(again)

    @pytest.mark.parametrize("code", ["000000", "", "not a code", "12345678"])
    def test_not_with_a_wrong_code(self, client, with_app, code):
        enter_password(client, with_app)
        assert client.post(SECOND, {"code": code}).status_code == 200
        assert not is_signed_in(client)

    def test_not_after_too_many_wrong_codes_from_anywhere(self, client, with_app):
        for number in range(MAX_WRONG_CODES):
            guessing = Client(REMOTE_ADDR=f"10.0.0.{number}")
            enter_password(guessing, with_app)
            guessing.post(SECOND, {"code": "000000"})
            cache.clear()
        enter_password(client, with_app)
        answer = client.post(SECOND, {"code": code_of(SECRET)})
        assert not is_signed_in(client)
        assert "Too many wrong codes" in answer.context["form"].errors["code"][0]
        LimitedAction.objects.update(at=now() - WRONG_CODES_WINDOW)
        client.post(SECOND, {"code": code_of(SECRET)})
        assert is_signed_in(client) and not LimitedAction.objects.filter(at__gt=now() - WRONG_CODES_WINDOW).exists()

    def test_not_by_the_login_of_the_admin(self, client, sam):
        TOTP.activate(sam, SECRET)
        for address in ("/admin/", "/admin/login/", "/admin/login/?next=/admin/"):
            assert client.get(address, follow=True).redirect_chain[-1][0].startswith(LOGIN)
        client.post("/admin/login/", {"username": "sam", "password": "sam's password"})
        assert not is_signed_in(client)
        answer = client.post(LOGIN, {"login": "sam", "password": "sam's password", "next": "/admin/"})
        assert answer["Location"].startswith(SECOND)
        assert client.get("/admin/").status_code == 302
        client.post(SECOND, {"code": code_of(SECRET)})
        assert client.get("/admin/").status_code == 200

    def test_a_key_is_offered_to_who_has_one(self, client, with_app):
        enter_password(client, with_app)
        assert "Use a key instead" not in client.get(SECOND).text

    def test_a_token_needs_none(self, client, with_app):
        _token, text = issue_token(owner=with_app, name="CI")
        answer = client.get("/api/v1/me/", headers={"Authorization": f"Bearer {text}"})
        assert answer.json()["username"] == "ana"


class TestSecrets:
    def test_the_database_has_no_secret_to_read(self, with_app):
        stored = Authenticator.objects.get(type="totp").data
        assert SECRET not in str(stored)
        assert SecondFactorAdapter().decrypt(stored["secret"]) == SECRET

    def test_an_earlier_key_of_the_site_still_reads_them(self, client, with_app, settings):
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "a new one"
        enter_password(client, with_app)
        client.post(SECOND, {"code": code_of(SECRET)})
        assert is_signed_in(client)

    def test_without_the_key_of_the_site_no_code_is_right(self, client, with_app, settings, caplog):
        settings.SECRET_KEY = "another"
        enter_password(client, with_app)
        for code in (code_of(SECRET), "", "000000"):
            assert client.post(SECOND, {"code": code}).status_code == 200
        assert not is_signed_in(client)
        assert "SECRET_KEY has changed" in caplog.text

    def test_staff_see_who_has_a_second_factor_and_no_secret(self, admin_client, with_app):
        stored = Authenticator.objects.get(type="totp")
        page = admin_client.get(f"/admin/mfa/authenticator/{stored.pk}/change/")
        assert page.status_code == 200 and stored.data["secret"] not in page.text
        assert "usersession" not in {model._meta.model_name for model in admin.site._registry}


class TestStaff:
    PAGES = ["/admin/", "/admin/accounts/user/", "/admin/password_change/", "/tournaments/new/", "/tokens/"]

    @pytest.fixture(autouse=True)
    def needed(self, settings):
        settings.STAFF_TWO_FACTOR = True

    @pytest.mark.parametrize("page", PAGES)
    def test_without_one_are_led_to_the_page_that_sets_it_up(self, client, sam, page):
        client.force_login(sam)
        answer = client.get(page, follow=True)
        assert answer.redirect_chain == [(OWN, 302)]
        assert "Staff need two-factor sign-in" in answer.text

    @pytest.mark.parametrize("page", PAGES)
    def test_with_one_may_come_in(self, client, sam, page):
        TOTP.activate(sam, SECRET)
        client.force_login(sam)
        assert client.get(page).status_code == 200

    def test_with_recovery_codes_alone_may_not(self, client, sam):
        RecoveryCodes.activate(sam)
        client.force_login(sam)
        assert client.get("/admin/")["Location"] == OWN

    def test_a_form_that_is_sent_without_its_page_is_refused(self, client, sam):
        formation = make_formation("0/0/0,2,4,6")
        formation.save()
        client.force_login(sam)
        answer = client.post(f"/rules/battalion/formations/{formation.pk}/name/", {"name": "Anvil", "name_hu": "Üllő"})
        assert answer["Location"] == OWN
        formation.refresh_from_db()
        assert formation.name == ""

    def test_by_the_api_they_read_and_change_nothing(self, client, sam):
        client.force_login(sam)
        assert client.get("/api/v1/me/").status_code == 200
        answer = client.post("/api/v1/tokens/", {"name": "CI"}, "application/json")
        assert answer.status_code == 403 and "two-factor" in answer.json()["error"]["message"]
        assert not Token.objects.exists()
        TOTP.activate(sam, SECRET)
        assert client.post("/api/v1/tokens/", {"name": "CI"}, "application/json").status_code == 201

    def test_their_other_pages_stay_open(self, client, sam):
        client.force_login(sam)
        for page in ("/", "/settings/", "/sessions/", "/bots/", "/tournaments/", OWN):
            assert client.get(page).status_code == 200, page

    def test_authors_need_none(self, client, ana):
        client.force_login(ana)
        assert client.get("/tokens/").status_code == 200
        assert client.get("/admin/").status_code == 302

    def test_a_token_of_staff_without_one_only_reads_and_as_any_author(self, sam, ben, ladder):
        group = Group.objects.create(name="Class 9b", slug="class-9b")
        Membership.objects.create(group=group, user=ben, role="owner")
        hidden = create_bot(owner=ben, name="hidden", game="battleline", group=group)
        plan = {"title": "Cup", "game": "battleline", "edition": "standard", "is_rated": True}
        for client in (Script(sam), Script()):
            client.client.force_login(sam)
            refused = client.post("/tournaments/", plan)
            assert refused.status_code == 403 and "two-factor" in refused.json()["error"]["message"]
            assert client.get("/me/").status_code == 200
            assert client.get(f"/bots/{hidden.slug}/").status_code == 404
        script = Script(sam)
        TOTP.activate(sam, SECRET)
        made = script.post("/tournaments/", plan)
        assert made.status_code == 201, made.content
        assert script.get(f"/bots/{hidden.slug}/").status_code == 200
        sam.refresh_from_db()
        assert sam.is_staff and sam.is_superuser

    def test_it_is_not_needed_unless_that_is_set(self, client, sam, settings):
        settings.STAFF_TWO_FACTOR = False
        client.force_login(sam)
        assert client.get("/admin/").status_code == 200

    def test_every_page_of_organisers_needs_it(self):
        patterns = [one for one in walk(get_resolver().url_patterns) if isinstance(one, URLPattern)]
        own = {"arena.pages.tournaments.organising"}
        organisers = {one.name for one in patterns if one.callback.__module__ in own}
        assert organisers and organisers <= STAFF_PAGES
        assert STAFF_PAGES <= {one.name for one in patterns}


def walk(patterns):
    for pattern in patterns:
        yield pattern
        yield from walk(getattr(pattern, "url_patterns", ()))


class TestResetting:
    def test_who_lost_it_signs_in_with_the_password_and_nowhere_else(self, client, with_app, caplog):
        caplog.set_level(logging.WARNING, "arena")
        enter_password(client, with_app)
        client.post(SECOND, {"code": code_of(SECRET)})
        said = StringIO()
        call_command("reset_two_factor", "ana", "--yes", stdout=said)
        assert "2 authenticators" in said.getvalue() and "Two-factor sign-in of ana was reset" in caplog.text
        assert not is_signed_in(client)
        assert enter_password(Client(), with_app)["Location"] == "/bots/"

    @pytest.mark.parametrize("answer", ["", "n", "no"])
    def test_nothing_is_changed_until_it_is_confirmed(self, with_app, monkeypatch, answer):
        monkeypatch.setattr("builtins.input", lambda _: answer)
        with pytest.raises(CommandError, match="Nothing was changed"):
            call_command("reset_two_factor", "ana")
        assert Authenticator.objects.count() == 2
        monkeypatch.setattr("builtins.input", lambda _: "y")
        call_command("reset_two_factor", "ana", stdout=StringIO())
        assert not Authenticator.objects.exists()

    def test_nobody_else_is_reset(self, with_app, ben):
        call_command("reset_two_factor", "ben", "--yes", stdout=StringIO())
        assert Authenticator.objects.count() == 2
        with pytest.raises(CommandError, match="No active user called eve"):
            call_command("reset_two_factor", "eve", "--yes")
