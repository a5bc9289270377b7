"""Bots for a group only: on no ladder, against nobody outside, and in no public tournament."""

import pytest

from arena.accounts.models import User
from arena.bots.group_only import ForGroupOnly
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.search import search_bots
from arena.bots.services import add_version, create_bot
from arena.challenges.services import create_challenge
from arena.comparisons.services import start_comparison
from arena.comparisons.settings import ComparisonSettings
from arena.errors import Conflict, NotYours
from arena.groups.models import Group, Membership
from arena.ladders.models import Entry, Ladder
from arena.ladders.services.entering import enter_version, promote_to_ladders
from arena.livegames.players import Player
from arena.livegames.queries.opponents import list_opponents
from arena.matches.models import Match, Participant
from arena.matches.notifications import notify_of_match
from arena.matches.services import queue_match, queue_trial
from arena.notices.models import Delivery, Event, Webhook
from arena.tasks import settle_match
from tests.conftest import FIRST_LEGAL


@pytest.fixture
def group(ana: User) -> Group:
    made = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=made, user=ana, role="owner")
    return made


def make(owner: User, name: str, group: Group | None = None, state: str = BotVersion.State.ACCEPTED) -> BotVersion:
    bot = Bot.objects.filter(name=name).first() or create_bot(owner=owner, name=name, game="battleline", group=group)
    return add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"# {name} {state}".encode()}, state=state)


def test_members_see_it_and_others_do_not(group: Group, ana: User, ben: User):
    own = make(ana, "Kestrel", group).bot
    staff = User.objects.create_user("sam", is_staff=True)
    assert [bool(search_bots(one)) for one in (None, ben, ana, staff)] == [False, False, True, True]
    Membership.objects.create(group=group, user=ben)
    assert list(search_bots(ben)) == [own]
    with pytest.raises(NotYours):
        make(User.objects.create_user("eva"), "Egret", group)


def test_an_accepted_version_enters_no_ladder(group: Group, ana: User, ladder: Ladder, play):
    version = make(ana, "Kestrel", group, BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=version)
    assert trial is not None and trial.group == group and play(trial)
    settle_match(trial.pk)
    version.refresh_from_db()
    assert version.state == BotVersion.State.ACCEPTED and not Entry.objects.exists()
    for act in (lambda: promote_to_ladders(version=version), lambda: enter_version(ladder=ladder, version=version)):
        with pytest.raises(ForGroupOnly):
            act()


def test_it_meets_bots_of_its_group_its_authors_and_the_samples(group: Group, ana: User, ben: User, house, ladder):
    own, public, sample, stranger = (
        make(ana, "Kestrel", group),
        make(ana, "Wren"),
        make(house, "Sample"),
        make(ben, "Heron"),
    )
    for version in (sample, stranger):
        enter_version(ladder=ladder, version=version)
    for opponent in (public, sample):
        match = create_challenge(owner=ana, version=own, opponent=opponent).match
        assert match.group == group
        assert dict(match.participants.values_list("version", "is_hidden")) == {own.pk: False, opponent.pk: True}
    with pytest.raises(ForGroupOnly):
        create_challenge(owner=ana, version=own, opponent=stranger)
    Membership.objects.create(group=group, user=ben)
    mate = make(ben, "Hobby", group)
    assert create_challenge(owner=ben, version=mate, opponent=own).match.group == group


def test_bots_of_two_groups_cannot_meet(group: Group, ana: User):
    second = Group.objects.create(name="Club", slug="club")
    Membership.objects.create(group=second, user=ana)
    versions = [make(ana, "Kestrel", group), make(ana, "Hobby", second)]
    with pytest.raises(Conflict, match="different groups"):
        queue_match(versions=versions, game="battleline", edition="standard")


def test_it_is_compared_with_its_authors_bots_alone_and_never_in_a_field(group: Group, ana: User, ladder: Ladder):
    make(ana, "Kestrel", group)
    second = add_version(bot=Bot.objects.get(), files={"bot.py": FIRST_LEGAL + b"# 2"}, state="accepted")
    for settings in (ComparisonSettings(mode="field"), ComparisonSettings(promote_if_better=True)):
        with pytest.raises(ForGroupOnly):
            start_comparison(owner=ana, version=second, settings=settings)
    assert start_comparison(owner=ana, version=second).version == second


def test_nobody_plays_live_games_against_it(group: Group, ana: User):
    version = make(ana, "Kestrel", group)
    Bot.objects.update(played_by=Bot.PlayedBy.EVERYBODY)
    for player in (Player(), Player(ana)):
        assert version not in list_opponents(player, "battleline")


def test_webhooks_are_told_nothing_of_a_group(group: Group, ana: User, play):
    Webhook.objects.create(owner=ana, url="https://hooks.example/", events=list(Event.values))
    match = create_challenge(owner=ana, version=make(ana, "Kestrel", group), opponent=make(ana, "Wren")).match
    assert play(match)
    match.refresh_from_db()
    notify_of_match(match=match)
    assert not Delivery.objects.exists()
    assert Participant.objects.shown().filter(match=match).count() == 1
    assert list(Match.objects.visible_to(None)) == []
