"""An author who is suspended or banned, and reinstated: no bot of theirs is paired or played anywhere."""

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.accounts.suspension import AuthorSuspended
from arena.bots.models import BotVersion
from arena.bots.services import submit_version
from arena.bots.tokens import find_token, issue_token
from arena.challenges.services import create_challenge
from arena.comparisons.models import Comparison
from arena.comparisons.services import count_units, queue_comparison_matches, start_comparison
from arena.comparisons.settings import ComparisonSettings
from arena.errors import Conflict
from arena.ladders.models import Entry, Ladder
from arena.ladders.services.entering import (
    enter_accepted_version,
    enter_version,
    pause_entry,
    promote_to_ladders,
    resume_entry,
)
from arena.ladders.services.pairing import queue_ladder_matches
from arena.ladders.services.seasons import close_season
from arena.matches.models import Match
from arena.matches.services import claim_next, list_versions_without_trial, queue_match, queue_trial
from arena.notices.models import Event, Notice
from arena.staff_acts.authors import BanAuthor, ReinstateAuthor, SuspendAuthor
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.entering import enter
from arena.tournaments.services.organising import replay_rounds, resume
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.settings import Settings
from tests.arena.staff_acts.conftest import Do
from tests.arena.tournaments.world import begin, make_bots, make_tournament, play_out, waiting
from tests.conftest import FIRST_LEGAL, MakeVersion

OTHER_FILES = {"bot.py": FIRST_LEGAL + b"\n# other\n"}


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def states(owner: User) -> list[str]:
    return list(Entry.objects.filter(version__bot__owner=owner).order_by("pk").values_list("state", flat=True))


class TestOnLadders:
    def test_bots_stop_at_once_and_play_again(self, ladder, entries, ana, ben, do: Do):
        (match, *_) = queue_ladder_matches(ladder=ladder)
        assert "1 entry on ladders" in SuspendAuthor(ana).describe()
        do(SuspendAuthor(ana))
        match.refresh_from_db()
        assert match.state == Match.State.VOID and "stopped the bots of its author" in str(match.void_reason)
        assert states(ana) == ["suspended"] and states(ben) == ["active"]
        assert queue_ladder_matches(ladder=ladder) == [] and claim_next(worker="w") is None
        with pytest.raises(AuthorSuspended):
            resume_entry(entry=entries[0], owner=ana)
        do(ReinstateAuthor(fresh(ana)))
        assert states(ana) == ["active"] and queue_ladder_matches(ladder=ladder)

    def test_what_its_owner_had_paused_stays_paused(self, ladder, entries, ana, do):
        pause_entry(entry=entries[0], owner=ana)
        do(SuspendAuthor(ana))
        do(ReinstateAuthor(fresh(ana)))
        assert states(ana) == ["suspended"]

    def test_a_new_season_takes_the_suspension_over(self, ladder, entries, ana, do):
        do(SuspendAuthor(ana))
        following = close_season(ladder=ladder)
        do(ReinstateAuthor(fresh(ana)))
        assert Entry.objects.get(ladder=following, version=entries[0].version).is_active

    def test_a_version_whose_trial_had_just_ended_enters_stopped(self, ladder, ana, make_version, do):
        version = make_version(ana, "Kingfisher", state=BotVersion.State.ON_TRIAL)
        trial = queue_trial(version=version)
        Match.objects.filter(pk=trial.pk).update(state=Match.State.FINISHED)
        do(SuspendAuthor(ana))
        BotVersion.objects.update(state=BotVersion.State.ACCEPTED)
        enter_accepted_version(match=trial)
        assert states(ana) == ["suspended"]
        do(ReinstateAuthor(fresh(ana)))
        assert states(ana) == ["active"]


def test_no_worker_takes_what_was_queued_meanwhile(entries: list[Entry], ana: User, do: Do) -> None:
    do(SuspendAuthor(ana))
    match = queue_match(versions=[entry.version for entry in entries], game="battleline", edition="standard")
    assert claim_next(worker="w") is None
    do(ReinstateAuthor(fresh(ana)))
    attempt = claim_next(worker="w")
    assert attempt is not None and attempt.match_id == match.pk


