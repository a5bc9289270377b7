"""Sign-in with the school's account, against a server of OpenID Connect that runs here."""

import importlib
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from io import BytesIO
from re import search
from urllib.parse import parse_qs, urlsplit

import httpx
import oidc_provider_mock
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.http import HttpResponse
from django.test import Client
from django.urls import clear_url_caches

from arena.operations.personal_data import write_export
from arena.pages import urls
from arena.pages.account.school import SchoolAdapter
from arena.people.accounts.models import User
from arena.people.accounts.services import create_invitation
from arena.people.lifecycle import anonymise_account, suspend_account
from tests.authenticator import code_of

PASSWORD = "four flags of nine"
CALLBACK = "http://testserver/accounts/school/callback/"
ANA = {
    "email": "ana@school.example.org",
    "email_verified": True,
    "preferred_username": "ana.kovacs",
    "name": "Ana Kovács",
}

# The server's own libraries warn each other.
pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@dataclass
class School:
    """A server, and the arena's name there."""

    server: str
    name: str
    secret: str

    def knows(self, subject: str, **claims: object) -> str:
        """Give a person an account at the school."""
        httpx.put(f"{self.server}/users/{subject}", json=claims).raise_for_status()
        return subject

    def sign_in(self, address: str, subject: str = "", action: str = "") -> str:
        """Sign a person in on the school's page, and return where that leads."""
        answer = httpx.post(address, data={"sub": subject, **({"action": action} if action else {})})
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]


