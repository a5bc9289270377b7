"""Organisers read the bots of members who have accepted it, uploaded after that, and of nobody else."""

import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils.timezone import now

from arena.bots.models import Blob, BotVersion, SourceFingerprints, SourceRead
from arena.bots.services import add_version, create_bot
from arena.bots.teams import accept_invitation as join_team
from arena.bots.teams import invite_author
from arena.contests import reading
from arena.contests.tournaments.models import Entrant
from arena.contests.tournaments.services.access import Access
from arena.core.errors import ArenaError, Conflict
from arena.operations.acts import leave_group
from arena.operations.lifecycle import remove_files_everywhere
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import accept_reading, create_group, edit_group, join_group, set_role
from tests.arena.bots.test_similarity import OTHER, WRITTEN, rename
from tests.arena.contests.tournaments.world import make_organiser, make_tournament


@pytest.fixture
def eva(db: None) -> User:
    return User.objects.create_user("eva")


@pytest.fixture
def group(ana: User, ben: User) -> Group:
    """A class of Ana's, in which Ben has accepted that organisers read his bots."""
    ana.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    made = create_group(owner=User.objects.get(pk=ana.pk), name="Class 10.b", reads_bots=True)
    join_group(group=made, user=ben, real_name="Benedek Nagy", accepts_reading=True)
    return made


def upload(owner: User, name: str, group: Group | None, text: str = "") -> BotVersion:
    bot = owner.bots.filter(name=name).first() or create_bot(owner=owner, name=name, game="battleline", group=group)
    return add_version(bot=bot, files={"bot.py": (text or f"name = {name!r}").encode()}, state="accepted")


def readable(group: Group) -> set[str]:
    return {str(version) for version in reading.list_readable_versions(group)}


def set_reading(group: Group, by: User, reads_bots: bool) -> None:
    edit_group(group=group, by=by, name=group.name, description="", hides_names=False, reads_bots=reads_bots)


def test_only_what_is_uploaded_after_acceptance_can_be_read(group: Group, ana: User, ben: User, eva: User):
    set_reading(group, ana, False)
    upload(ben, "Heron", group)
    set_reading(group, ana, True)
    upload(ben, "Heron", group)
    assert readable(group) == set()
    accept_reading(member=Membership.objects.get(user=ben))
    upload(ben, "Heron", group)
    upload(ben, "Hobby", None)
    assert readable(group) == {"Heron v3"}
    accept_reading(member=Membership.objects.get(user=ben))
    assert readable(group) == {"Heron v3"}
    set_reading(group, ana, False)
    assert readable(group) == set()
    set_reading(group, ana, True)
    assert readable(group) == set() and Membership.objects.get(user=ben).reading_accepted_at is None


def test_nobody_joins_without_accepting_it(group: Group, eva: User):
    with pytest.raises(ArenaError) as refused:
        join_group(group=group, user=eva, real_name="Eva")
    assert refused.value.fields == ["accepts_reading"] and not Membership.objects.filter(user=eva).exists()


def test_nobody_accepts_it_where_organisers_do_not_read(group: Group, ana: User, ben: User):
    set_reading(group, ana, False)
    with pytest.raises(Conflict):
        accept_reading(member=Membership.objects.get(user=ben))


def test_only_organisers_of_this_group_find_a_version(group: Group, ana: User, ben: User, eva: User):
    version = upload(ben, "Heron", group)
    root, other = User.objects.create_superuser("root"), User.objects.create_user("other")
    Membership.objects.create(group=Group.objects.create(name="x", slug="x"), user=other, role="owner")
    for reader, found in ((ana, version), (ben, None), (eva, None), (root, None), (other, None)):
        assert reading.find_readable_version(group, reader, version.pk) == found, reader
    helper = join_group(group=group, user=eva, real_name="Eva", accepts_reading=True)
    helper = set_role(member=helper, by=ana, role=Membership.Role.CO_ORGANISER)
    assert reading.find_readable_version(group, eva, version.pk) == version
    set_role(member=helper, by=ana, role=Membership.Role.MEMBER)
    assert reading.find_readable_version(group, eva, version.pk) is None


def test_who_leaves_takes_the_bots_along(group: Group, ben: User):
    upload(ben, "Heron", group)
    leave_group(member=Membership.objects.get(user=ben), by=ben)
    assert readable(group) == set()
    join_group(group=group, user=ben, real_name="", accepts_reading=True)
    assert readable(group) == set()


def test_all_authors_of_a_team_must_have_accepted_it(group: Group, ana: User, ben: User, eva: User):
    member = join_group(group=group, user=eva, real_name="Eva", accepts_reading=True)
    Membership.objects.filter(pk=member.pk).update(reading_accepted_at=None)
    version = upload(ben, "Heron", group)
    invite_author(bot=version.bot, by=ben, user=eva)
    assert readable(group) == {"Heron v1"}
    join_team(bot=version.bot, user=eva)
    assert readable(group) == set()
    accept_reading(member=Membership.objects.get(user=eva))
    assert readable(group) == set()
    version.bot.refresh_from_db()
    add_version(bot=version.bot, files={"bot.py": b"new"}, state="accepted", uploaded_by=eva)
    assert readable(group) == {"Heron v2"}
    assert {str(one) for one in reading.list_own_readable_versions(group, eva)} == {"Heron v2"}


