"""From a pasted list to a person who is signed in."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Permission
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import TeamMember
from arena.bots.services import create_bot
from arena.bots.teams import issue_token
from arena.core.environment import read_mail_url
from arena.pages.account import security
from arena.people.accounts.limits import MAX_MAILED_SLIPS_TO_ADDRESS
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.notices.models import Notice
from tests.arena.core.test_mail import Inbox, mail_server
from tests.arena.people.accounts.test_known_addresses import wait_for_mails

SMTP = "django.core.mail.backends.smtp.EmailBackend"
PASSWORD = "four flags of nine"
GOOD = {"username": "snow-goose", "password": PASSWORD, "password_again": PASSWORD}


def links_in(page: str) -> list[str]:
    return re.findall(r"http://testserver(/groups/sign-in/[\w-]{43}/)", page)


def paste(client: Client, names: str = "Kovács Anna\nNagy Béla") -> str:
    answer = client.post("/groups/class-10b/list/", {"names": names, "days": "7", "make": "on"})
    assert answer.status_code == 200 and answer["Cache-Control"] == "private, no-store"
    return answer.text


def test_slips_are_shown_once_with_a_code_to_scan(reader, group: Group, teacher: User):
    client = reader(teacher)
    page = paste(client)
    assert len(links_in(page)) == 2 and page.count('class="qr"') == 2 and "Kovács Anna" in page
    again = paste(client)
    assert not links_in(again) and "Already in the group" in again
    members = client.get("/groups/class-10b/members/").text
    assert not links_in(members) and members.count("hasn't signed in yet") == 2


def test_a_file_is_previewed_before_anything_is_made(reader, group: Group, teacher: User):
    client = reader(teacher)
    text = "Név;E-mail;Neptun kód;Szak\nKőszegi Ödön;odon@example.org;A1;fizika\nNagy Béla;;;\nnagy béla;;;"
    file = SimpleUploadedFile("class.csv", text.encode("cp1250"))
    first = client.post("/groups/class-10b/list/", {"file": file, "days": "7"})
    assert first.status_code == 400 and "Lines 3 and 4 are identical" in first.text and "Create 2" not in first.text
    assert Membership.objects.count() == 2
    file = SimpleUploadedFile("class.csv", text.rpartition("\n")[0].encode("cp1250"))
    second = client.post("/groups/class-10b/list/", {"file": file, "days": "7"})
    assert second.status_code == 200 and second["Cache-Control"] == "private, no-store"
    for part in ("Kőszegi Ödön", "odon@example.org", "Number: A1", "Szak: fizika", "Create 2 accounts and show slips"):
        assert part in second.text
    assert "Is it Kőszegi or Kõszegi?" in second.text and Membership.objects.count() == 2
    kept = {"names": second.context["text"], "days": "7"}
    other = client.post("/groups/class-10b/list/", {**kept, "read_as": "cp1250"})
    assert "Is it Kõszegi or Kőszegi?" in other.text
    assert len(links_in(client.post("/groups/class-10b/list/", {**kept, "make": "on"}).text)) == 2


def test_only_organisers_come_to_lists(reader, group: Group, ben: User, eva: User):
    assert reader(ben).post("/groups/class-10b/list/", {"names": "x", "days": "7"}).status_code == 403
    assert reader(eva).post("/groups/class-10b/list/links/", {"days": "7"}).status_code == 404
    assert not User.objects.filter(username__startswith="newcomer-").exists()


def test_a_bad_list_is_refused_as_a_whole(reader, group: Group, teacher: User):
    answer = reader(teacher).post("/groups/class-10b/list/", {"names": "Anna\nBéla, b@b\nanna", "days": "7"})
    assert answer.status_code == 400 and "Line 2:" in answer.text and "Lines 1 and 3 are identical" in answer.text
    assert Membership.objects.count() == 2


def test_a_person_chooses_name_and_password_and_is_in(reader, group: Group, teacher: User):
    link = links_in(paste(reader(teacher), "Kovács Anna"))[0]
    person = Client()
    for _ in range(2):  # Programs that look at links use nothing up.
        page = person.get(link)
        assert page.status_code == 200 and "Welcome, Kovács Anna" in page.text
        assert page["Cache-Control"] == "private, no-store"
    done = person.post(link, GOOD, follow=True)
    assert done.redirect_chain == [("/groups/class-10b/", 302)]
    assert "You're signed in as snow-goose." in unescape(done.text)
    assert Membership.objects.get(real_name="Kovács Anna").user.username == "snow-goose"
    assert Client().post(link, GOOD).status_code == 404 and Client().get(link).status_code == 404
    assert Client().login(username="snow-goose", password=PASSWORD)


def test_what_is_wrong_with_name_or_password_is_said(reader, group: Group, teacher: User, ben: User):
    link = links_in(paste(reader(teacher), "Kovács Anna"))[0]
    for change, sentence in (
        ({"username": "ben"}, "already exists"),
        ({"username": "staff"}, "reserved"),
        ({"password": "1234", "password_again": "1234"}, "too short"),
        ({"password_again": "another"}, "The passwords don't match."),
    ):
        answer = Client().post(link, GOOD | change)
        assert answer.status_code == 400 and sentence in unescape(answer.text), sentence
    assert Client().post(link, GOOD).status_code == 302


def test_one_person_gets_a_new_slip_without_the_others(reader, group: Group, teacher: User, ben: User):
    client = reader(teacher)
    first, second = links_in(paste(client))
    anna = Membership.objects.get(real_name="Kovács Anna")
    address = f"/groups/class-10b/members/{anna.pk}/slip/"
    assert f'action="{address}"' in client.get("/groups/class-10b/members/").text
    assert reader(ben).post(address).status_code == 403
    (new,) = links_in(client.post(address).text)
    assert Client().get(first).status_code == 404 and Client().get(second).status_code == 200
    assert Client().post(new, GOOD).status_code == 302


def test_new_slips_end_the_old_links(reader, group: Group, teacher: User):
    client = reader(teacher)
    old = links_in(paste(client, "Kovács Anna"))[0]
    new = links_in(client.post("/groups/class-10b/list/links/", {"days": "1"}).text)[0]
    assert Client().get(old).status_code == 404 and Client().post(new, GOOD).status_code == 302
    page = client.post("/groups/class-10b/list/links/", {"days": "1"}, follow=True).text
    assert "Everyone has signed in" in page


@pytest.mark.django_db(transaction=True)
def test_a_forgotten_password_is_mailed_to_the_address_of_the_list(reader, group: Group, teacher: User, monkeypatch):
    monkeypatch.setattr(security, "MAX_DELAY_MS", 1)
    link = links_in(paste(reader(teacher), "Kovács Anna, anna@example.org"))[0]
    Client().post(link, GOOD)
    Client().post("/accounts/password/reset/", {"email": "anna@example.org"})
    wait_for_mails(1)
    (letter,) = mail.outbox
    assert letter.to == ["anna@example.org"] and "snow-goose" in letter.body
    found = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", letter.body)
    assert found is not None
    person = Client()
    form = person.get(found[1], follow=True)
    new = {"password1": "nine flags of four", "password2": "nine flags of four"}
    person.post(form.redirect_chain[-1][0], new)
    assert Client().login(username="snow-goose", password="nine flags of four")


# Slips by mail, to a real server.


@pytest.fixture
def inbox(settings: Settings) -> Iterator[Inbox]:
    with mail_server(None) as (inbox, port):
        for name, value in read_mail_url(f"smtp://localhost:{port}").items():
            setattr(settings, name, value)
        yield inbox


NAMES = "Kovács Anna, anna@example.org\nNagy Béla\nSzabó Cili, cili@example.org"


def test_slips_are_mailed_once_and_only_the_others_are_printed(reader, group: Group, teacher: User, inbox: Inbox):
    inbox.refused = {"cili@example.org"}
    client = reader(teacher)
    preview = client.post("/groups/class-10b/list/", {"names": NAMES, "days": "7"}).text
    assert "Create 3 accounts and email slips" in preview and "2 people have an address" in preview
    page = client.post("/groups/class-10b/list/", {"names": NAMES, "days": "7", "make": "mail"}).text
    assert inbox.received == ["anna@example.org"]
    (link,) = links_in(inbox.read("anna@example.org"))
    assert link not in page and len(links_in(page)) == 2, "those of Béla and Cili are printed"
    for outcome in ("mailed", "no address", "address refused"):
        assert outcome in page
    assert "until" in inbox.read("anna@example.org") and "ana organises Class 10.b" in inbox.read("anna@example.org")
    assert Client().post(link, GOOD).status_code == 302 and Client().get(link).status_code == 404


def test_without_mail_nothing_is_offered_and_links_are_in_no_log(reader, group: Group, teacher: User, settings, capsys):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    client = reader(teacher)
    assert "mail slips" not in client.post("/groups/class-10b/list/", {"names": NAMES, "days": "7"}).text
    page = client.post("/groups/class-10b/list/", {"names": NAMES, "days": "7", "make": "mail"}).text
    assert len(links_in(page)) == 3 and "/groups/sign-in/" not in capsys.readouterr().out
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "localhost", 1
    page = client.post("/groups/class-10b/list/links/", {"days": "7", "mail": ""}).text
    assert len(links_in(page)) == 3 and page.count("not sent") == 2


def test_nobody_is_flooded_with_slips(reader, group: Group, teacher: User, inbox: Inbox):
    client = reader(teacher)
    client.post("/groups/class-10b/list/", {"names": "Kovács Anna, anna@example.org", "days": "7", "make": "mail"})
    for _number in range(MAX_MAILED_SLIPS_TO_ADDRESS):
        page = client.post("/groups/class-10b/list/links/", {"days": "7", "mail": ""}).text
    assert inbox.received == ["anna@example.org"] * MAX_MAILED_SLIPS_TO_ADDRESS
    assert "too many emails today" in page and len(links_in(page)) == 1


# A new link to an account that somebody has signed in to.


@pytest.fixture
def anna(reader, group: Group, teacher: User) -> Membership:
    """Anna, who has signed in by her slip to an account that the list made."""
    (link,) = links_in(paste(reader(teacher), "Kovács Anna, anna@example.org"))
    Client().post(link, GOOD)
    return Membership.objects.select_related("user", "group").get(real_name="Kovács Anna")


def give(client: Client, member: Membership) -> str:
    return client.post(f"/groups/class-10b/members/{member.pk}/slip/", follow=True).text


def test_a_forgotten_password_is_replaced_by_a_new_link(reader, teacher: User, anna: Membership):
    earlier = Client()
    earlier.login(username="snow-goose", password=PASSWORD)
    User.objects.update(last_login=now() - timedelta(minutes=1))
    _token, text = issue_token(owner=anna.user, name="CI")
    members = reader(teacher).get("/groups/class-10b/members/").text
    assert "Show a new sign-in link" in members and "hasn't signed in" not in members
    (link,) = links_in(give(reader(teacher), anna))
    page = Client().get(link).text
    assert "ana made this link so you can choose a new password" in page
    assert "Anyone who opens that link gets in" in page
    new = GOOD | {"username": "another", "password": "nine flags of four", "password_again": "nine flags of four"}
    person = Client()
    assert person.post(link, new).status_code == 302 and Client().get(link).status_code == 404
    assert Client().login(username="snow-goose", password="nine flags of four")
    assert earlier.get("/notices/").status_code == 302, "signs out"
    assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {text}"}).status_code == 401
    told = [str(one.text) for one in Notice.objects.filter(user=anna.user, event="account.link").order_by("pk")]
    assert len(told) == 2 and told[0].startswith("ana, an organiser of Class 10.b, created a new sign-in link")
    assert told[1].startswith("Someone signed in with the link that ana, an organiser of Class 10.b, created on ")


def confirm_address(user: User) -> None:
    EmailAddress.objects.filter(user=user).update(verified=True)


def join_another_group(user: User) -> None:
    other = Group.objects.create(name="Club", slug="club")
    Membership.objects.create(group=other, user=user)


GROWTH: dict[str, Callable[[User], object]] = {
    "a confirmed address": confirm_address,
    "a second factor": lambda user: Authenticator.objects.create(user=user, type="totp", data={}),
    "the school's account": lambda user: SocialAccount.objects.create(user=user, provider="school", uid="1"),
    "staff rights": lambda user: User.objects.filter(pk=user.pk).update(is_staff=True),
    "a permission": lambda user: user.user_permissions.add(Permission.objects.get(codename="add_tournament")),
    "another group": join_another_group,
    "a public bot": lambda user: create_bot(owner=user, name="Heron", game="battleline"),
    "a place in a team": lambda user: TeamMember.objects.create(
        bot=create_bot(owner=User.objects.get(username="ben"), name="Heron", game="battleline"), user=user
    ),
    "the role of an organiser": lambda user: Membership.objects.filter(user=user).update(role="co_organiser"),
}


@pytest.mark.parametrize("grown", GROWTH)
def test_an_account_that_has_grown_beyond_the_group_is_closed_to_organisers(
    reader, teacher: User, anna: Membership, grown: str
):
    User.objects.update(last_login=now() - timedelta(minutes=1))
    (link,) = links_in(give(reader(teacher), anna))
    assert Client().get(link).status_code == 200
    GROWTH[grown](anna.user)
    assert Client().get(link).status_code == Client().post(link, GOOD).status_code == 404, "a link that was kept"
    refused = give(reader(teacher), anna)
    assert not links_in(refused) and "contains more than this group's work" in unescape(refused)
    assert Client().login(username="snow-goose", password=PASSWORD)


def test_a_bot_of_the_group_leaves_the_account_open(reader, group: Group, teacher: User, anna: Membership):
    create_bot(owner=anna.user, name="Heron", game="battleline", group=group)
    assert links_in(give(reader(teacher), anna))


def test_links_end_when_their_person_signs_in_or_their_maker_no_longer_organises(
    reader, group: Group, teacher: User, ben: User, anna: Membership
):
    Membership.objects.filter(user=ben).update(role="co_organiser")
    User.objects.update(last_login=now() - timedelta(minutes=1))
    (kept,) = links_in(give(reader(ben), anna))
    Membership.objects.filter(user=ben).update(role="member")
    assert Client().get(kept).status_code == 404
    (second,) = links_in(give(reader(teacher), anna))
    Client().login(username="snow-goose", password=PASSWORD)
    assert Client().get(second).status_code == 404


def test_a_slip_ends_when_its_person_got_in_by_other_means(reader, group: Group, teacher: User):
    (link,) = links_in(paste(reader(teacher), "Kovács Anna, anna@example.org"))
    User.objects.filter(email="anna@example.org").update(last_login=now())
    assert Client().get(link).status_code == 404


def test_accounts_that_no_list_made_and_strangers_get_no_link(
    reader, group: Group, teacher: User, ben: User, eva, anna
):
    User.objects.filter(pk=ben.pk).update(last_login=now())
    refused = give(reader(teacher), group.memberships.get(user=ben))
    assert "wasn't created from this group's lists" in unescape(refused)
    assert reader(ben).post(f"/groups/class-10b/members/{anna.pk}/slip/").status_code == 403
    assert reader(eva).post(f"/groups/class-10b/members/{anna.pk}/slip/").status_code == 404
