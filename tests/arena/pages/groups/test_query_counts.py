"""Pages of groups ask the database as often for many members as for few."""

from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import enter_group_ladder, open_group_ladder
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import create_group
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import MakeVersion


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


def test_what_is_asked_does_not_grow_with_the_bots_and_matches_of_a_ladder(
    reader, group: Group, teacher: User, ben: User, make_version: MakeVersion
):
    ladder = open_group_ladder(group=group, by=teacher, game="battleline", edition="standard", with_samples=False)
    client, entries = reader(ben), []

    def add(count: int) -> None:
        for number in range(len(entries), len(entries) + count):
            user = User.objects.create_user(f"pupil-{number}")
            Membership.objects.create(group=group, user=user)
            bot = make_version(user, f"Bot {number}").bot
            entries.append(enter_group_ladder(ladder=ladder, bot=bot, by=user))
        for number, other in enumerate(entries[1:]):
            store_match(ladder, [entries[0], other], [[1, 2], [2, 1]], minute=number)
        append_finished_matches(ladder=ladder)

    def count() -> list[int]:
        counts = []
        for path in (ladder.get_absolute_url(), "/groups/class-10b/"):
            client.get(path)
            cache.clear()
            with CaptureQueriesContext(connection) as asked:
                assert client.get(path).status_code == 200
            counts.append(len(asked))
        return counts

    add(3)
    few = count()
    add(6)
    assert count() == few
