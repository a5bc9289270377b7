"""Which machine may play which match."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import WorkerCapabilities
from arena.bots.services import release_held_back_versions
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.matches.models import Attempt, Match
from arena.matches.queue import place_in_queue
from arena.matches.services import claim_match, claim_next, fail_attempt, queue_match, queue_trial
from arena.people.accounts.models import User
from arena.people.notices.models import Notice
from arena.runner.sandbox.base import LEVELS, LEVELS_FOR_ALL_AUTHORS


def queued(*versions: BotVersion, priority: int = 0, start: float = 0.0) -> Match:
    return queue_match(versions=versions, game="battleline", edition="standard", priority=priority, virtual_start=start)


def is_claimed(match: Match, level: str = "A", languages: tuple[str, ...] = ("python",)) -> bool:
    attempt = claim_next(worker="w", capabilities=WorkerCapabilities.of_report({"level": level}, languages))
    return attempt is not None and attempt.match_id == match.pk


@pytest.mark.parametrize("level", LEVELS)
def test_strangers_are_played_where_the_walls_do_for_them(ana, ben, make_version, level):
    match = queued(make_version(ana, "Kingfisher"), make_version(ben, "Heron"))
    assert is_claimed(match, level) is (level in LEVELS_FOR_ALL_AUTHORS)
    match.refresh_from_db()
    assert match.state == (Match.State.RUNNING if level in LEVELS_FOR_ALL_AUTHORS else Match.State.QUEUED)


def test_a_fence_without_own_users_is_for_the_house_and_who_runs_the_machine(ana, ben, house, make_version):
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    own, heron, sample = make_version(ana, "Own"), make_version(ben, "Heron"), make_version(house, "random")
    assert is_claimed(queued(own, sample), "D")
    assert is_claimed(queued(own, own), "D")
    assert not is_claimed(queued(own, heron), "D")
    assert not is_claimed(queued(heron, sample), "D")


@pytest.mark.parametrize("is_allowed", [False, True])
def test_rated_matches_of_different_authors_wait_for_a_machine_that_keeps_legs_apart(
    ana, ben, make_version, settings, is_allowed
):
    settings.ALLOW_OPEN_CHANNELS = is_allowed
    kingfisher, heron = make_version(ana, "Kingfisher"), make_version(ben, "Heron")
    ladder = Ladder.objects.create(game="battleline", edition="standard", season=1)
    rated, own = queued(kingfisher, heron), queued(kingfisher, kingfisher)
    for number, match in enumerate((rated, own), 1):
        LadderMatch.objects.create(ladder=ladder, match=match, number=number)
    unrated = queued(heron, kingfisher)
    claimed = []
    while attempt := claim_next(worker="w", capabilities=WorkerCapabilities.of_report({"level": "C"}, ["python"])):
        claimed.append(attempt.match)
    assert claimed == ([rated, own, unrated] if is_allowed else [own, unrated])
    assert is_allowed or is_claimed(rated)


def test_a_match_waits_for_a_machine_with_the_languages_of_all_its_bots(ana, ben, make_version):
    heron = make_version(ben, "Heron")
    BotVersion.objects.filter(pk=heron.pk).update(language="go")
    match = queued(make_version(ana, "Kingfisher"), heron)
    assert not is_claimed(match, languages=())
    assert not is_claimed(match, languages=("python",))
    assert not is_claimed(match, languages=("go",))
    assert is_claimed(match, languages=("go", "python"))


def test_a_level_nobody_knows_is_not_for_strangers(ana, make_version):
    assert not is_claimed(queued(*[make_version(ana, "Kingfisher")] * 2), "Z")


class TestTheNext:
    """Of the queue, for a worker that asks."""

    def claim(self, languages: tuple[str, ...] = ("python",), level: str = "A") -> Match | None:
        attempt = claim_next(worker="w", capabilities=WorkerCapabilities.of_report({"level": level}, languages))
        return attempt and attempt.match

    def test_is_the_most_urgent_then_the_one_that_starts_earlier_then_the_oldest(self, version):
        def queue(priority: int, start: float) -> Match:
            return queued(version, version, priority=priority, start=start)

        late, oldest, next_oldest = queue(0, 9.0), queue(0, 2.0), queue(0, 2.0)
        comparison, trial = queue(-10, 0.0), queue(10, 50.0)
        assert [self.claim() for _ in range(6)] == [trial, oldest, next_oldest, late, comparison, None]

    def test_leaves_what_another_machine_must_play(self, ana, ben, house, make_version):
        heron = make_version(ben, "Heron")
        BotVersion.objects.filter(pk=heron.pk).update(language="go")
        ana_s, sample = make_version(ana, "Kingfisher"), make_version(house, "random")
        in_go, strangers, the_house = queued(ana_s, heron), queued(ana_s, sample), queued(sample, sample)
        assert self.claim(level="D") == the_house
        assert self.claim() == strangers and self.claim() is None
        assert self.claim(("go", "python")) == in_go

    @pytest.mark.django_db(transaction=True)
    def test_many_workers_get_one_each(self, version):
        matches = [queued(version, version) for _ in range(5)]
        claimed = []

        def ask() -> None:
            claimed.append(self.claim())
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(match.pk for match in claimed if match) == [match.pk for match in matches]
        assert claimed.count(None) == 3


def test_the_first_trials_of_all_authors_come_before_anybodys_second(ana, ben, make_version):
    on_trial = BotVersion.State.ON_TRIAL
    owners = [(ana, "a"), (ana, "b"), (ben, "c")]
    first, second, of_ben = (queue_trial(version=make_version(owner, name, state=on_trial)) for owner, name in owners)
    assert list(Match.objects.queued()) == [first, of_ben, second]


def test_only_some_priorities_can_be_asked_for(version):
    ladder, trial = queued(version, version), queued(version, version, priority=10)
    assert claim_next(worker="w", priorities=(0, -1)).match == ladder
    assert claim_next(worker="w", priorities=(0, -1)) is None
    assert claim_next(worker="w", priorities=(10,)).match == trial


def test_neither_a_version_that_was_played_meanwhile_nor_a_sample_is_held_back(ana, ben, house, make_version):
    shaken, sample, fine = make_version(ana, "Shaken"), make_version(house, "Sample"), make_version(ben, "Fine")
    for version in (shaken, fine):
        stored = claim_match(match_id=queued(version, version).pk, worker="mill/1/2/3")
        Attempt.objects.filter(pk=stored.pk).update(ending="stored", ended_at=now() + timedelta(seconds=1))
    for _ in range(4):
        attempt = claim_match(match_id=queued(shaken, sample).pk, worker="mill/1/2/3")
        fail_attempt(attempt=attempt, error="the machine was stopped")
    assert not BotVersion.objects.held_back().exists()


def test_a_version_that_fails_where_others_are_played_is_held_back(ana, ben, house, make_version):
    broken, fine = make_version(ana, "Broken"), make_version(ben, "Fine")
    User.objects.filter(pk=ben.pk).update(is_staff=True)
    for _ in range(3):
        attempt = claim_match(match_id=queued(broken, broken).pk, worker="mill/1/2/3")
        fail_attempt(attempt=attempt, error="no room")
        broken.refresh_from_db()
        assert broken.held_back_at is None, "no match of another was played there"
    other = claim_match(match_id=queued(fine, fine).pk, worker="mill/1/2/3")
    Attempt.objects.filter(pk=other.pk).update(ending="stored", ended_at=now())
    attempt = claim_match(match_id=queued(broken, fine).pk, worker="mill/1/2/3")
    fail_attempt(attempt=attempt, error="no room")
    broken.refresh_from_db()
    fine.refresh_from_db()
    assert broken.held_back_at is not None and fine.held_back_at is None
    waiting = queued(broken, fine)
    Match.objects.update(retry_at=None)
    assert claim_next(worker="w") is None and place_in_queue(waiting).ahead > 0
    assert Notice.objects.get(user=ben).event == "version.held_back"
    assert release_held_back_versions(bot=broken.bot) == 1
    assert claim_next(worker="w") is not None
