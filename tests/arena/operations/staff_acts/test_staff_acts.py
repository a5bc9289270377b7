"""An author who is suspended or banned, and reinstated: no bot of theirs is paired or played anywhere."""

from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Blob, Bot, BotVersion
from arena.bots.services import UploadsClosed, create_bot, submit_version
from arena.bots.teams import find_token, issue_token
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import (
    ComparisonSettings,
    count_units,
    queue_comparison_matches,
    start_comparison,
)
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import (
    enter_accepted_version,
    enter_version,
    pause_entry,
    promote_to_ladders,
    resume_entry,
)
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.refitting import refit_ladder
from arena.contests.ladders.services.seasons import close_season
from arena.contests.tournaments.models import Entrant, PairingMatch, Tournament
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.organising import pause, replay_rounds, resume
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import CANCELLED, Attempt, Match, Participant
from arena.matches.play import play_attempt
from arena.matches.services import claim_match, claim_next, list_versions_without_trial, queue_match, queue_trial
from arena.operations.personal_data import write_export
from arena.operations.staff_acts import (
    BanAuthor,
    CancelMatch,
    CloseUploads,
    OpenUploads,
    ReinstateAuthor,
    RemoveFiles,
    ReplayMatch,
    SuspendAuthor,
)
from arena.operations.tasks import settle_match
from arena.people.accounts.models import User
from arena.people.accounts.services import AuthorSuspended
from arena.people.notices.models import Event, Notice
from arena.runner.archive import Upload
from arena.runner.match import play_match
from arena.runner.sandbox.base import Sandbox
from tests.arena.contests.ladders.conftest import store_match
from tests.arena.contests.ladders.test_ledger import check_recomputed
from tests.arena.contests.tournaments.world import begin, finish, make_bots, make_tournament, play_out, waiting
from tests.arena.operations.staff_acts.conftest import Do
from tests.conftest import FIRST_LEGAL, MakeVersion, Play

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
        assert match.state == Match.State.VOID and "stopped its author's bots" in str(match.void_reason)
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
        lambda: submit_version(owner=owner, bot=version.bot, files=Upload(OTHER_FILES)),
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
    assert "felfüggesztette a fiókodat" in client.get("/bots/new/", headers={"Accept-Language": "hu"}).content.decode()
    assert Notice.objects.get(user=ana, event=Event.ACCOUNT_SUSPENDED)
    do(ReinstateAuthor(owner))
    assert submit_version(owner=fresh(ana), bot=version.bot, files=Upload(OTHER_FILES))[1]
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
        with pytest.raises(Conflict, match="already suspended"):
            BanAuthor(fresh(ana)).describe()
        User.objects.filter(pk=ben.pk).update(is_active=False)
        do(BanAuthor(fresh(ben)))
        do(ReinstateAuthor(fresh(ben)))
        assert not fresh(ben).is_active and fresh(ben).suspended_at is None


def test_staff_and_the_house_are_not_suspended(olga: User, house: User, ana: User) -> None:
    for user in (olga, house):
        with pytest.raises(Conflict, match="is a staff member"):
            SuspendAuthor(user).describe()
    with pytest.raises(Conflict, match="ana isn't suspended"):
        ReinstateAuthor(ana).describe()


# Matches that are cancelled and replayed: rated, open, and of tournaments.

