"""Several people work on a bot: who may do what, and what follows from it elsewhere."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils.timezone import now

from arena.bots import teams
from arena.bots.lifecycle import list_declined_invitations
from arena.bots.models import Bot, BotVersion, TeamMember, Token
from arena.bots.queries import search_bots
from arena.bots.services import add_version, create_bot, submit_version
from arena.bots.teams import (
    MAX_TOKEN_NAME_LENGTH,
    BadTokenName,
    ForGroupOnly,
    QuotaSpent,
    check_may_meet,
    decline_invitation,
    find_token,
    invite_author,
    issue_token,
    leave_all_teams,
    list_authors_of_bot,
    remove_author,
    revoke_token,
)
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.services import ComparisonSettings, start_comparison, stop_comparison
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import LadderFull, enter_version, pause_bot, promote_to_ladders
from arena.contests.ladders.services.ledger import PairTotals
from arena.contests.ladders.services.pairing import LadderCandidates, queue_ladder_matches, queue_rematch
from arena.contests.tournaments.models import Entrant
from arena.contests.tournaments.services.access import Access, NotPermitted
from arena.contests.tournaments.services.entering import enter
from arena.core.errors import Conflict, NotYours
from arena.matches.livegames.position import LivePlayer
from arena.matches.livegames.queries import list_opponents
from arena.matches.models import Match, Participant
from arena.matches.queue import list_queued_matches_of_owner
from arena.matches.services import notify_of_match, queue_match, queue_trial
from arena.operations.acts import delete_bot, hand_over_bot, join_team, rename_own_bot, retire_bot
from arena.operations.staff_acts import SuspendAuthor
from arena.operations.tasks import settle_match
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.runner.archive import Upload
from tests.arena.contests.tournaments.world import make_tournament
from tests.conftest import FIRST_LEGAL


@pytest.fixture
def eva(db: None) -> User:
    return User.objects.create_user("eva")


@pytest.fixture
def kingfisher(ana: User) -> Bot:
    return create_bot(owner=ana, name="Kingfisher", game="battleline")


def add(bot: Bot, user: User) -> Bot:
    invite_author(bot=bot, by=bot.owner, user=user)
    return join_team(bot=bot, user=user)


def upload(bot: Bot, by: User, content: bytes) -> BotVersion:
    return submit_version(owner=by, bot=Bot.objects.get(pk=bot.pk), files=Upload({"bot.py": content}))[0]


def test_who_is_invited_is_no_author_before_accepting(kingfisher: Bot, ana: User, ben: User):
    invite_author(bot=kingfisher, by=ana, user=ben)
    notice = Notice.objects.get(user=ben, event=Event.GROUP_INVITATION)
    assert (str(notice.text), notice.url) == ("ana invited you to work on Kingfisher.", "/bots/kingfisher/invitation/")
    with pytest.raises(NotYours):
        upload(kingfisher, ben, b"1")
    joined = join_team(bot=kingfisher, user=ben)
    assert joined.author_names == ["ana", "ben"] and joined.has_author(ben)
    assert [str(one.text) for one in Notice.objects.filter(user=ana)] == ["ben is now an author of Kingfisher."]
    assert list_authors_of_bot(joined) == [ana, ben]


def test_all_authors_upload_and_who_did_is_known(kingfisher: Bot, ana: User, ben: User):
    bot = add(kingfisher, ben)
    versions = [upload(bot, ana, b"1"), upload(bot, ben, b"2")]
    assert [version.uploaded_by for version in versions] == [ana, ben]
    assert upload(bot, ana, b"2") == versions[1]


def test_the_quota_is_that_of_who_leads(kingfisher: Bot, ana: User, ben: User, settings):
    settings.MAX_VERSIONS_PER_DAY = 1
    upload(kingfisher, ana, b"1")
    with pytest.raises(QuotaSpent, match="The bots led by ana have had 1 uploads in 24 hours"):
        upload(add(kingfisher, ben), ben, b"2")
    upload(create_bot(owner=ben, name="Heron", game="battleline"), ben, b"1")


def test_members_change_settings_and_only_the_lead_ends_things(kingfisher: Bot, ana: User, ben: User, eva: User):
    bot = add(kingfisher, ben)
    rename_own_bot(bot=bot, owner=ben, name="Grebe")
    pause_bot(bot=bot, owner=ben)
    for act in (
        lambda: retire_bot(bot=bot, owner=ben),
        lambda: delete_bot(bot=bot, owner=ben),
        lambda: invite_author(bot=bot, by=ben, user=eva),
        lambda: hand_over_bot(bot=bot, owner=ben, user=ben),
        lambda: remove_author(bot=bot, by=ben, user=ana),
    ):
        with pytest.raises(NotYours, match="Only ana, the lead of"):
            act()
    with pytest.raises(NotYours, match="belongs to someone else"):
        rename_own_bot(bot=bot, owner=eva, name="Egret")


def test_a_member_who_leaves_or_is_taken_off_can_do_nothing_any_more(kingfisher: Bot, ana: User, ben: User, eva: User):
    bot = add(add(kingfisher, ben), eva)
    _, text = issue_token(owner=ben, name="ci", bot=bot)
    remove_author(bot=bot, by=ben, user=ben)
    remove_author(bot=bot, by=ana, user=eva)
    bot.refresh_from_db()
    assert bot.author_names == ["ana"] and find_token(text) is None
    for user in (ben, eva):
        with pytest.raises(NotYours):
            upload(bot, user, b"1")
    with pytest.raises(Conflict, match="Hand over the lead first"):
        remove_author(bot=bot, by=ana, user=ana)


def test_a_refused_or_withdrawn_invitation_is_not_sent_again_at_once(kingfisher: Bot, ana: User, ben: User):
    for end in (
        lambda: decline_invitation(bot=kingfisher, user=ben),
        lambda: remove_author(bot=kingfisher, by=ana, user=ben),
    ):
        invite_author(bot=kingfisher, by=ana, user=ben)
        invite_author(bot=kingfisher, by=ana, user=ben)
        end()
        with pytest.raises(Conflict, match="aren't invited"):
            join_team(bot=kingfisher, user=ben)
        with pytest.raises(Conflict, match="Try again tomorrow"):
            invite_author(bot=kingfisher, by=ana, user=ben)
        assert not sum(expired.rows.count() for expired in list_declined_invitations())
        TeamMember.objects.update(declined_at=now() - teams.REINVITATION_DELAY)
    assert sum(expired.rows.count() for expired in list_declined_invitations()) == 1
    assert not Notice.objects.filter(user=ben).exists()


def test_teams_and_invitations_are_limited(kingfisher: Bot, ana: User, ben: User, eva: User, monkeypatch):
    monkeypatch.setattr(teams, "MAX_TEAM_SIZE", 2)
    invite_author(bot=kingfisher, by=ana, user=ben)
    with pytest.raises(Conflict, match="at most 2 people"):
        invite_author(bot=kingfisher, by=ana, user=eva)
    monkeypatch.setattr(teams, "MAX_TEAM_SIZE", 9)
    monkeypatch.setattr(teams, "MAX_TEAM_INVITATIONS_PER_DAY", 1)
    with pytest.raises(Conflict, match="tomorrow"):
        invite_author(bot=kingfisher, by=ana, user=eva)


def test_the_lead_is_handed_over(kingfisher: Bot, ana: User, ben: User, eva: User, settings):
    bot = add(kingfisher, ben)
    with pytest.raises(Conflict, match="eva isn't on the team"):
        hand_over_bot(bot=bot, owner=ana, user=eva)
    settings.MAX_BOTS_PER_OWNER = 1
    create_bot(owner=ben, name="Heron", game="battleline")
    with pytest.raises(Conflict, match="maximum number of bots"):
        hand_over_bot(bot=bot, owner=ana, user=ben)
    settings.MAX_BOTS_PER_OWNER = 2
    bot = hand_over_bot(bot=bot, owner=ana, user=ben)
    assert bot.author_names == ["ben", "ana"] and Bot.objects.get(pk=bot.pk).owner == ben
    retire_bot(bot=bot, owner=ben)


def test_a_lead_can_not_be_handed_over_beyond_the_ladders_limit(
    ana: User, ben: User, ladder: Ladder, make_version, settings
):
    settings.MAX_LADDER_BOTS_PER_OWNER = 1
    enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    enter_version(ladder=ladder, version=make_version(ben, "Heron", b"2"))
    bot = add(Bot.objects.get(slug="kingfisher"), ben)
    with pytest.raises(LadderFull, match="ben already leads the maximum number of bots on Battle Line"):
        hand_over_bot(bot=bot, owner=ana, user=ben)
    assert Bot.objects.get(pk=bot.pk).owner == ana


def test_who_is_erased_leaves_the_lead_to_the_longest_member(kingfisher: Bot, ana: User, ben: User, eva: User):
    bot = add(add(kingfisher, eva), ben)
    User.objects.filter(pk=eva.pk).update(suspended_at=now())
    leave_all_teams(user=ana)
    bot.refresh_from_db()
    assert bot.author_names == ["ben", "eva"]
    leave_all_teams(user=eva)
    bot.refresh_from_db()
    assert bot.author_names == ["ben"] and not TeamMember.objects.exists()
    told = [str(text) for text in Notice.objects.filter(event=Event.GROUP_INVITATION).values_list("text", flat=True)]
    assert told and not any(name in text for text in told for name in ("ana", "eva"))


def test_suspending_stops_the_bots_that_are_led(kingfisher: Bot, ana: User, ben: User):
    bot = add(kingfisher, ben)
    SuspendAuthor(ben).perform()
    ben.refresh_from_db()
    upload(bot, ana, b"1")
    with pytest.raises(Exception, match="suspended your account"):
        upload(bot, ben, b"2")
    SuspendAuthor(ana).perform()
    with pytest.raises(Exception, match="suspended ana"):
        User.objects.filter(pk=ben.pk).update(suspended_at=None)
        upload(bot, ben, b"3")


def test_bots_of_a_group_have_teams_in_it_alone(ana: User, ben: User, eva: User):
    group = Group.objects.create(name="10.b", slug="10b")
    for user in (ana, ben):
        Membership.objects.create(group=group, user=user)
    bot = create_bot(owner=ana, name="Kestrel", game="battleline", group=group)
    with pytest.raises(Conflict, match="Kestrel is only for its group, and eva isn't in the group"):
        invite_author(bot=bot, by=ana, user=eva)
    bot = add(bot, ben)
    assert not Bot.objects.visible_to(eva).exists()
    shared = add(create_bot(owner=ana, name="Wren", game="battleline"), eva)
    check_may_meet([bot, create_bot(owner=ben, name="Heron", game="battleline")])
    with pytest.raises(ForGroupOnly):
        check_may_meet([bot, shared])


def test_the_arenas_bots_have_no_team(house: User, ana: User):
    with pytest.raises(Conflict, match="sample bots"):
        invite_author(bot=create_bot(owner=house, name="Sentry", game="battleline"), by=house, user=ana)


def test_all_authors_hear_of_a_trial(kingfisher: Bot, ana: User, ben: User, play, make_version):
    version = make_version(ana, "Kingfisher", state=BotVersion.State.ON_TRIAL)
    add(kingfisher, ben)
    trial = queue_trial(version=version)
    assert trial is not None and play(trial)
    settle_match(trial.pk)
    assert set(Notice.objects.filter(event=Event.TRIAL_FINISHED).values_list("user", flat=True)) == {ana.pk, ben.pk}


def test_all_authors_challenge_and_compare(ana: User, ben: User, ladder: Ladder, make_version):
    older, newer = make_version(ana, "Kingfisher", b"1"), make_version(ana, "Kingfisher", b"2")
    heron = make_version(ben, "Heron", b"3")
    with pytest.raises(NotYours):
        start_comparison(owner=ben, version=newer)
    bot = add(older.bot, ben)
    older.bot = newer.bot = bot
    comparison = start_comparison(owner=ben, version=newer)
    assert stop_comparison(comparison=comparison, owner=ana).is_over
    assert start_comparison(owner=ben, version=newer, baseline=heron).baseline == heron
    assert create_challenge(owner=ben, version=newer, opponent=heron).owner == ben


class TestLadder:
    @pytest.fixture
    def three(self, ana: User, ben: User, eva: User, ladder: Ladder, make_version) -> list[Entry]:
        versions = [make_version(one, f"Bot of {one}", str(one).encode()) for one in (ana, ben, eva)]
        return [enter_version(ladder=ladder, version=version) for version in versions]

    def test_bots_that_share_an_author_do_not_meet(self, three: list[Entry], ladder: Ladder, eva: User, settings):
        settings.MAX_WAITING_MATCHES_PER_LADDER = 9
        add(three[0].version.bot, eva)
        add(three[1].version.bot, eva)
        book = LadderCandidates(ladder)
        assert book.list_around(1500.0, 3, set(), {eva.pk}) == []
        around = book.list_around(1500.0, 3, set(), {three[0].version.bot.owner_id})
        assert {one.entry for one in around} == {three[1].pk, three[2].pk}
        assert queue_ladder_matches(ladder=ladder) == []
        remove_author(bot=three[1].version.bot, by=eva, user=eva)
        met = {
            frozenset(match.participants.values_list("version", flat=True))
            for match in queue_ladder_matches(ladder=ladder)
        }
        assert met == {frozenset({three[1].version_id, other.version_id}) for other in (three[0], three[2])}

    def test_a_match_of_bots_that_share_an_author_now_is_not_replayed(self, three: list[Entry], ladder: Ladder):
        match = queue_ladder_matches(ladder=ladder)[0]
        first, second = [one.version.bot for one in match.participants.select_related("version__bot__owner")]
        add(first, second.owner)
        with pytest.raises(Conflict, match="Bots in this match now share an author, so the match can't be replayed"):
            queue_rematch(ladder_match=match.ladder_match)

    def test_opponents_that_may_be_met_are_counted_without_them(self, three: list[Entry], ladder: Ladder, eva: User):
        def count() -> list[int]:
            totals = PairTotals(ladder, {entry.pk: entry for entry in three})
            return [totals._count_others(entry) for entry in three]

        assert count() == [2, 2, 2]
        add(three[0].version.bot, eva)
        assert count() == [1, 2, 1]
        add(three[1].version.bot, eva)
        assert count() == [0, 0, 0]


class TestTournament:
    @pytest.fixture
    def bots(self, ana: User, ben: User, make_version) -> list[Bot]:
        made = [
            make_version(ana, "Kingfisher", b"1"),
            make_version(ben, "Heron", b"2"),
            make_version(ben, "Egret", b"3"),
        ]
        return [version.bot for version in made]

    def test_the_maximum_counts_for_each_author(self, bots: list[Bot], ben: User):
        tournament = make_tournament(max_entrants_per_author=1)
        kingfisher, heron, _ = bots
        kingfisher = add(kingfisher, ben)
        enter(tournament=tournament, bot=kingfisher, user=ben)
        with pytest.raises(Conflict, match="can enter one bot"):
            enter(tournament=tournament, bot=heron, user=ben)

    def test_nobody_joins_a_team_to_get_round_it(self, bots: list[Bot], ana: User, ben: User):
        tournament = make_tournament(bots[:2], max_entrants_per_author=1)
        invite_author(bot=bots[0], by=ana, user=ben)
        with pytest.raises(Conflict, match="more bots than allowed"):
            join_team(bot=bots[0], user=ben)
        assert not TeamMember.objects.joined().exists() and Entrant.objects.filter(tournament=tournament).count() == 2

    def test_one_author_on_the_list_is_enough(self, bots: list[Bot], ana: User, ben: User, eva: User):
        tournament = make_tournament(access=Access(entry_rule="list", permitted_authors=("eva",)))
        with pytest.raises(NotPermitted):
            enter(tournament=tournament, bot=bots[0], user=ana)
        assert enter(tournament=tournament, bot=add(bots[0], eva), user=ana).bot == bots[0]


def test_matches_in_the_queue_are_told_to_all_authors(ana: User, ben: User, eva: User, ladder: Ladder, make_version):
    for user in (ana, ben):
        enter_version(ladder=ladder, version=make_version(user, f"Bot of {user}", str(user).encode()))
    add(Bot.objects.get(owner=ana), eva)
    queue_ladder_matches(ladder=ladder)
    assert list_queued_matches_of_owner(eva, 9).count() == Match.objects.count() > 0


def test_who_may_change_a_bot_is_asked_in_one_place():
    """Elsewhere `Bot.has_author` and `Bot.is_led_by` answer, or `check_author` and `check_lead`."""
    compared = re.compile(r"bot\.owner(_id)? *(==|!=)")
    root = Path(__file__).parents[3]
    files = [*(root / "arena").rglob("*.py"), *(root / "templates").rglob("*.html")]
    found = [str(path) for path in files if compared.search(path.read_text(encoding="utf-8"))]
    assert found == []


# Bots for a group only: on no ladder, against nobody outside, and in no public tournament.


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
    for player in (LivePlayer(), LivePlayer(ana)):
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


def test_a_token_is_found_by_its_text_and_the_text_is_not_kept(ana: User):
    token, text = issue_token(owner=ana, name="  CI   of mine ")
    assert token.name == "CI of mine" and text.startswith("pnt_") and token.prefix == text[:8]
    assert text not in str(Token.objects.values())
    assert find_token(text) == token
    for other in ("", "pnt_", text[:-1], text.upper(), token.digest, f"pnt_{token.digest}"):
        assert find_token(other) is None


def test_no_two_tokens_are_alike(ana: User):
    assert len({issue_token(owner=ana, name="CI")[1] for _ in range(5)}) == 5


def test_it_is_noted_when_a_token_was_used_but_not_each_time(ana: User, django_assert_num_queries):
    token, text = issue_token(owner=ana, name="CI")
    with django_assert_num_queries(2):
        find_token(text)
    with django_assert_num_queries(1):
        find_token(text)
    long_ago = now() - timedelta(hours=1)
    Token.objects.update(last_used_at=long_ago)
    find_token(text)
    assert Token.objects.get().last_used_at > long_ago


def test_a_revoked_token_stays_revoked(ana: User, ben: User):
    token, text = issue_token(owner=ana, name="CI")
    with pytest.raises(NotYours):
        revoke_token(token=token, owner=ben)
    assert find_token(text) == token
    revoke_token(token=token, owner=ana)
    first = Token.objects.get().revoked_at
    revoke_token(token=token, owner=ana)
    assert find_token(text) is None and Token.objects.get().revoked_at == first


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * (MAX_TOKEN_NAME_LENGTH + 1)])
def test_a_token_has_a_name_that_can_be_read(ana: User, name: str):
    with pytest.raises(BadTokenName):
        issue_token(owner=ana, name=name)


def test_a_token_is_for_bots_of_its_owner(ana: User, ben: User):
    with pytest.raises(NotYours):
        issue_token(owner=ana, name="CI", bot=create_bot(owner=ben, name="Heron", game="battleline"))
    assert not Token.objects.exists()