def test_trials_wait_until_the_author_is_reinstated(ana, make_version, do):
    version = make_version(ana, "Kingfisher", state=BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=version)
    do(SuspendAuthor(ana))
    trial.refresh_from_db()
    assert trial.state == Match.State.VOID
    BotVersion.objects.update(created_at="2020-01-01T00:00Z")
    Match.objects.update(finished_at="2020-01-01T00:00Z")
    assert queue_trial(version=version) is None and list_versions_without_trial() == []
    do(ReinstateAuthor(fresh(ana)))
    assert list_versions_without_trial() == [version.pk] and queue_trial(version=version)


def test_the_author_can_read_and_not_upload_challenge_compare_promote_or_enter(ladder, entries, ana, do, client):
    version = entries[0].version
    tournament = make_tournament()
    client.force_login(ana)
    do(SuspendAuthor(ana))
    owner = fresh(ana)
    refused = [
        lambda: submit_version(owner=owner, bot=version.bot, files=OTHER_FILES),
        lambda: create_challenge(owner=owner, version=version, opponent=entries[1].version),
        lambda: start_comparison(owner=owner, version=version, baseline=entries[1].version),
        lambda: promote_to_ladders(version=version, owner=owner),
        lambda: enter(tournament=tournament, bot=version.bot, user=owner),
    ]
    for act in refused:
        with pytest.raises(AuthorSuspended, match="suspended your account"):
            act()
    with pytest.raises(AuthorSuspended, match="suspended ana, whose bots"):
        enter(tournament=tournament, bot=version.bot, user=tournament.organiser)
    assert client.get("/settings/").status_code == 200
    assert "suspended your account" in client.get("/bots/new/").content.decode()
    assert "felfüggesztették a fiókodat" in client.get("/bots/new/", headers={"Accept-Language": "hu"}).content.decode()
    assert Notice.objects.get(user=ana, event=Event.ACCOUNT_SUSPENDED)
    do(ReinstateAuthor(owner))
    assert submit_version(owner=fresh(ana), bot=version.bot, files=OTHER_FILES)[1]
    assert Notice.objects.get(user=ana, event=Event.ACCOUNT_REINSTATED)


class TestComparisons:
    @pytest.fixture
    def pair(self, ladder: Ladder, entries: list[Entry], make_version: MakeVersion, ben: User) -> Comparison:
        """Ben's new version against Ana's bot."""
        new = make_version(ben, "ben's", OTHER_FILES["bot.py"])
        return start_comparison(owner=ben, version=new, baseline=entries[0].version)

    def test_a_pair_waits_until_the_author_is_reinstated(self, pair, ana, do):
        assert queue_comparison_matches(comparison=pair)
        do(SuspendAuthor(ana))
        assert not Match.objects.queued().exists()
        assert queue_comparison_matches(comparison=count_units(comparison=pair)) == []
        do(ReinstateAuthor(fresh(ana)))
        assert queue_comparison_matches(comparison=pair)
        pair.refresh_from_db()
        assert (pair.state, pair.pairs) == (Comparison.State.RUNNING, 0)

    def test_a_field_goes_on_without_the_author(self, ladder, entries, ana, ben, make_version, do):
        carl = User.objects.create_user("carl")
        enter_version(ladder=ladder, version=make_version(carl, "carl's"))
        new = make_version(ben, "ben's", OTHER_FILES["bot.py"])
        settings = ComparisonSettings(mode=Comparison.Mode.FIELD)
        field = start_comparison(owner=ben, version=new, baseline=entries[1].version, settings=settings)
        assert field.opponents.count() == 2
        do(SuspendAuthor(ana))
        matches = queue_comparison_matches(comparison=field)
        assert matches and {one.participants.get(index=1).version.bot.owner for one in matches} == {carl}
        do(SuspendAuthor(carl))
        assert queue_comparison_matches(comparison=count_units(comparison=field)) == []


