"""From a pasted list to a person who is signed in."""

import re

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.pages.account import security
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from tests.arena.people.accounts.test_known_addresses import wait_for_mails

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
    assert not links_in(again) and "In the group already" in again
    members = client.get("/groups/class-10b/members/").text
    assert not links_in(members) and members.count("has not signed in yet") == 2


def test_a_file_is_previewed_before_anything_is_made(reader, group: Group, teacher: User):
    client = reader(teacher)
    text = "Név;E-mail;Neptun kód;Szak\nKőszegi Ödön;odon@example.org;A1;fizika\nNagy Béla;;;\nnagy béla;;;"
    file = SimpleUploadedFile("class.csv", text.encode("cp1250"))
    first = client.post("/groups/class-10b/list/", {"file": file, "days": "7"})
    assert first.status_code == 400 and "Line 4 is the same as line 3" in first.text and "Make 2" not in first.text
    assert Membership.objects.count() == 2
    file = SimpleUploadedFile("class.csv", text.rpartition("\n")[0].encode("cp1250"))
    second = client.post("/groups/class-10b/list/", {"file": file, "days": "7"})
    assert second.status_code == 200 and second["Cache-Control"] == "private, no-store"
    for part in ("Kőszegi Ödön", "odon@example.org", "Number: A1", "Szak: fizika", "Make 2 accounts and show slips"):
        assert part in second.text
    assert "Is it Kőszegi, or Kõszegi?" in second.text and Membership.objects.count() == 2
    kept = {"names": second.context["text"], "days": "7"}
    other = client.post("/groups/class-10b/list/", {**kept, "read_as": "cp1250"})
    assert "Is it Kõszegi, or Kőszegi?" in other.text
    assert len(links_in(client.post("/groups/class-10b/list/", {**kept, "make": "on"}).text)) == 2


def test_only_organisers_come_to_lists(reader, group: Group, ben: User, eva: User):
    assert reader(ben).post("/groups/class-10b/list/", {"names": "x", "days": "7"}).status_code == 403
    assert reader(eva).post("/groups/class-10b/list/links/", {"days": "7"}).status_code == 404
    assert not User.objects.filter(username__startswith="newcomer-").exists()


def test_a_bad_list_is_refused_as_a_whole(reader, group: Group, teacher: User):
    answer = reader(teacher).post("/groups/class-10b/list/", {"names": "Anna\nBéla, b@b\nanna", "days": "7"})
    assert answer.status_code == 400 and "Line 2:" in answer.text and "Line 3 is the same" in answer.text
    assert Membership.objects.count() == 2


def test_a_person_chooses_name_and_password_and_is_in(reader, group: Group, teacher: User):
    link = links_in(paste(reader(teacher), "Kovács Anna"))[0]
    person = Client()
    for _ in range(2):  # Programs that look at links use nothing up.
        page = person.get(link)
        assert page.status_code == 200 and "Welcome, Kovács Anna" in page.text
        assert page["Cache-Control"] == "private, no-store"
    done = person.post(link, GOOD, follow=True)
    assert done.redirect_chain == [("/groups/class-10b/", 302)] and "You are signed in as snow-goose." in done.text
    assert Membership.objects.get(real_name="Kovács Anna").user.username == "snow-goose"
    assert Client().post(link, GOOD).status_code == 404 and Client().get(link).status_code == 404
    assert Client().login(username="snow-goose", password=PASSWORD)


def test_what_is_wrong_with_name_or_password_is_said(reader, group: Group, teacher: User, ben: User):
    link = links_in(paste(reader(teacher), "Kovács Anna"))[0]
    for change, sentence in (
        ({"username": "ben"}, "already exists"),
        ({"username": "staff"}, "reserved"),
        ({"password": "1234", "password_again": "1234"}, "too short"),
        ({"password_again": "another"}, "The two passwords are not the same."),
    ):
        answer = Client().post(link, GOOD | change)
        assert answer.status_code == 400 and sentence in answer.text, sentence
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
    assert "has signed in already, and needs no slip" in client.post(address, follow=True).text


def test_new_slips_end_the_old_links(reader, group: Group, teacher: User):
    client = reader(teacher)
    old = links_in(paste(client, "Kovács Anna"))[0]
    new = links_in(client.post("/groups/class-10b/list/links/", {"days": "1"}).text)[0]
    assert Client().get(old).status_code == 404 and Client().post(new, GOOD).status_code == 302
    page = client.post("/groups/class-10b/list/links/", {"days": "1"}, follow=True).text
    assert "Everybody has signed in" in page


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
