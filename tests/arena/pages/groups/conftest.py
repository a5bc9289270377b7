"""A class of Ana's, with Ben in it."""

import pytest
from django.contrib.auth.models import Permission

from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import create_group, join_group


@pytest.fixture
def teacher(ana: User) -> User:
    ana.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=ana.pk)


@pytest.fixture
def group(teacher: User, ben: User) -> Group:
    made = create_group(owner=teacher, name="Class 10.b", description="On Mondays", real_name="Anna Kovács")
    join_group(group=made, user=ben, real_name="Benedek Nagy")
    return made