class TestTournaments:
    def test_one_that_has_started_goes_on_without_the_author(self, do):
        bots = make_bots(4)
        tournament = begin(bots)
        Match.objects.queued().filter(participants__version__bot=bots[0]).update(state=Match.State.RUNNING)
        do(SuspendAuthor(bots[0].owner))
        entrant = Entrant.objects.get(bot=bots[0])
        assert (entrant.state, entrant.left_in_round) == ("withdrawn", 1)
        assert not Match.objects.running().exists()
        assert play_out(tournament).state == Tournament.State.FINISHED
        assert not Match.objects.filter(state="finished", pairing_match__pairing__seats__entrant=entrant).exists()
        do(ReinstateAuthor(fresh(bots[0].owner)))
        entrant.refresh_from_db()
        assert entrant.state == "withdrawn"

    def test_one_that_has_not_started_takes_the_bot_back(self, do):
        bots = make_bots(2)
        tournament = make_tournament(bots)
        advance_tournament(tournament=tournament)
        do(SuspendAuthor(bots[0].owner))
        assert Match.objects.queued().count() == 1 and len(advance_tournament(tournament=tournament)) == 0
        assert "1 entry in tournaments" in ReinstateAuthor(fresh(bots[0].owner)).describe()
        do(ReinstateAuthor(fresh(bots[0].owner)))
        assert Entrant.objects.get(bot=bots[0]).state == "checking"
        assert len(advance_tournament(tournament=tournament)) == 1

    def test_a_full_one_does_not_take_it_back(self, ana, make_version, do):
        bots = make_bots(2)
        tournament = make_tournament(bots, max_entrants=2)
        do(SuspendAuthor(bots[0].owner))
        enter(tournament=tournament, bot=make_version(ana, "Kingfisher").bot, user=ana)
        assert "0 entries in tournaments" in do(ReinstateAuthor(fresh(bots[0].owner)))

    def test_a_table_of_several_pauses_it_for_a_replay(self, do):
        bots = make_bots(3, game="battalion")
        settings = Settings(format="tables", seats=3)
        tournament = begin(bots, settings, game="battalion", edition="standard")
        assert waiting(tournament)
        assert "which paused Autumn Cup" in do(SuspendAuthor(bots[0].owner))
        tournament.refresh_from_db()
        assert tournament.state == Tournament.State.PAUSED and "replay the round" in str(tournament.state_reason)
        assert not Match.objects.queued().exists()
        tournament = replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="")
        resume(tournament=tournament, organiser=tournament.organiser)
        advance_tournament(tournament=tournament)
        seated = set(Match.objects.queued().values_list("participants__version__bot", flat=True))
        assert bots[0].pk not in seated


class TestBans:
    def test_sessions_and_tokens_end_and_nobody_signs_in(self, ana, do, client):
        text = issue_token(owner=ana, name="CI")[1]
        client.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
        assert client.get("/settings/").status_code == 200 and "_auth_user_id" in client.session
        client.get("/")
        do(BanAuthor(ana))
        assert find_token(text) is None
        other = Client()
        other.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
        assert "_auth_user_id" not in other.session
        assert client.get("/accounts/2fa/").status_code == 302
        assert client.get("/authors/ana/").status_code == 200
        do(ReinstateAuthor(fresh(ana)))
        other.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
        assert "_auth_user_id" in other.session and find_token(text)

    def test_a_suspension_can_become_a_ban_and_an_inactive_account_stays_so(self, ana, ben, do):
        do(SuspendAuthor(ana))
        do(BanAuthor(fresh(ana)))
        assert not fresh(ana).is_active and Notice.objects.filter(user=ana).count() == 1
        with pytest.raises(Conflict, match="suspended already"):
            BanAuthor(fresh(ana)).describe()
        User.objects.filter(pk=ben.pk).update(is_active=False)
        do(BanAuthor(fresh(ben)))
        do(ReinstateAuthor(fresh(ben)))
        assert not fresh(ben).is_active and fresh(ben).suspended_at is None


def test_staff_and_the_house_are_not_suspended(olga: User, house: User, ana: User) -> None:
    for user in (olga, house):
        with pytest.raises(Conflict, match="works for the arena"):
            SuspendAuthor(user).describe()
    with pytest.raises(Conflict, match="is not suspended"):
        ReinstateAuthor(ana).describe()