@pytest.fixture(scope="module")
def server() -> Iterator[School]:
    with oidc_provider_mock.run_server_in_thread(require_client_registration=True) as running:
        address = f"http://localhost:{running.server_port}"
        known = httpx.post(
            f"{address}/oauth2/clients",
            json={"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "client_secret_post"},
        ).json()
        yield School(address, known["client_id"], known["client_secret"])


@pytest.fixture
def turn_on(settings) -> Iterator[Callable[[str, str, str], None]]:
    """Configure a server as the environment does at the start."""

    def configure(server: str, name: str, secret: str) -> None:
        settings.SCHOOL_SERVER, settings.SCHOOL_CLIENT, settings.SCHOOL_SECRET = server, name, secret
        importlib.reload(urls)
        clear_url_caches()

    yield configure
    settings.SCHOOL_SERVER = ""
    importlib.reload(urls)
    clear_url_caches()


@pytest.fixture
def school(server: School, turn_on) -> School:
    turn_on(server.server, server.name, server.secret)
    return server


def leave(client: Client, path: str = "/accounts/school/sign-in/", **form: str) -> str:
    """Press the button, and return where the page leads by itself."""
    page = client.post(path, form).content.decode()
    found = search(r'http-equiv="refresh" content="0;url=([^"]+)"', page)
    assert found, page
    return unescape(found[1])


def come_by_school(client: Client, school: School, subject: str, **form: str) -> HttpResponse:
    """Sign in with the school's account, to the page that the arena shows then."""
    return client.get(school.sign_in(leave(client, **form), subject), follow=True)


def make_account(client: Client, school: School, subject: str, name: str = "") -> User:
    """Make an account with the school's."""
    page = come_by_school(client, school, subject)
    wanted = name or page.context["form"]["username"].value()
    assert client.post("/accounts/school/sign-up/", {"username": wanted}).status_code == 302
    return User.objects.get(username=wanted)


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def by_password(user: User) -> Client:
    """Sign in with name and password, and type the password again, as before every change."""
    client = Client()
    client.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def heading(response: HttpResponse) -> str:
    found = search(r"<h1>\s*(.*?)\s*</h1>", response.content.decode())
    assert found
    return unescape(found[1])


def test_without_a_server_nothing_of_it_is_there() -> None:
    for path in ("", "sign-in/", "callback/", "sign-up/", "link/"):
        assert Client().get(f"/accounts/school/{path}").status_code == 404
    for page in ("/accounts/login/", "/accounts/signup/"):
        assert b"school" not in Client().get(page).content


def test_a_person_of_the_school_gets_an_account_and_comes_back_to_it(school: School) -> None:
    client = Client()
    for page in ("/accounts/login/", "/accounts/signup/"):
        assert "Sign in with your school account" in client.get(page).content.decode()
    address = leave(client, next="/ladders/")
    asked = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
    assert asked["redirect_uri"] == CALLBACK and asked["code_challenge_method"] == "S256"

    page = client.get(school.sign_in(address, school.knows("1", **ANA)), follow=True)
    assert heading(page) == "Choose a username" and not User.objects.filter(username="ana.kovacs").exists()
    assert page.context["form"]["username"].value() == "ana.kovacs"
    done = client.post("/accounts/school/sign-up/", {"username": "ana.kovacs"})
    assert done.url == "/ladders/" and is_signed_in(client)
    ana = User.objects.get(username="ana.kovacs")
    assert (ana.first_name, ana.last_name, ana.has_usable_password()) == ("", "", False)
    assert EmailAddress.objects.get(user=ana).verified and ana.email == ANA["email"]

    again = Client()
    assert come_by_school(again, school, "1").redirect_chain[-1][0] == "/bots/"
    assert again.session["_auth_user_id"] == str(ana.pk) and User.objects.filter(email=ANA["email"]).count() == 1


@pytest.mark.parametrize(
    ("claims", "suggested"),
    [
        ({"preferred_username": "béla@school.example.org"}, "béla"),
        ({"preferred_username": "Nagy Béla (9.b)"}, "Nagy.Béla.9.b"),
        ({"preferred_username": "admin"}, "admin2"),
        ({"preferred_username": "TAKEN"}, "TAKEN2"),
        ({"preferred_username": "аna"}, ""),
        ({"preferred_username": 7, "email": "cili@school.example.org"}, "cili"),
        ({"email": None}, ""),
    ],
)
def test_a_name_that_is_taken_or_refused_is_made_valid(
    school: School, claims: dict[str, object], suggested: str
) -> None:
    User.objects.create_user("taken")
    page = come_by_school(Client(), school, school.knows("names", **claims))
    assert page.context["form"]["username"].value() == suggested


def test_a_name_is_checked_as_every_other(school: School) -> None:
    User.objects.create_user("taken")
    client = Client()
    come_by_school(client, school, school.knows("2", **ANA))
    for name in ("taken", "admin", "with space", ""):
        page = client.post("/accounts/school/sign-up/", {"username": name})
        assert page.status_code == 200 and page.context["form"].errors["username"], name
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("verified", [False, None, "false", 1.5, "yes"])
def test_an_address_is_confirmed_only_where_the_school_says_so(school: School, verified: object) -> None:
    ben = make_account(Client(), school, school.knows("3", email="ben@school.example.org", email_verified=verified))
    assert list(EmailAddress.objects.filter(user=ben).values_list("email", "verified")) == [
        ("ben@school.example.org", False)
    ]


def test_an_address_never_leads_into_somebody_elses_account(school: School) -> None:
    owner = User.objects.create_user("owner", password=PASSWORD, email=ANA["email"])
    EmailAddress.objects.create(user=owner, email=ANA["email"], verified=True, primary=True)
    client = Client()
    page = come_by_school(client, school, school.knows("4", **ANA))
    assert heading(page) == "Choose a username" and "Another account here has confirmed" in page.content.decode()
    client.post("/accounts/school/sign-up/", {"username": "second"})
    assert client.session["_auth_user_id"] == str(User.objects.get(username="second").pk)
    assert not EmailAddress.objects.get(user__username="second").verified
    assert EmailAddress.objects.get(user=owner).verified


def test_an_account_is_linked_and_unlinked_by_its_owner(school: School) -> None:
    dora = User.objects.create_user("dora", password=PASSWORD)
    signed_in = Client()
    signed_in.post("/accounts/login/", {"login": "dora", "password": PASSWORD})
    asked = signed_in.post("/accounts/school/link/")
    assert asked.url.startswith("/accounts/reauthenticate/")

    client = by_password(dora)
    assert "Link it to sign in" in client.get("/settings/").content.decode()
    back = school.sign_in(leave(client, "/accounts/school/link/"), school.knows("5", **ANA))
    assert heading(client.get(back, follow=True)) == "School account"
    assert "Linked: it signs you in" in client.get("/settings/").content.decode()
    assert not EmailAddress.objects.filter(user=dora).exists()
    newer = Client()
    come_by_school(newer, school, "5")
    assert newer.session["_auth_user_id"] == str(dora.pk)

    emil = by_password(User.objects.create_user("emil", password=PASSWORD))
    refused = emil.get(school.sign_in(leave(emil, "/accounts/school/link/"), "5"), follow=True)
    assert "linked to another account" in refused.content.decode()
    assert SocialAccount.objects.get().user == dora

    assert "no longer signs you in" in client.post("/accounts/school/unlink/", follow=True).content.decode()
    assert not SocialAccount.objects.exists()


def test_who_has_no_password_cannot_lock_themselves_out(school: School) -> None:
    client = Client()
    make_account(client, school, school.knows("6", **ANA))
    page = client.post("/accounts/school/unlink/", follow=True).content.decode()
    assert "Set a password first" in page and "/accounts/password/set/" in page and SocialAccount.objects.exists()


def test_another_server_has_other_people(school: School, turn_on) -> None:
    make_account(Client(), school, school.knows("7", **ANA))
    with oidc_provider_mock.run_server_in_thread() as running:
        other = School(f"http://localhost:{running.server_port}", "arena", "secret")
        turn_on(other.server, other.name, other.secret)
        page = come_by_school(Client(), other, other.knows("7", email="eve@other.example.org"))
    assert heading(page) == "Choose a username"


def test_a_second_factor_is_asked_for(school: School) -> None:
    client = Client()
    flora = make_account(client, school, school.knows("8", **ANA))
    client.get("/accounts/2fa/totp/activate/")
    secret = client.session["mfa.totp.secret"]
    client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)})
    assert Authenticator.objects.filter(user=flora).exists()
    newer = Client()
    page = come_by_school(newer, school, "8")
    assert heading(page) == "Two-factor sign-in" and not is_signed_in(newer)