WON = [[1, 2], [1, 2]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(ladder: Ladder, entries: list[Entry]) -> list[LadderMatch]:
    """Three rated matches, the last after the fit."""
    rows = [store_match(ladder, entries, WON, minute=minute) for minute in (1, 2)]
    append_finished_matches(ladder=ladder)
    refit_ladder(ladder=ladder)
    rows.append(store_match(ladder, entries, WON, minute=3))
    append_finished_matches(ladder=ladder)
    return rows


def test_a_rated_match_counts_no_longer_and_ledger_and_ratings_agree(rated, ladder, do, client):
    before = list(Entry.objects.order_by("pk").values_list("matches", "points"))
    for row in rated[1:]:
        assert do(CancelMatch(row.match)) == "The match no longer counts."
        check_recomputed(ladder)
    assert before == [(3, 3.0), (3, 0.0)]
    assert list(Entry.objects.order_by("pk").values_list("matches", "points")) == [(1, 1.0), (1, 0.0)]
    refit_ladder(ladder=ladder)
    check_recomputed(ladder)
    assert "cancelled" in client.get("/matches/").content.decode()
    with pytest.raises(Conflict, match="already doesn't count"):
        CancelMatch(rated[1].match).describe()


def test_a_match_that_has_just_ended_is_rated_before_it_is_cancelled(ladder, entries, do):
    row = store_match(ladder, entries, WON)
    do(CancelMatch(row.match))
    row.refresh_from_db()
    assert (row.in_flight, row.sequence, row.void_sequence) == (False, 1, 2)
    settle_match(row.match_id)
    check_recomputed(ladder)


def test_a_rated_match_is_replayed_on_a_new_deal(rated, ladder, do, play: Play):
    outcome = do(ReplayMatch(rated[0].match))
    again = Match.objects.queued().get()
    assert f"replayed as match {again.pk}" in outcome
    versions = [{one.version_id for one in Participant.objects.filter(match=one)} for one in (again, rated[0].match)]
    assert versions[0] == versions[1]
    assert play(again)
    settle_match(again.pk)
    check_recomputed(ladder)
    assert Entry.objects.first().matches == 3


def test_a_match_is_not_replayed_with_a_bot_that_does_not_play(rated, entries, do):
    Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.RETIRED)
    with pytest.raises(Conflict, match="doesn't currently play on"):
        ReplayMatch(rated[0].match).describe()
    do(CancelMatch(rated[0].match))


def test_a_match_that_is_played_ends_without_a_result(ladder, entries, do, bare: Sandbox):
    (match, *_) = queue_ladder_matches(ladder=ladder)
    attempt = claim_match(match_id=match.pk, worker="w")

    def play(spec, beat):
        report = play_match(spec, bare, lambda _: None)
        match.refresh_from_db()
        assert "(running)" in CancelMatch(match).describe()
        do(CancelMatch(match))
        return report

    assert not play_attempt(attempt=attempt, play=play)
    match.refresh_from_db()
    attempt.refresh_from_db()
    assert (match.state, str(match.void_reason)) == (Match.State.VOID, "Cancelled by the arena's staff.")
    assert attempt.ending == Attempt.Ending.CANCELLED and not match.legs.exclude(record=None).exists()
    settle_match(match.pk)
    assert not LadderMatch.objects.filter(match=match, in_flight=True).exists()
    assert Entry.objects.first().matches == 0
    with pytest.raises(Conflict, match="has no result"):
        CancelMatch(match).describe()


def test_what_is_not_rated_is_cancelled_only_while_it_waits(ana, make_version, do):
    one, other = make_version(ana, "Kingfisher"), make_version(ana, "Heron")
    match = create_challenge(owner=ana, version=one, opponent=other).match
    with pytest.raises(Conflict, match="request another"):
        ReplayMatch(match).describe()
    do(CancelMatch(match))
    finished = finish(create_challenge(owner=ana, version=one, opponent=other).match, [1, 2])
    with pytest.raises(Conflict, match="nothing to undo"):
        CancelMatch(finished).describe()


def test_a_trial_is_played_again_by_the_arena_itself(ana, make_version, do):
    version = make_version(ana, "Kingfisher", state="on_trial")
    match = queue_trial(version=version)
    assert "another one automatically" in ReplayMatch(match).describe()
    do(ReplayMatch(match))
    assert queue_trial(version=version)


