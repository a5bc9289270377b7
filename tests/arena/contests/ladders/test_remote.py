"""Remote bots and the open ladders: registering, declaring, joining and leaving, and what stays closed to them."""

import pytest
from django.conf import LazySettings

from arena.bots.models import Bot, BotVersion, RunsElsewhere
from arena.bots.services import BadDeclaration, submit_version
from arena.bots.teams import QuotaSpent
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.services import ComparisonSettings, start_comparison
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.queries import (
    fetch_presence,
    find_open_ladder,
    list_bots_to_join,
    list_ladders_of_bot,
    list_open_ladders,
    list_own_remote_bots,
)
from arena.contests.ladders.rating import VERSION_CHANGE_SD_ELO
from arena.contests.ladders.services.entering import LadderFull, enter_version, promote_to_ladders
from arena.contests.ladders.services.remote import (
    create_remote_bot,
    declare_version,
    join_open_ladder,
    leave_open_ladder,
)
from arena.contests.ladders.services.seasons import close_season, open_season
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.models import User
from arena.runner import archive
from tests.conftest import FIRST_LEGAL, MakeVersion

STANDARD = {"game": "battleline", "edition": "standard", "clock": "open"}


@pytest.fixture
def samples(house: User, make_version: MakeVersion) -> list[BotVersion]:
    return [make_version(house, name) for name in ("random", "greedy", "careful")]


@pytest.fixture
def remote(ana: User) -> Bot:
    return create_remote_bot(owner=ana, name="Far", game="battleline", declared="model X,  a laptop")


def join(bot: Bot, **changes: str) -> Entry:
    return join_open_ladder(bot=bot, by=bot.owner, **STANDARD | changes)


def test_a_remote_bot_has_an_accepted_version_without_files(remote: Bot, ana: User, ladder: Ladder) -> None:
    version = remote.versions.get()
    assert (version.number, version.state, version.declared) == (1, "accepted", "model X, a laptop")
    assert (version.size, version.sha256, version.trials.exists()) == (0, "", False)
    assert list(list_own_remote_bots(ana)) == [remote]
    assert not fetch_presence([remote.pk])[remote.pk].is_online
    with pytest.raises(RunsElsewhere, match="the arena doesn't have its files"):
        _ = version.files
    with pytest.raises(RunsElsewhere, match="Declare a new version"):
        submit_version(owner=ana, bot=remote, files=archive.Upload({"bot.py": FIRST_LEGAL}))


def test_registering_and_declaring_have_the_limits_of_uploads(ana: User, ben: User, settings: LazySettings) -> None:
    settings.MAX_BOTS_PER_OWNER, settings.MAX_VERSIONS_PER_DAY = 2, 2
    bot = create_remote_bot(owner=ana, name="Far", game="battleline", declared="one")
    assert declare_version(bot=bot, declared=" one", by=ana) == (bot.versions.get(), False)
    assert declare_version(bot=bot, declared="two", by=ana)[1]
    with pytest.raises(QuotaSpent):
        declare_version(bot=bot, declared="three", by=ana)
    with pytest.raises(QuotaSpent):
        create_remote_bot(owner=ana, name="Far off", game="battleline", declared="one")
    assert Bot.objects.count() == 1
    with pytest.raises(NotYours):
        declare_version(bot=bot, declared="three", by=ben)
    for declared in ("", " ", "x" * 201, "a\x00b"):
        with pytest.raises(BadDeclaration):
            create_remote_bot(owner=ben, name="Near", game="battleline", declared=declared)


def test_the_first_bot_that_joins_opens_the_ladder_with_the_samples_as_anchors(
    remote: Bot, samples: list[BotVersion], ladder: Ladder
) -> None:
    with pytest.raises(ArenaError):
        join(remote, clock="fast")
    with pytest.raises(ArenaError):
        join(remote, edition="none")
    with pytest.raises(ArenaError, match="doesn't play Battalion"):
        join(remote, game="battalion")
    assert Ladder.objects.for_remote().count() == 0
    entry = join(remote)
    found = find_open_ladder("battleline", "standard", clock="open")
    assert found is not None
    assert (found, str(found), found.bots) == (entry.ladder, "Battle Line, Standard: open ladder", 4)
    assert found.get_absolute_url() == "/ladders/battleline/standard/open/"
    assert (found.dispersion, ladder.dispersion) == (1.0, 0.95)
    anchors = Entry.objects.filter(ladder=found, is_anchor=True, is_known=True)
    assert set(anchors.values_list("version", flat=True)) == {one.pk for one in samples}
    assert join(remote) == entry
    assert join(remote, clock="slow").ladder.title == "Battle Line, Standard: slow open ladder"
    assert list(list_open_ladders()) == [ladder]


