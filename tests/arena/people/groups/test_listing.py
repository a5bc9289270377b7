"""A pasted list makes accounts whose links work once; it never opens an account that somebody has."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.utils.timezone import now

from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.models import User
from arena.people.groups import services
from arena.people.groups.listing import MAX_LISTED, BadList, ListedPerson, read_list_lines, read_name_list
from arena.people.groups.models import Group, Invitation, Membership, SignInLink
from arena.people.groups.services import (
    ListResult,
    accept_invitation,
    add_listed_people,
    create_group,
    find_open_link,
    join_group,
    remove_member,
    renew_unused_links,
    use_link,
)
from arena.people.notices.models import Notice

LIST = "Kovács Anna\nNagy Béla, bela@example.org\n\nSzabó\tCili\tcili@example.org\n"


@pytest.fixture
def group(ana: User) -> Group:
    ana.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return create_group(owner=User.objects.get(pk=ana.pk), name="Class 10.b", real_name="Teacher")


def add(group: Group, text: str = LIST, by: User | None = None, days: int = 14) -> ListResult:
    owner = by or group.created_by
    assert owner is not None
    return add_listed_people(group=group, by=owner, people=read_name_list(text), days=days)


def token_of(slip: Any) -> str:
    return str(slip.path).rstrip("/").rpartition("/")[2]


def give_address(user: User, email: str, verified: bool) -> None:
    EmailAddress.objects.create(user=user, email=email, verified=verified, primary=True)


@pytest.mark.parametrize(
    ("line", "name", "email"),
    [
        ("Anna Kovács", "Anna Kovács", ""),
        ("  Anna   Kovács , ANNA@Example.org", "Anna Kovács", "anna@example.org"),
        ("Kovács\tAnna\tanna@example.org", "Kovács Anna", "anna@example.org"),
        ("Anna Kovács <anna@example.org>;", "Anna Kovács", "anna@example.org"),
        ("anna@example.org", "", "anna@example.org"),
        ("An\u202ena", "Anna", ""),
        ('"Kovács, Anna";anna@example.org', "Kovács, Anna", "anna@example.org"),
    ],
)
def test_lines_are_read_as_people_write_them(line: str, name: str, email: str):
    assert read_name_list(line) == [ListedPerson(name, email)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Name,E-mail,Student number,Seminar\r\nAnna Kovács,ANNA@example.org,A1B2C3,Tuesday\r\n",
            ListedPerson("Anna Kovács", "anna@example.org", "A1B2C3", (("Seminar", "Tuesday"),)),
        ),
        (
            "\ufeffVezetéknév;Keresztnév;Neptun kód;E-mail cím\nKovács;Anna;A1B2C3;anna@example.org\n",
            ListedPerson("Kovács Anna", "anna@example.org", "A1B2C3"),
        ),
        (
            '"First name","Last name","ID number","Email address",Groups\n'
            'Anna,Kovács,A1B2C3,anna@example.org,"10.b, ""fast"""\n',
            ListedPerson("Anna Kovács", "anna@example.org", "A1B2C3", (("Groups", '10.b, "fast"'),)),
        ),
        ("NÉV\nKovács Anna", ListedPerson("Kovács Anna", "")),
        ("Kovács Anna\tanna@example.org\tA1B2C3", ListedPerson("Kovács Anna", "anna@example.org", "A1B2C3")),
    ],
)
def test_columns_are_known_by_their_headings(text: str, expected: ListedPerson):
    assert read_name_list(text) == [expected]


def test_two_people_of_one_name_are_told_apart_by_address_or_number(group: Group):
    text = "Name;E-mail;Number\nAnna;a@b.hu;\nAnna;c@d.hu;\nCili;;1\nCili;;2\nAnna;;\nBéla;a@b.hu;"
    problems = [line.problem is not None for line in read_list_lines(text)]
    assert problems == [False, False, False, False, True, True]
    two = "Anna, a@b.hu\nAnna, c@d.hu"
    assert len(add(group, two).slips) == 2 and len(add(group, two).present) == 2
    assert len(add(group, "Anna, e@f.hu").slips) == 1