class TestOfATournament:
    def test_a_match_is_replayed_in_its_place(self, do):
        tournament = begin(make_bots(4))
        first, _ = waiting(tournament)
        finish(first, [1, 2])
        with pytest.raises(Conflict, match="replay it"):
            CancelMatch(first).describe()
        outcome = do(ReplayMatch(first))
        rows = PairingMatch.objects.filter(pairing__pairing_matches__match=first).order_by("pk")
        assert [row.counts for row in rows] == [False, True] and rows[0].number == rows[1].number
        assert f"replayed as match {rows[1].match_id}" in outcome and rows[1].match.deal == rows[0].match.deal
        assert not rows.filter(failed=True).exists()
        assert play_out(tournament).state == "finished"

    def test_a_paused_tournament_replays_it_when_it_goes_on(self, do):
        tournament = begin(make_bots(2))
        (match,) = waiting(tournament)
        Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING)
        match.refresh_from_db()
        pause(tournament=tournament, organiser=tournament.organiser)
        assert "once the tournament is resumed" in do(ReplayMatch(match))
        resume(tournament=tournament, organiser=tournament.organiser)
        assert len(advance_tournament(tournament=tournament)) == 1

    def test_a_rated_one_leaves_the_ladder_too(self, ladder, entries, do):
        tournament = begin([entry.version.bot for entry in entries], is_rated=True)
        (match,) = waiting(tournament)
        finish(match, [1, 2])
        append_finished_matches(ladder=ladder)
        assert "no longer counts" in do(ReplayMatch(match))
        assert LadderMatch.objects.get(match=match).void_sequence == 2
        check_recomputed(ladder)

    def test_the_match_of_a_decided_pairing_is_refused_with_what_can_be_done(self):
        tournament = begin(make_bots(4))
        first, _ = waiting(tournament)
        finish(first, [1, 2])
        advance_tournament(tournament=tournament)
        with pytest.raises(Conflict, match="can replay round 1"):
            ReplayMatch(first).describe()


def test_a_cancelled_match_is_called_that_and_one_that_failed_is_not(ana, make_version, do, client):
    one, other = make_version(ana, "Kingfisher"), make_version(ana, "Heron")
    cancelled, failed = (create_challenge(owner=ana, version=one, opponent=other).match for _ in range(2))
    do(CancelMatch(cancelled))
    Match.objects.filter(pk=failed.pk).update(state=Match.State.VOID, finished_at=now())
    found = {row.pk: row for row in Match.objects.all()}
    assert (found[cancelled.pk].shown_state, found[failed.pk].shown_state) == (CANCELLED, Match.State.VOID)
    for match, word in ((cancelled, "Cancelled"), (failed, "No result")):
        assert word in client.get(match.get_absolute_url()).content.decode()
        told = client.get(f"/api/v1/matches/{match.pk}/").json()
        assert told["state"] == "void" and (told["cancelled_at"] is not None) == (match is cancelled)


# Files of bots that are removed for good.

OWN = FIRST_LEGAL + b"\n# her own\n"


@pytest.fixture
def versions(ana: User, make_version: MakeVersion) -> list[BotVersion]:
    """Two versions of Ana's bot: the first has the files of every other bot here, the second files of its own."""
    return [make_version(ana, "Kingfisher"), make_version(ana, "Kingfisher", OWN)]


@pytest.fixture
def rival(ben: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ben, "Heron")


@pytest.mark.usefixtures("rival")
def test_blobs_go_that_nobody_else_has_and_hashes_stay(versions, do: Do):
    hashes = [version.sha256 for version in versions]
    bot = versions[0].bot
    assert "2 versions of Kingfisher" in RemoveFiles(bot).describe()
    assert "1 blob of" in do(RemoveFiles(bot))
    assert list(Blob.objects.values_list("pk", flat=True)) == [hashes[0]]
    for version, sha256 in zip(versions, hashes, strict=True):
        version.refresh_from_db()
        assert (version.sha256, version.has_files, version.state) == (sha256, False, "rejected")
        assert str(version.state_reason) == "The arena's staff removed its files."
    with pytest.raises(Conflict, match="has no files left"):
        RemoveFiles(bot).describe()


def test_one_version_goes_and_the_others_stay(versions, do):
    with pytest.raises(ArenaError, match="no version 7"):
        RemoveFiles(versions[0].bot, [7]).describe()
    do(RemoveFiles(versions[0].bot, [2]))
    assert [version.has_files for version in BotVersion.objects.order_by("number")] == [True, False]


def test_a_build_goes_with_its_log_and_the_source_can_come_again(ana, versions, do):
    binary = Blob.objects.create(sha256="b" * 64, content=b"", size=0)
    BotVersion.objects.filter(pk=versions[1].pk).update(binary=binary, build_log="bot.c: int main()")
    do(RemoveFiles(versions[1].bot))
    version = BotVersion.objects.get(pk=versions[1].pk)
    assert (version.binary, version.build_log) == (None, "") and not Blob.objects.exists()
    again, is_new = submit_version(owner=ana, bot=version.bot, files=Upload({"bot.py": OWN}))
    assert is_new and again.number == 3