def test_remote_bots_play_nowhere_else(
    remote: Bot, ladder: Ladder, make_version: MakeVersion, ana: User, samples: list[BotVersion]
) -> None:
    version, own = remote.versions.get(), make_version(ana, "Near")
    with pytest.raises(RunsElsewhere):
        enter_version(ladder=ladder, version=version)
    assert promote_to_ladders(version=version, owner=ana) == []
    for challenger, opponent in ((version, own), (own, version)):
        with pytest.raises(RunsElsewhere):
            create_challenge(owner=ana, version=challenger, opponent=opponent)
        with pytest.raises(RunsElsewhere):
            start_comparison(owner=ana, version=challenger, baseline=opponent, settings=ComparisonSettings())
    join(remote)
    assert list(Entry.objects.public().filter(version=version)) == []
    assert set(list_ladders_of_bot(remote)) == set(Ladder.objects.for_remote())


def test_a_sandboxed_bot_joins_by_its_authors_choice_and_its_new_versions_follow(
    samples: list[BotVersion], ladder: Ladder, make_version: MakeVersion, ana: User, ben: User
) -> None:
    version = make_version(ana, "Near")
    assert list(list_ladders_of_bot(version.bot)) == [ladder]
    with pytest.raises(NotYours):
        join_open_ladder(bot=version.bot, by=ben, **STANDARD)
    assert version.bot in list_bots_to_join(**STANDARD, author=ana)
    entry = join(version.bot)
    assert version.bot not in list_bots_to_join(**STANDARD, author=ana)
    newer = make_version(ana, "Near", FIRST_LEGAL + b"#")
    assert {one.ladder for one in promote_to_ladders(version=newer)} == {ladder, entry.ladder}
    leave_open_ladder(ladder=entry.ladder, bot=version.bot, by=ana)
    with pytest.raises(Conflict, match="doesn't play on Battle Line, Standard: open ladder"):
        leave_open_ladder(ladder=entry.ladder, bot=version.bot, by=ana)
    assert list(list_ladders_of_bot(version.bot)) == [ladder]


def test_a_declared_version_takes_over_on_the_ladders_that_its_bot_is_on(
    remote: Bot, samples: list[BotVersion], settings: LazySettings, ana: User
) -> None:
    first = join(remote)
    Entry.objects.filter(pk=first.pk).update(rating=1700.0, deviation=60.0)
    version, is_new = declare_version(bot=remote, declared="model Y", by=ana)
    entry = Entry.objects.get(version=version)
    assert (is_new, entry.ladder, entry.parent_id, entry.rating) == (True, first.ladder, first.pk, 1700.0)
    assert entry.deviation == pytest.approx((60**2 + VERSION_CHANGE_SD_ELO**2) ** 0.5)
    assert Entry.objects.get(pk=first.pk).state == Entry.State.RETIRED
    settings.MAX_LADDER_BOTS_PER_OWNER = 1
    other = create_remote_bot(owner=ana, name="Farther", game="battleline", declared="model Z")
    with pytest.raises(LadderFull):
        join(other)


def test_seasons_of_an_open_ladder_follow_each_other_beside_the_other_ladder(
    remote: Bot, samples: list[BotVersion], ladder: Ladder
) -> None:
    entry = join(remote)
    following = close_season(ladder=entry.ladder)
    assert (following.season, following.clock, following.title) == (2, "open", entry.ladder.title)
    assert following.get_absolute_url() == "/ladders/battleline/standard/open/"
    assert Entry.objects.active().filter(ladder=following).count() == 4
    assert open_season(game="battleline", edition="standard", title="Other") == ladder
    assert join(remote).ladder == following