def test_a_public_bot_can_be_read_as_it_plays_in_a_tournament_of_the_group(group: Group, ana: User, ben: User):
    Membership.objects.create(group=group, user=make_organiser(), role="co_organiser")
    own = upload(ben, "Hobby", None)
    tournament = make_tournament([own.bot], access=Access(group=group))
    upload(ben, "Hobby", None)
    assert readable(group) == {"Hobby v1"}
    assert reading.choose_versions(group, tournament) == [own]
    Entrant.objects.update(state=Entrant.State.WITHDRAWN)
    assert readable(group) == set()
    Entrant.objects.update(number=1)
    assert readable(group) == {"Hobby v1"}


def test_the_newest_version_of_each_bot_is_chosen(group: Group, ana: User, ben: User):
    for name in ("Heron", "Heron", "egret"):
        upload(ben, name, group)
    assert [str(one) for one in reading.choose_versions(group)] == ["egret v1", "Heron v2"]


def test_reads_are_noted_once_a_day_and_not_of_own_bots(group: Group, ana: User, ben: User):
    versions = [upload(ben, "Heron", group), upload(ana, "Owl", group)]
    for _ in range(2):
        reading.note_reads(versions=versions, group=group, reader=ana, way=SourceRead.Way.VIEW)
    assert [(read.reader, read.way) for read in reading.list_reads(versions[0])] == [(ana, "view")]
    assert not reading.list_reads(versions[1]) and SourceRead.objects.count() == 1


def test_the_zip_has_a_folder_for_each_submission(group: Group, ana: User, ben: User):
    upload(ben, "Heron", group, WRITTEN)
    upload(ana, "Owl", group)
    names = {ben.pk: "Benedek Nagy-Őri", ana.pk: "♞"}
    written = reading.write_sources(versions=reading.choose_versions(group), names=names)
    with written, zipfile.ZipFile(written) as zipped:
        found = zipped.namelist()
        assert zipped.read("submissions/benedek-nagy-ori-heron-v1/bot.py").decode() == WRITTEN
    assert "submissions/member-owl-v1/bot.py" in found and "base-code/python/bot.py" in found


def test_a_zip_of_nothing_or_too_much_is_refused(group: Group, ben: User):
    with pytest.raises(Conflict):
        reading.write_sources(versions=[], names={})
    version = upload(ben, "Heron", group)
    version.size = reading.MAX_ZIP_BYTES + 1
    with pytest.raises(ArenaError):
        reading.write_sources(versions=[version], names={})


def compare(group: Group) -> reading.Comparison:
    """Compare until it is complete."""
    for _step in range(20):
        found = reading.compare_versions(versions=reading.choose_versions(group))
        if found.is_complete:
            return found
    raise AssertionError(found.done)


def test_versions_are_compared_once_and_pairs_show_where(group: Group, ana: User, ben: User, eva: User):
    join_group(group=group, user=eva, real_name="Eva", accepts_reading=True)
    one, copy = upload(ben, "Heron", group, WRITTEN), upload(eva, "Egret", group, OTHER + rename(WRITTEN))
    other = upload(ana, "Owl", group, OTHER.replace("\n", "\r\n"))
    found = compare(group)
    pairs = [{pair.left, pair.right} for pair in found.pairs]
    assert len(pairs) == 2 and {one, copy} in pairs and {one, other} not in pairs
    assert SourceFingerprints.objects.count() == 3
    SourceFingerprints.objects.update(given="kept")
    assert {source.given for source in compare(group).sources} == {"kept"}
    sides = reading.compare_pair(one, copy)
    assert sides is not None
    marked = [[line for line in side.files[0].lines if line.part] for side in sides]
    assert "sum(card" in " ".join(line.text for line in marked[0])
    assert not any("deque" in line.text for line in marked[1])
    assert {line.part for line in marked[0]} == {line.part for line in marked[1]} and sides[0].shared == len(marked[0])


def test_same_files_and_untouched_starters_are_said(group: Group, ana: User, ben: User):
    starter = (reading.STARTERS_FOLDER / "python" / "bot.py").read_text()
    first, second = upload(ben, "Heron", group, starter), upload(ana, "Owl", group, starter.replace("    ", "\t"))
    found = compare(group)
    assert [source.given for source in found.sources] == ["starters/python"] * 2
    assert {source.version: source.same_as for source in found.sources} == {first: [second], second: [first]}
    assert found.pairs == []


def test_fingerprints_go_with_the_files(group: Group, ben: User):
    version = upload(ben, "Heron", group, WRITTEN)
    compare(group)
    removed, _stopped = remove_files_everywhere(versions=[version.pk])
    assert removed.blobs == 1 and not Blob.objects.exists() and not SourceFingerprints.objects.exists()
    assert readable(group) == set()


def test_acceptance_of_tomorrow_says_nothing_of_today(group: Group, ben: User):
    upload(ben, "Heron", group)
    Membership.objects.update(reading_accepted_at=now() + timedelta(days=1))
    assert readable(group) == set()