def test_what_was_played_stays_and_nothing_more_is(ladder, versions, rival, do, play: Play, client):
    for version in (versions[1], rival):
        enter_version(ladder=ladder, version=version)
    played, *_ = queue_ladder_matches(ladder=ladder)
    assert play(played)
    settle_match(played.pk)
    comparison = start_comparison(owner=versions[0].bot.owner, version=versions[1])
    queue_comparison_matches(comparison=comparison)
    make_tournament([versions[1].bot])
    queue_ladder_matches(ladder=ladder)
    do(RemoveFiles(versions[1].bot, [2]))
    assert not Match.objects.queued().exists() and claim_next(worker="w") is None
    assert queue_ladder_matches(ladder=ladder) == []
    assert Entry.objects.get(version=versions[1]).state == Entry.State.RETIRED
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.STOPPED and "removed its files" in str(comparison.state_reason)
    assert Entrant.objects.get().state == Entrant.State.WITHDRAWN
    assert client.get(f"/matches/{played.pk}/").status_code == 200
    assert played.legs.exclude(record=None).count() == 2


def test_pages_api_and_export_of_a_version_without_files(ana, versions, do, client, tmp_path):
    do(RemoveFiles(versions[1].bot, [2]))
    client.force_login(ana)
    page = client.get(versions[1].get_absolute_url(), headers={"Accept-Language": "hu"}).content.decode()
    assert "eltávolította a fájljait" in page and "source.zip" not in page
    assert client.get("/bots/kingfisher/v/2/source.zip").status_code == 404
    assert client.get("/api/v1/bots/kingfisher/versions/2/source/").status_code == 410
    api = client.get("/api/v1/bots/kingfisher/versions/2/").json()
    assert api["sha256"] == versions[1].sha256
    with (tmp_path / "ana.zip").open("wb") as file:
        write_export(user=ana, file=file)


def test_the_arenas_own_bots_keep_theirs(house, make_version):
    with pytest.raises(Conflict, match="belongs to the arena"):
        RemoveFiles(make_version(house, "sample").bot).describe()


# Uploads of the whole site, closed and opened.

SENTENCE = "The arena's staff have closed uploads for now."
SENTENCE_HU = "egyelőre szünetelteti a feltöltést"


def test_nobody_uploads_while_uploads_are_closed(ana, house, make_version, do):
    version = make_version(ana, "Kingfisher")
    do(CloseUploads())
    with pytest.raises(UploadsClosed, match="closed uploads"):
        submit_version(owner=ana, bot=version.bot, files=Upload({"bot.py": b"# new\n"}))
    with pytest.raises(UploadsClosed):
        create_bot(owner=ana, name="Heron", game="battleline")
    create_bot(owner=house, name="sample", game="battleline")
    assert BotVersion.objects.count() == 1
    with pytest.raises(Conflict, match="Uploads are already closed"):
        CloseUploads().describe()
    do(OpenUploads())
    submit_version(owner=ana, bot=version.bot, files=Upload({"bot.py": b"# new\n"}))
    with pytest.raises(Conflict, match="already open"):
        OpenUploads().describe()


def test_pages_and_api_say_that_uploads_are_closed(ana, make_version, do, client):
    bot = make_version(ana, "Kingfisher").bot
    do(CloseUploads())
    client.force_login(ana)
    hungarian = {"Accept-Language": "hu"}
    page = f"/bots/{bot.slug}/upload/"
    assert SENTENCE in unescape(client.get(page).content.decode())
    assert SENTENCE_HU in client.get("/bots/new/", headers=hungarian).content.decode()
    sent = {"name": "Heron", "game": "battleline", "source": SimpleUploadedFile("bot.py", FIRST_LEGAL)}
    answer = client.post("/bots/new/", sent)
    assert answer.status_code == 400 and SENTENCE in unescape(answer.content.decode())
    token = {"Authorization": f"Bearer {issue_token(owner=ana, name='CI')[1]}"}
    sent = {"program": SimpleUploadedFile("bot.py", b"# new\n")}
    answer = client.post(f"/api/v1/bots/{bot.slug}/versions/", sent, headers=token | hungarian)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "uploads_closed"
    assert SENTENCE_HU in answer.json()["error"]["message"]
    assert (Bot.objects.count(), BotVersion.objects.count()) == (1, 1)