def test_what_the_list_has_of_a_person_is_kept_with_the_membership(group: Group, ben: User):
    give_address(ben, "bela@example.org", verified=True)
    add(group, "Name;E-mail;Number;Seminar\nCili;cili@example.org;7;Tuesday\nBéla;bela@example.org;8;Friday")
    accept_invitation(invitation=Invitation.objects.get())
    kept = Membership.objects.exclude(number="").order_by("number").values_list("email", "number", "columns")
    assert list(kept) == [
        ("cili@example.org", "7", [["Seminar", "Tuesday"]]),
        ("bela@example.org", "8", [["Seminar", "Friday"]]),
    ]
    new = EmailAddress.objects.exclude(user=ben).get()
    assert (new.email, new.verified, new.user.email) == ("cili@example.org", False, "cili@example.org")


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("\n \n", ["The list has no names."]),
        ("Anna, anna@nowhere", ["Line 1: anna@nowhere isn't an email address."]),
        ("Anna, a@b.hu, c@d.hu", ["Line 1: a@b.hu c@d.hu isn't an email address."]),
        (
            "Anna\n;\nanna\nBéla, b@b.hu\nBé, b@b.hu",
            ["Line 2 has no name.", "Lines 1 and 3 are identical", "Lines 4 and 5 are identical"],
        ),
        ("Name,E-mail\nKovács, Anna,a@b.hu", ["Line 2 has more cells than the header row."]),
        ("x" * 81, ["Line 1: a name can have at most 80 characters."]),
        ("\n".join(f"Person {one}" for one in range(MAX_LISTED + 1)), ["A list can have at most 100 people"]),
    ],
)
def test_all_that_is_wrong_is_said(text: str, problems: list[str]):
    with pytest.raises(BadList) as caught:
        read_name_list(text)
    said = [str(problem) for problem in caught.value.problems]
    assert len(said) == len(problems) and all(a.startswith(b) for a, b in zip(said, problems, strict=True))


def test_a_list_makes_accounts_whose_public_names_tell_nothing(group: Group):
    result = add(group)
    assert [slip.real_name for slip in result.slips] == ["Kovács Anna", "Nagy Béla", "Szabó Cili"]
    made = User.objects.filter(username__startswith="newcomer-")
    assert made.count() == 3 and not any(user.has_usable_password() for user in made)
    assert not EmailAddress.objects.filter(verified=True).exists()
    assert set(SignInLink.objects.values_list("digest", flat=True)).isdisjoint(token_of(one) for one in result.slips)


def test_a_link_works_once_and_expires(group: Group):
    first, second, _third = add(group).slips
    link = find_open_link(token_of(first))
    assert link is not None and link.membership.real_name == "Kovács Anna"
    use_link(link=link, username="anna", password="four flags of nine")
    user = User.objects.get(username="anna")
    assert user.check_password("four flags of nine") and find_open_link(token_of(first)) is None
    with pytest.raises(Conflict):
        use_link(link=link, username="anna2", password="x")
    SignInLink.objects.update(expires_at=now() - timedelta(seconds=1))
    assert find_open_link(token_of(second)) is None and find_open_link("guess") is None


def test_a_confirmed_address_is_invited_and_never_gets_a_link(group: Group, ben: User):
    give_address(ben, "bela@example.org", verified=True)
    result = add(group)
    assert [person.email for person in result.invited] == ["bela@example.org"]
    assert len(result.slips) == 2 and not SignInLink.objects.filter(membership__user=ben).exists()
    assert Invitation.objects.get().user == ben and not Membership.objects.filter(user=ben).exists()
    assert Notice.objects.get(user=ben).text.values["group"] == "Class 10.b"


def test_an_address_that_is_not_confirmed_proves_nothing(group: Group, ben: User):
    give_address(ben, "bela@example.org", verified=False)
    assert len(add(group).slips) == 3 and not Invitation.objects.exists() and not Notice.objects.exists()


def test_the_same_list_again_changes_nothing(group: Group, ben: User):
    give_address(ben, "bela@example.org", verified=True)
    join_group(group=group, user=ben, real_name="Béla")
    assert len(add(group).slips) == 2
    again = add(group)
    assert not again.slips and len(again.present) == 3 and Membership.objects.count() == 4


def test_only_organisers_paste_lists_and_within_limits(group: Group, ben: User, settings, monkeypatch):
    join_group(group=group, user=ben, real_name="Béla")
    with pytest.raises(NotYours):
        add(group, by=ben)
    with pytest.raises(ArenaError, match="valid for 1 to"):
        add(group, days=61)
    monkeypatch.setattr(services, "MAX_ACCOUNTS_PER_DAY", 4)
    add(group)
    with pytest.raises(Conflict, match="4 accounts a day"):
        add(group, "D\nE")
    settings.SIGN_UP = "closed"
    with pytest.raises(Conflict, match="Sign-up is closed"):
        add(group, "D")
    assert User.objects.count() == 5


def test_lost_slips_are_replaced_until_somebody_has_signed_in(group: Group, ana: User):
    first, second, _third = add(group).slips
    link = find_open_link(token_of(first))
    assert link is not None
    use_link(link=link, username="anna", password="four flags of nine")
    renewed = renew_unused_links(group=group, by=ana, days=1)
    assert [slip.real_name for slip in renewed] == ["Nagy Béla", "Szabó Cili"]
    assert find_open_link(token_of(second)) is None and find_open_link(token_of(renewed[0])) is not None


def test_an_account_that_nobody_used_goes_with_its_membership(group: Group, ana: User, ben: User):
    add(group, "Kovács Anna")
    remove_member(member=Membership.objects.get(real_name="Kovács Anna"), by=ana)
    assert not User.objects.filter(username__startswith="newcomer-").exists()
    remove_member(member=join_group(group=group, user=ben, real_name="Ben"), by=ana)
    assert User.objects.filter(pk=ben.pk).exists()
