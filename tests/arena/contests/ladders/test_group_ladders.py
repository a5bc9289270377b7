"""Ladders that a group has for itself: who plays there, and that they take nothing from the public ones."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot
from arena.bots.teams import ForGroupOnly, accept_invitation, invite_author
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.queries import list_bots_to_enter, list_public_bots_on
from arena.contests.ladders.services.entering import (
    SeasonOver,
    enter_accepted_version,
    enter_version,
    promote_to_ladders,
    resume_entry,
)
from arena.contests.ladders.services.ledger import append_finished_matches, suspend_entry
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.refitting import refit_ladder
from arena.contests.ladders.services.seasons import (
    end_group_season,
    enter_group_ladder,
    find_revealed_secret,
    leave_group_ladder,
    open_group_ladder,
    open_season,
    pause_group_ladder,
    resume_group_ladder,
)
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Match, Participant, VerdictCount
from arena.matches.services import queue_trial
from arena.operations.acts import leave_group
from arena.operations.lifecycle import anonymise_user
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.notices.models import Notice
from engine.message import literal
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import FIRST_LEGAL, MakeVersion, Play

EDITION = {"game": "battleline", "edition": "standard"}


@pytest.fixture
def group(db: None) -> Group:
    """Of Olga, who owns it; Ana and Ben are in it, and Eva is not."""
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    for name, role in (("olga", "owner"), ("ana", "member"), ("ben", "member")):
        Membership.objects.create(group=group, user=User.objects.create_user(name), role=role)
    User.objects.create_user("eva")
    return group


def person(name: str) -> User:
    return User.objects.get(username=name)


def make_bot(owner: str, name: str, group: Group | None = None, comment: str = "") -> BotVersion:
    """The next version of a bot, accepted."""
    user = person(owner)
    bot = Bot.objects.filter(name=name).first() or create_bot(owner=user, name=name, game="battleline", group=group)
    files = {"bot.py": FIRST_LEGAL + f"# {name} {comment} {bot.versions.count()}".encode()}
    return add_version(bot=bot, files=files, state=BotVersion.State.ACCEPTED)


def make_samples() -> None:
    User.objects.create(username="house", is_house=True)
    for name in ("random", "greedy", "marshal"):
        make_bot("house", name)


def open_ladder(group: Group, with_samples: bool = False) -> Ladder:
    return open_group_ladder(group=group, by=person("olga"), with_samples=with_samples, **EDITION)


def names(ladder: Ladder) -> set[str]:
    """Of the bots that play on a ladder."""
    return set(Entry.objects.active().filter(ladder=ladder).values_list("version__bot__name", flat=True))


def test_the_bots_of_a_group_and_the_samples_play_on_its_ladder_at_once(group: Group) -> None:
    make_samples()
    make_bot("ana", "Own", group)
    make_bot("ben", "Public")
    ladder = open_ladder(group, with_samples=True)
    assert names(ladder) == {"Own", "random", "greedy", "marshal"}
    anchors = Entry.objects.filter(ladder=ladder, is_anchor=True)
    assert set(anchors.values_list("version__bot__name", flat=True)) == {"random", "greedy"}
    assert (ladder.group, ladder.season, str(ladder)) == (group, 1, "Battle Line, Standard (Class 10.b)")
    assert ladder.get_absolute_url() == "/groups/class-10b/ladders/battleline/standard/"


def test_organisers_alone_open_pause_and_end_a_ladder(group: Group) -> None:
    with pytest.raises(NotYours):
        open_group_ladder(group=group, by=person("ana"), **EDITION)
    ladder = open_ladder(group)
    for act in (pause_group_ladder, end_group_season):
        with pytest.raises(NotYours):
            act(ladder=ladder, by=person("ana"))
    with pytest.raises(Conflict, match="already open"):
        open_ladder(group)
    with pytest.raises(ArenaError, match="doesn't have an edition none of battleline"):
        open_group_ladder(group=group, by=person("olga"), game="battleline", edition="none")
    pause_group_ladder(ladder=ladder, by=person("olga"))
    assert Ladder.objects.get(pk=ladder.pk).paused_at is not None
    resume_group_ladder(ladder=ladder, by=person("olga"))
    assert Ladder.objects.get(pk=ladder.pk).paused_at is None


def test_a_public_ladder_is_no_groups(ladder: Ladder, group: Group) -> None:
    with pytest.raises(Conflict, match="isn't a group ladder"):
        end_group_season(ladder=ladder, by=person("olga"))


def test_seasons_of_an_edition_are_one_of_each_in_public_and_in_each_group(ladder: Ladder, group: Group) -> None:
    other = Group.objects.create(name="Other", slug="other")
    for one in (group, other):
        assert open_season(title="B", group=one, **EDITION).season == 1
    for rivals in (None, group):
        for season in (1, 2):  # the same season again, and a second one that runs
            with pytest.raises(IntegrityError), transaction.atomic():
                Ladder.objects.create(title="B", group=rivals, season=season, **EDITION)
    assert Ladder.objects.count() == 3


def test_members_enter_their_public_bots_and_take_them_off(group: Group, ladder: Ladder) -> None:
    own = open_ladder(group)
    ana, version = person("ana"), make_bot("ana", "Public")
    strange = make_bot("eva", "Strange")
    for by, bot in (("eva", strange.bot), ("ben", version.bot), ("olga", strange.bot)):
        with pytest.raises(NotYours):
            enter_group_ladder(ladder=own, bot=bot, by=person(by))
    with pytest.raises(NotYours):
        enter_version(ladder=own, version=strange)
    assert [bot.name for bot in list_bots_to_enter(own, ana)] == ["Public"]
    enter_group_ladder(ladder=own, bot=version.bot, by=ana)
    assert names(own) == {"Public"} and names(ladder) == set()
    assert not list_bots_to_enter(own, ana) and [bot.name for bot in list_public_bots_on(own, ana)] == ["Public"]
    with pytest.raises(NotYours):
        leave_group_ladder(ladder=own, bot=version.bot, by=person("ben"))
    leave_group_ladder(ladder=own, bot=version.bot, by=person("olga"))
    assert names(own) == set()
    with pytest.raises(Conflict, match="doesn't play"):
        leave_group_ladder(ladder=own, bot=version.bot, by=ana)
    Entry.objects.update(rating=1700)
    assert enter_group_ladder(ladder=own, bot=version.bot, by=ana).rating == 1700


def test_a_bot_for_a_group_plays_on_no_other_ladder(group: Group, ladder: Ladder) -> None:
    version = make_bot("ana", "Own", group)
    with pytest.raises(ForGroupOnly):
        promote_to_ladders(version=version)
    with pytest.raises(ForGroupOnly):
        enter_version(ladder=ladder, version=version)
    other = Group.objects.create(name="Other", slug="other")
    Membership.objects.create(group=other, user=person("ana"), role="owner")
    theirs = open_group_ladder(group=other, by=person("ana"), with_samples=False, **EDITION)
    with pytest.raises(NotYours):
        enter_group_ladder(ladder=theirs, bot=version.bot, by=person("ana"))
    own = open_ladder(group)
    assert [entry.ladder for entry in promote_to_ladders(version=version)] == [own]


@pytest.mark.parametrize("is_on_groups_ladder", [True, False])
def test_an_accepted_version_enters_the_ladders_of_its_bot(
    group: Group, ladder: Ladder, is_on_groups_ladder: bool
) -> None:
    own = open_ladder(group)
    old = make_bot("ana", "Public")
    if is_on_groups_ladder:
        enter_group_ladder(ladder=own, bot=old.bot, by=person("ana"))
    version = make_bot("ana", "Public")
    _pass_trial(version)
    where = {ladder, own} if is_on_groups_ladder else {ladder}
    assert {entry.ladder for entry in Entry.objects.active().filter(version=version)} == where
    version = make_bot("ben", "Own", group)
    _pass_trial(version)
    assert [entry.ladder for entry in Entry.objects.filter(version=version)] == [own]


def _pass_trial(version: BotVersion) -> None:
    BotVersion.objects.filter(pk=version.pk).update(state="on_trial")
    if not Bot.objects.filter(name="random").exists():
        make_bot("olga", "random")
    version.refresh_from_db()
    match = queue_trial(version=version)
    assert match is not None
    BotVersion.objects.filter(pk=version.pk).update(state="accepted")
    enter_accepted_version(match=match)


def test_who_leaves_takes_the_bots_along(group: Group) -> None:
    ladder = open_ladder(group)
    enter_group_ladder(ladder=ladder, bot=make_bot("ana", "Public").bot, by=person("ana"))
    own = make_bot("ana", "Own", group)
    entry = enter_version(ladder=ladder, version=own)
    suspend_entry(entry=entry, reason=literal("It fell asleep."))
    enter_version(ladder=ladder, version=make_bot("ben", "Ben", group))
    leave_group(member=Membership.objects.get(user__username="ana"), by=person("ana"))
    assert names(ladder) == {"Ben"} and Entry.objects.filter(state="retired").count() == 2
    with pytest.raises(NotYours):
        enter_group_ladder(ladder=ladder, bot=own.bot, by=person("ana"))
    anonymise_user(user=person("ben"))
    assert names(ladder) == set()


def test_who_may_not_play_any_more_is_found_before_the_next_pairing(group: Group) -> None:
    ladder = open_ladder(group)
    entries = [enter_version(ladder=ladder, version=make_bot(name, name.title(), group)) for name in ("ana", "ben")]
    Membership.objects.filter(user__username="ben").delete()
    assert queue_ladder_matches(ladder=ladder) == []
    assert names(ladder) == {"Ana"}
    Entry.objects.filter(pk=entries[1].pk).update(state="suspended")
    with pytest.raises(NotYours):
        resume_entry(entry=entries[1], owner=person("ben"))


def test_matches_are_the_groups_and_count_for_nothing_public(group: Group, ladder: Ladder, play: Play) -> None:
    own = open_ladder(group)
    public = make_bot("ana", "Public")
    enter_group_ladder(ladder=own, bot=public.bot, by=person("ana"))
    enter_version(ladder=own, version=make_bot("ben", "Ben", group))
    matches = queue_ladder_matches(ladder=own)
    assert matches and {match.group_id for match in matches} == {group.pk}
    assert play(matches[0])
    assert append_finished_matches(ladder=own) == 1 and refit_ladder(ladder=own) is not None
    assert not Match.objects.visible_to(person("eva")).exists()
    hidden = Participant.objects.filter(is_hidden=True, version=public)
    assert hidden.count() == len(matches)
    assert set(VerdictCount.objects.values_list("version__bot__name", flat=True)) == {"Ben"}
    ladder.refresh_from_db()
    assert (ladder.last_number, ladder.next_virtual_start) == (0, 0.0)


def test_a_season_ends_for_its_group_and_the_next_goes_on_from_it(group: Group) -> None:
    make_samples()
    ladder = open_ladder(group, with_samples=True)
    enter_version(ladder=ladder, version=make_bot("ben", "Ben", group))
    enter_group_ladder(ladder=ladder, bot=make_bot("ana", "Public").bot, by=person("ana"))
    Entry.objects.filter(version__bot__name="Ben").update(rating=1800)
    pause_group_ladder(ladder=ladder, by=person("olga"))
    assert find_revealed_secret(ladder) is None
    ended = end_group_season(ladder=ladder, by=person("olga"))
    assert find_revealed_secret(ended) == ladder.secret and not Ladder.objects.open().exists()
    with pytest.raises(SeasonOver):
        enter_group_ladder(ladder=ended, bot=Bot.objects.get(name="Public"), by=person("ana"))
    newer = make_bot("ana", "Public", comment="newer")
    following = open_ladder(group)
    assert (following.season, following.paused_at) == (2, None)
    assert following.secret != ladder.secret
    assert names(following) == {"Ben", "Public"}
    assert Entry.objects.active().get(ladder=following, version__bot=newer.bot).version == newer
    assert Entry.objects.get(ladder=following, version__bot__name="Ben").first_rating == 1800


def test_what_is_suspended_there_is_told_to_members_alone(group: Group, ladder: Ladder) -> None:
    version, own = make_bot("ana", "Public"), open_ladder(group)
    eva = person("eva")
    invite_author(bot=version.bot, by=person("ana"), user=eva)
    accept_invitation(bot=version.bot, user=eva)
    version.refresh_from_db()
    for one in (ladder, own):
        entry = enter_version(ladder=one, version=version)
        assert suspend_entry(entry=entry, reason=literal("It fell asleep."))
    told = {notice.user.username: str(notice.text) for notice in Notice.objects.filter(about__contains="group")}
    assert list(told) == ["ana"] and "Class 10.b" in told["ana"]
    assert not [notice for notice in Notice.objects.filter(user=eva) if "10.b" in str(notice.text)]


def test_all_groups_together_get_the_time_of_one_public_ladder(
    group: Group, ladder: Ladder, make_version: MakeVersion, settings: object
) -> None:
    settings.MAX_WAITING_MATCHES_PER_LADDER = 12  # type: ignore[attr-defined]
    other = Group.objects.create(name="Other", slug="other")
    Membership.objects.create(group=other, user=person("olga"), role="owner")
    ladders = [open_ladder(group), open_ladder(other)]
    for one in ladders:
        for number in range(2):
            owner = User.objects.create_user(f"{one.group} {number}")
            Membership.objects.create(group=one.group, user=owner)
            enter_version(
                ladder=one, version=make_bot(owner.username, f"{one.group} {number}".replace(".", ""), one.group)
            )
    for name in ("ana", "ben"):
        enter_version(ladder=ladder, version=make_bot(name, name.title()))
    for one in (*ladders, ladder):
        assert len(queue_ladder_matches(ladder=one)) == 12
    first = list(Match.objects.queued()[:12])
    assert sum(match.group_id is None for match in first) == 6


def test_the_hourly_rate_is_shared_by_the_ladders_of_groups(group: Group, ladder: Ladder, settings: object) -> None:
    settings.LADDER_NEWCOMER_MATCHES, settings.LADDER_MATCHES_PER_HOUR = 0, 60  # type: ignore[attr-defined]
    other = Group.objects.create(name="Other", slug="other")
    Membership.objects.create(group=other, user=person("olga"), role="owner")
    own, _theirs = open_ladder(group), open_ladder(other)
    entries: Sequence[Entry] = [
        enter_version(ladder=own, version=make_bot(name, name.title(), group)) for name in ("ana", "ben")
    ]
    row = store_match(own, entries, [[1, 2], [2, 1]])
    Ladder.objects.filter(pk=own.pk).update(last_number=1)
    for seconds, count in ((90, 0), (130, 1)):
        row.number, row.created_at, row.in_flight = 1, now() - timedelta(seconds=seconds), False
        row.save()
        own.refresh_from_db()
        assert len(queue_ladder_matches(ladder=own)) == count


def test_the_operator_opens_pauses_and_closes_by_commands(
    group: Group, ladder: Ladder, capsys: pytest.CaptureFixture[str]
) -> None:
    edition, of_group = ("battleline", "standard"), ("--group", "class-10b")
    with pytest.raises(CommandError, match="Only the group's owners and co-organisers"):
        call_command("open_group_ladder", "class-10b", *edition, "--by", "ana")
    call_command("open_group_ladder", "class-10b", *edition, "--by", "olga", "--without-samples")
    assert ": /groups/class-10b/ladders/battleline/standard/\n" in capsys.readouterr().out
    call_command("pause_ladder", *edition, *of_group, "--why", "The sandbox is mended.", "--yes")
    assert "battleline standard of class-10b, season 1" in capsys.readouterr().out
    own = Ladder.objects.get(group=group)
    ladder.refresh_from_db()
    assert own.paused_at is not None and ladder.paused_at is None
    call_command("close_season", *edition, *of_group)
    assert Ladder.objects.filter(group=group).count() == 2 and Ladder.objects.public().count() == 1
    with pytest.raises(CommandError, match="no group at /groups/none/"):
        call_command("close_season", *edition, "--group", "none")
