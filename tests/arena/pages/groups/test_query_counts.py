"""Pages of groups ask the database as often for many members as for few."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.accounts.models import User
from arena.groups.models import Group, Membership
from arena.groups.services.editing import create_group


def test_what_is_asked_does_not_grow_with_members_and_groups(reader, group: Group, teacher: User):
    client = reader(teacher)

    def count() -> list[int]:
        counts = []
        for path in ("/groups/", "/groups/class-10b/", "/groups/class-10b/members/"):
            client.get(path)
            with CaptureQueriesContext(
                connection,
            ) as asked:
                assert client.get(path).status_code == 200
            counts.append(len(asked))
        return counts

    few = count()
    for number in range(12):
        user = User.objects.create_user(f"pupil-{number}")
        Membership.objects.create(group=group, user=user, real_name=f"Pupil {number}")
        create_group(owner=teacher, name=f"Group {number}")
    assert count() == few
