"""People join by a code that expires, can be renewed and can't be guessed."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils.timezone import now

from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.limits import MAX_WRONG_JOIN_CODES, WRONG_JOIN_CODES_WINDOW, TooManyActions
from arena.people.accounts.models import LimitedAction, User
from arena.people.groups import services
from arena.people.groups.models import ALPHABET, Group, Membership, format_code, new_code, read_code
from arena.people.groups.services import (
    WrongCode,
    create_group,
    find_group_by_code,
    join_group,
    list_groups,
    remove_member,
    renew_join_code,
    set_real_name,
    set_role,
    visible_to,
)

Role = Membership.Role


def permit(user: User) -> User:
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def group(ana: User) -> Group:
    return create_group(owner=permit(ana), name="Class 10.b", real_name="Anna Kovács")


def look_up(typed: str, user: User) -> Group:
    return find_group_by_code(typed=typed, user=user, address="192.0.2.1")


def test_a_code_is_long_and_read_as_people_type_it():
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200 and all(len(code) == 12 and set(code) <= set(ALPHABET) for code in codes)
    assert format_code("7KQ2M9XD4TRW") == "7KQ2-M9XD-4TRW"
    assert read_code(" 7kq2–m9xd 4trw") == "7KQ2M9XD4TRW" and read_code("oil2-M9XD-4TRW") == "0112M9XD4TRW"
    assert read_code("7KQ2") == read_code("7KQ2-M9XD-4TRÉ") == read_code("\0" * 12) == ""


def test_only_organisers_make_groups(ben: User):
    with pytest.raises(NotYours):
        create_group(owner=ben, name="Mine")
    assert not Group.objects.exists()


def test_slugs_are_never_words_of_addresses(ana: User):
    owner = permit(ana)
    slugs = [create_group(owner=owner, name=name).slug for name in ("New", "Join", "Chess", "Chess", "♞")]
    assert slugs == ["new-2", "join-2", "chess", "chess-2", "group"]


def test_who_has_the_code_joins_until_it_expires(group: Group, ana: User, ben: User):
    group = renew_join_code(group=group, by=ana, hours=2)
    assert look_up(group.open_code.lower(), ben) == group
    member = join_group(group=group, user=ben, real_name="  Ben   Nagy ")
    assert (member.role, member.real_name) == (Role.MEMBER, "Ben Nagy")
    assert join_group(group=group, user=ben, real_name="Somebody else").real_name == "Ben Nagy"
    Group.objects.update(join_code_expires_at=now() - timedelta(seconds=1))
    with pytest.raises(WrongCode):
        look_up(format_code(group.join_code or ""), ben)


def test_a_new_code_ends_the_old_one(group: Group, ana: User, ben: User):
    old = renew_join_code(group=group, by=ana, hours=2).open_code
    new = renew_join_code(group=group, by=ana, hours=2).open_code
    assert old != new and look_up(new, ben) == group
    with pytest.raises(WrongCode):
        look_up(old, ben)
    services.end_join_code(group=group, by=ana)
    with pytest.raises(WrongCode):
        look_up(new, ben)


def test_tries_are_limited_in_the_database_and_right_codes_cost_none(group: Group, ana: User, ben: User):
    code = renew_join_code(group=group, by=ana, hours=2).open_code
    for _ in range(3):
        assert look_up(code, ben) == group
    for _ in range(MAX_WRONG_JOIN_CODES):
        with pytest.raises(WrongCode):
            look_up(new_code(), ben)
    with pytest.raises(TooManyActions):
        look_up(code, ben)
    assert look_up(code, ana) == group
    for action in LimitedAction.objects.all():
        LimitedAction.objects.filter(pk=action.pk).update(at=action.at - WRONG_JOIN_CODES_WINDOW)
    assert look_up(code, ben) == group


def test_an_empty_code_opens_no_group_without_one(group: Group, ben: User):
    for typed in ("", " ", "None", "\0"):
        with pytest.raises(WrongCode):
            look_up(typed, ben)


def test_only_members_see_a_group(group: Group, ana: User, ben: User):
    root = User.objects.create_superuser("root")
    assert list(visible_to(ana)) == [group] and not visible_to(ben) and not visible_to(None) and not visible_to(root)
    join_group(group=group, user=ben, real_name="")
    found = list_groups(ben).get()
    assert (found.role, found.members_count) == (Role.MEMBER, 2)


def test_roles_are_given_by_owners_and_one_owner_stays(group: Group, ana: User, ben: User):
    own = Membership.objects.get(user=ana)
    member = join_group(group=group, user=ben, real_name="Ben")
    for act in (
        lambda: set_role(member=member, by=ben, role=Role.OWNER),
        lambda: set_real_name(member=own, by=ben, real_name="x"),
        lambda: remove_member(member=own, by=ben),
        lambda: renew_join_code(group=group, by=ben, hours=2),
    ):
        with pytest.raises(NotYours):
            act()
    for act in (lambda: set_role(member=own, by=ana, role=Role.MEMBER), lambda: remove_member(member=own, by=ana)):
        with pytest.raises(Conflict):
            act()
    set_role(member=member, by=ana, role=Role.CO_ORGANISER)
    assert renew_join_code(group=group, by=ben, hours=2).open_code
    with pytest.raises(NotYours):
        set_role(member=member, by=ben, role=Role.OWNER)
    with pytest.raises(NotYours):
        remove_member(member=own, by=ben)
    set_role(member=member, by=ana, role=Role.OWNER)
    remove_member(member=own, by=ana)
    assert list(Membership.objects.values_list("user__username", flat=True)) == ["ben"]


def test_a_code_is_valid_for_a_bounded_time(group: Group, ana: User):
    for hours in (0, services.MAX_CODE_HOURS + 1):
        with pytest.raises(ArenaError, match="valid for 1 to"):
            renew_join_code(group=group, by=ana, hours=hours)