def test_answers_about_two_people_are_refused(school: School) -> None:
    provider = SchoolAdapter().get_provider(None, "school")
    token = {"iss": school.server, "sub": "ana"}
    assert provider.extract_uid({"id_token": token, "userinfo": {"sub": "ana"}})
    for answers in (
        {"id_token": token, "userinfo": {"sub": "eve"}},
        {"userinfo": {"sub": "ana"}},
        {"id_token": {"sub": "a"}},
    ):
        with pytest.raises(OAuth2Error):
            provider.extract_uid(answers)


@pytest.mark.parametrize("right", ["is_staff", "is_superuser"])
def test_staff_need_a_second_factor(school: School, right: str) -> None:
    gabor = make_account(Client(), school, school.knows("9", **ANA))
    setattr(gabor, right, True)
    gabor.save()
    client = Client()
    page = come_by_school(client, school, "9")
    assert page.status_code == 403 and heading(page) == "Staff need two-factor sign-in" and not is_signed_in(client)


def test_banned_people_are_refused_and_told(school: School) -> None:
    hanna = make_account(Client(), school, school.knows("10", **ANA))
    suspend_account(user=hanna, ban=True)
    client = Client()
    assert come_by_school(client, school, "10").status_code == 403 and not is_signed_in(client)


def test_sign_up_follows_the_setting(school: School, settings) -> None:
    ivan = school.knows("11", **ANA)
    settings.SIGN_UP = "closed"
    page = come_by_school(Client(), school, ivan)
    assert page.status_code == 403 and "isn't linked to an account here" in unescape(page.content.decode())

    settings.SIGN_UP = "school"
    assert Client().post("/accounts/signup/", {"username": "x"}).status_code == 403
    assert "Sign in with your school account" in Client().get("/accounts/signup/").content.decode()
    assert heading(come_by_school(Client(), school, ivan)) == "Choose a username"

    settings.SIGN_UP = "approval"
    client = Client()
    assert make_account(client, school, ivan).awaits_approval and not is_signed_in(client)


def test_an_invitation_goes_along(school: School, settings) -> None:
    settings.SIGN_UP = "invitation"
    julia = school.knows("12", **ANA)
    assert come_by_school(Client(), school, julia).status_code == 403
    _, path = create_invitation()
    client = Client()
    form = client.get(path).content.decode()
    token = parse_qs(urlsplit(path).query)["invitation"][0]
    assert form.count(f'value="{token}"') == 2
    come_by_school(client, school, julia, invitation=token)
    client.post("/accounts/school/sign-up/", {"username": "julia"})
    assert is_signed_in(client)
    assert come_by_school(Client(), school, school.knows("13", **ANA), invitation=token).status_code == 403


def test_a_class_behind_one_address_isnt_kept_out(school: School, settings) -> None:
    settings.MAX_SIGN_UPS_PER_HOUR = 1
    for number in range(3):
        make_account(Client(), school, school.knows(f"class-{number}", preferred_username=f"pupil{number}"))


def test_export_and_erasure_include_the_link(school: School) -> None:
    kati = make_account(Client(), school, school.knows("14", **ANA))
    file = BytesIO()
    write_export(user=kati, file=file)
    account = json.loads(zipfile.ZipFile(file).read("account.json"))
    assert [one["extra_data"] for one in account["school_accounts"]] == [
        {"issuer": school.server, "subject": "14", "email": ANA["email"]}
    ]
    anonymise_account(user=kati)
    assert not SocialAccount.objects.exists()
    assert heading(come_by_school(Client(), school, "14")) == "Choose a username"


def test_who_gives_up_is_led_back(school: School) -> None:
    client = Client()
    address = leave(client)
    state = parse_qs(urlsplit(address).query)["state"][0]  # this server forgets to send it back
    page = client.get(f"{school.sign_in(address, action='deny')}&state={state}", follow=True)
    assert "You cancelled" in page.content.decode() and heading(page) == "Sign in"


@pytest.mark.parametrize("what", ["other browser", "twice", "no code", "wrong code"])
def test_an_answer_that_wasnt_asked_for_signs_nobody_in(school: School, what: str) -> None:
    client = Client()
    back = school.sign_in(leave(client), school.knows("15", **ANA))
    if what == "other browser":
        client = Client()
    elif what == "twice":
        client.get(back)
    elif what == "no code":
        back = back.replace("code=", "cod=")
    else:
        back = back.replace("code=", "code=x")
    answer = client.get(back)
    assert answer.status_code == 400 and heading(answer) == "School account sign-in failed"


def test_a_wrong_secret_signs_nobody_in(school: School, settings) -> None:
    settings.SCHOOL_SECRET = "guess"
    client = Client()
    assert client.get(school.sign_in(leave(client), school.knows("16", **ANA))).status_code == 400


def test_a_school_out_of_reach_is_said(turn_on) -> None:
    turn_on("http://localhost:9", "arena", "secret")
    answer = Client().post("/accounts/school/sign-in/")
    assert answer.status_code == 502 and heading(answer) == "Your school can't be reached"
