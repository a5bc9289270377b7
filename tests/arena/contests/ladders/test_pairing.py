from collections import Counter
from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import BotVersion
from arena.contests.ladders.matchmaking import choose_match_entries
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, PairStat
from arena.contests.ladders.services.pairing import LadderCandidates, queue_ladder_matches
from arena.contests.ladders.services.seasons import close_season, derive_match_deal
from arena.matches.models import Match, Participant, WorkerStatus
from arena.matches.services import claim_next
from arena.people.accounts.models import User
from tests.conftest import MakeVersion
from tests.runner.conftest import toy as toy


def put_in(ladder: Ladder, version: BotVersion, **numbers: float) -> Entry:
    return Entry.objects.create(ladder=ladder, version=version, **numbers)


@pytest.fixture
def entries(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion) -> list[Entry]:
    return [put_in(ladder, make_version(ana, "good")), put_in(ladder, make_version(ben, "bad"))]


def finish(matches: list[Match], seconds: float = 5.0) -> None:
    """As the ledger does it, but for the ratings."""
    for match in matches:
        Match.objects.filter(pk=match.pk).update(
            state=Match.State.FINISHED, started_at=now() - timedelta(seconds=seconds), finished_at=now()
        )
        row = match.ladder_match
        row.ladder.refresh_from_db()
        row.ladder.last_sequence += 1
        row.ladder.save()
        row.in_flight, row.sequence = False, row.ladder.last_sequence
        row.save()


def players(match: Match) -> set[BotVersion]:
    return {participant.version for participant in match.participants.all()}


def test_pairing_stops_when_enough_are_waiting(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    settings.MAX_WAITING_MATCHES_PER_LADDER = 3
    assert len(queue_ladder_matches(ladder=ladder)) == 3
    assert queue_ladder_matches(ladder=ladder) == []


def test_the_deal_of_a_match_comes_from_its_number(ladder: Ladder, entries: list[Entry]) -> None:
    for match in queue_ladder_matches(ladder=ladder):
        deal, salts = derive_match_deal(ladder, match.ladder_match.number, 2)
        assert (match.deal, [leg.salt for leg in match.legs.all()]) == (deal, salts)
    ladder.refresh_from_db()
    assert [row.number for row in LadderMatch.objects.order_by("pk")] == [1, 2] and ladder.last_number == 2


def test_a_season_that_is_over_makes_no_matches(ladder: Ladder, entries: list[Entry]) -> None:
    following = close_season(ladder=ladder)
    assert queue_ladder_matches(ladder=ladder) == []
    assert queue_ladder_matches(ladder=following)


def test_a_ladder_of_old_hands_plays_at_its_hourly_pace(
    ladder: Ladder, entries: list[Entry], settings: Settings
) -> None:
    Entry.objects.update(matches=settings.LADDER_NEWCOMER_MATCHES)
    settings.LADDER_MATCHES_PER_HOUR = 60
    assert len(queue_ladder_matches(ladder=ladder)) == 1
    Match.objects.update(state=Match.State.VOID)
    assert queue_ladder_matches(ladder=ladder) == []
    LadderMatch.objects.update(created_at=now() - timedelta(seconds=61))
    assert len(queue_ladder_matches(ladder=ladder)) == 1


def test_a_rush_ends_at_its_number(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    settings.LADDER_NEWCOMER_MATCHES = settings.LADDER_MATCHES_PER_HOUR = 0
    settings.LADDER_RUSH_UNTIL = 3
    settings.MAX_WAITING_MATCHES_PER_LADDER = 2
    assert len(queue_ladder_matches(ladder=ladder)) == 2
    Match.objects.update(state=Match.State.FINISHED)
    assert len(queue_ladder_matches(ladder=ladder)) == 1
    Match.objects.update(state=Match.State.FINISHED)
    assert queue_ladder_matches(ladder=ladder) == []


def test_a_rush_is_shared_by_the_ladders(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    settings.LADDER_NEWCOMER_MATCHES = settings.LADDER_MATCHES_PER_HOUR = 0
    settings.LADDER_RUSH_UNTIL, settings.MAX_WAITING_MATCHES_PER_LADDER = 5, 8
    other = Ladder.objects.create(game="battleline", edition="short", title="Battle Line, short")
    for entry in entries:
        put_in(other, entry.version)
    assert [len(queue_ladder_matches(ladder=one)) for one in (ladder, other, ladder, other)] == [3, 1, 1, 0]


def test_a_ladder_may_rest(ladder: Ladder, entries: list[Entry], settings: Settings) -> None:
    Entry.objects.update(is_ranked=True)
    settings.LADDER_MATCHES_PER_HOUR = 0
    assert queue_ladder_matches(ladder=ladder) == []


def test_a_newcomer_brings_back_the_full_pace(
    ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion, settings: Settings
) -> None:
    Entry.objects.update(matches=1000)
    low, high = entries
    PairStat.objects.create(ladder=ladder, low=low, high=high, seats=2, matches=1000)
    settings.LADDER_MATCHES_PER_HOUR = 0
    newcomer = make_version(house, "random")
    put_in(ladder, newcomer)
    matches = queue_ladder_matches(ladder=ladder)
    assert len(matches) == settings.MAX_WAITING_MATCHES_PER_LADDER
    assert all(newcomer in players(match) for match in matches)


@pytest.mark.parametrize("state", [Entry.State.RETIRED, Entry.State.SUSPENDED])
def test_who_is_not_active_is_not_paired(
    ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion, state: str
) -> None:
    Entry.objects.filter(pk=entries[0].pk).update(state=state)
    assert queue_ladder_matches(ladder=ladder) == []
    put_in(ladder, make_version(house, "random"))
    assert not any(entries[0].version in players(match) for match in queue_ladder_matches(ladder=ladder))


def test_who_played_less_recently_than_a_month_ago_is_paired(ladder: Ladder, entries: list[Entry]) -> None:
    Entry.objects.update(rated_at=now() - timedelta(days=60))
    assert queue_ladder_matches(ladder=ladder)


def test_when_somebody_was_paired_is_noted(ladder: Ladder, entries: list[Entry]) -> None:
    Entry.objects.update(paired_at=now() - timedelta(days=9))
    queue_ladder_matches(ladder=ladder)
    assert all(entry.paired_at > now() - timedelta(minutes=1) for entry in Entry.objects.all())


class TestMachines:
    """A match is made for a machine that can play it."""

    @pytest.fixture
    def of_three(
        self, ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion, settings: Settings
    ) -> list[Entry]:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 4
        return [*entries, put_in(ladder, make_version(house, "random"))]

    def tell(self, worker: str, *languages: str, level: str = "A") -> None:
        found = [{"key": key, "version": "1"} for key in languages]
        WorkerStatus.objects.update_or_create(worker=worker, defaults={"level": level, "report": {"languages": found}})

    def test_nobody_waits_for_a_language_that_is_nowhere(self, ladder: Ladder, of_three: list[Entry]) -> None:
        BotVersion.objects.filter(pk=of_three[0].version_id).update(language="go")
        self.tell("mill", "python")
        matches = queue_ladder_matches(ladder=ladder)
        assert len(matches) == 4 and not any(of_three[0].version in players(match) for match in matches)
        self.tell("barn", "python", "go")
        finish(matches)
        assert any(of_three[0].version in players(match) for match in queue_ladder_matches(ladder=ladder))

    def test_two_languages_that_never_meet_on_one_machine_never_meet(
        self, ladder: Ladder, of_three: list[Entry]
    ) -> None:
        for entry, language in zip(of_three, ("go", "c", "python"), strict=True):
            BotVersion.objects.filter(pk=entry.version_id).update(language=language)
        self.tell("mill", "python", "c")
        self.tell("barn", "python", "go")
        for _ in range(3):
            matches = queue_ladder_matches(ladder=ladder)
            assert len(matches) == 4 and all(of_three[2].version in players(match) for match in matches)
            finish(matches)

    def test_walls_for_the_house_pair_the_house(
        self, ladder: Ladder, of_three: list[Entry], house: User, make_version: MakeVersion
    ) -> None:
        self.tell("mill", "python", level="D")
        assert queue_ladder_matches(ladder=ladder) == []
        put_in(ladder, make_version(house, "greedy"))
        assert len(queue_ladder_matches(ladder=ladder)) == 4

    def test_where_legs_can_tell_each_other_only_the_house_is_paired_unless_that_is_allowed(
        self, ladder: Ladder, of_three: list[Entry], house: User, make_version: MakeVersion, settings: Settings
    ) -> None:
        self.tell("mill", "python", level="C")
        assert queue_ladder_matches(ladder=ladder) == []
        put_in(ladder, make_version(house, "greedy"))
        samples = queue_ladder_matches(ladder=ladder)
        assert len(samples) == 4
        assert all(version.bot.owner == house for match in samples for version in players(match))
        finish(samples)
        settings.ALLOW_OPEN_CHANNELS = True
        matches = queue_ladder_matches(ladder=ladder)
        assert any(version.bot.owner != house for match in matches for version in players(match))

    def test_matches_that_nobody_can_play_any_more_do_not_hold_up_the_others(
        self, ladder: Ladder, of_three: list[Entry]
    ) -> None:
        BotVersion.objects.filter(pk=of_three[0].version_id).update(language="go")
        stuck = queue_ladder_matches(ladder=ladder)
        count = sum(of_three[0].version in players(match) for match in stuck)
        assert count > 0
        self.tell("mill", "python")
        assert len(queue_ladder_matches(ladder=ladder)) == count
        assert queue_ladder_matches(ladder=ladder) == []


class TestTurns:
    """Of ladders that share the workers."""

    @pytest.fixture
    def other(self, ladder: Ladder, entries: list[Entry]) -> Ladder:
        other = Ladder.objects.create(game="battleline", edition="short", title="Short")
        for entry in entries:
            put_in(other, entry.version)
        return other

    def work(self, ladders: list[Ladder], seconds: dict[int, float], span: float) -> Counter[int]:
        """One worker, for so long: how many matches it played of each ladder."""
        played, clock = Counter[int](), 0.0
        while clock < span:
            for ladder in ladders:
                queue_ladder_matches(ladder=ladder)
            match = claim_next(worker="w").match
            of = match.ladder_match.ladder_id
            played[of] += 1
            clock += seconds[of]
            Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED)
            finish([match], seconds[of])
        return played

    def test_all_play_equally_often_until_their_bots_are_ranked_and_the_first_edition_a_little_more(
        self, ladder: Ladder, other: Ladder, settings: Settings
    ) -> None:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 2
        played = self.work([ladder, other], {ladder.pk: 30.0, other.pk: 5.0}, 700.0)
        assert ladder.edition == "standard" and 1.0 <= played[ladder.pk] / played[other.pk] <= 1.5

    def test_slow_matches_and_a_long_queue_take_no_more_than_their_share_once_all_are_ranked(
        self, ladder: Ladder, other: Ladder, settings: Settings
    ) -> None:
        settings.LADDER_NEWCOMER_MATCHES, settings.LADDER_MATCHES_PER_HOUR = 0, 3_600_000
        Entry.objects.filter(ladder=ladder).update(is_ranked=True, processor_s=15.0)
        Entry.objects.filter(ladder=other).update(is_ranked=True, processor_s=2.5)
        settings.MAX_WAITING_MATCHES_PER_LADDER = 10
        queue_ladder_matches(ladder=ladder)
        settings.MAX_WAITING_MATCHES_PER_LADDER = 2
        played = self.work([ladder, other], {ladder.pk: 30.0, other.pk: 5.0}, 240.0)
        assert 3 <= played[ladder.pk] <= 5 and 18 <= played[other.pk] <= 30

    def test_who_rested_gets_nothing_back_for_it(self, ladder: Ladder, other: Ladder) -> None:
        seconds = {ladder.pk: 5.0, other.pk: 5.0}
        assert self.work([ladder], seconds, 50.0) == {ladder.pk: 10}
        played = self.work([ladder, other], seconds, 50.0)
        assert 4 <= played[other.pk] <= 6

    def test_after_a_pause_of_all_nobody_is_more_than_a_match_ahead(self, ladder: Ladder, other: Ladder) -> None:
        finish(queue_ladder_matches(ladder=ladder), 100.0)
        finish(queue_ladder_matches(ladder=ladder), 100.0)
        assert not Match.objects.queued().exists()
        first, second = queue_ladder_matches(ladder=other)[0], queue_ladder_matches(ladder=ladder)[0]
        assert 0 <= second.virtual_start - first.virtual_start <= 100.1


class TestLargerTables:
    """A ladder of a game for two to four."""

    @pytest.fixture
    def toys(self, toy: None, ana: User, ben: User, house: User, make_version: MakeVersion) -> Ladder:
        ladder = Ladder.objects.create(game="toy", edition="plain", title="Toy")
        for owner, name in ((ana, "one"), (ana, "two"), (ben, "bad"), (house, "random"), (house, "greedy")):
            put_in(ladder, make_version(owner, name, game="toy"))
        return ladder

    def test_matches_of_every_size_are_made_in_turn(self, toys: Ladder, settings: Settings) -> None:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 6
        matches = queue_ladder_matches(ladder=toys)
        assert [match.participants.count() for match in matches] == [2, 3, 4, 2, 3, 4]
        assert [match.legs.count() for match in matches] == [2, 3, 4, 2, 3, 4]
        for match in matches:
            owners = [version.bot.owner for version in players(match)]
            assert sum(owner.username == "ana" for owner in owners) <= 1

    def test_the_turns_go_on_with_the_next_call(self, toys: Ladder, settings: Settings) -> None:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 1
        sizes = []
        for _ in range(4):
            (match,) = queue_ladder_matches(ladder=toys)
            sizes.append(match.participants.count())
            finish([match])
        assert sizes == [2, 3, 4, 2]

    def test_who_sits_where_is_left_to_chance(self, toys: Ladder, settings: Settings) -> None:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 9
        matches = queue_ladder_matches(ladder=toys)
        seated = [list(match.participants.values_list("version", flat=True)) for match in matches]
        assert any(versions != sorted(versions) for versions in seated)


class TestLadderCandidates:
    """About a ladder of many."""

    @pytest.fixture
    def crowd(self, ladder: Ladder, ana: User, make_version: MakeVersion) -> list[Entry]:
        first = make_version(ana, "b")
        rng = Random(1)
        return [self.add(ladder, first, f"o{number}", rng) for number in range(32)]

    def add(self, ladder: Ladder, like: BotVersion, name: str, rng: Random) -> Entry:
        owner = User.objects.create(username=name)
        bot = owner.bots.create(name=name, slug=name, game=ladder.game)
        version = bot.versions.create(number=1, source_id=like.source_id, size=1, state="accepted")
        return put_in(ladder, version, rating=rng.gauss(1500, 200), deviation=rng.uniform(20, 60))

    def test_each_question_has_its_answer(self, ladder: Ladder, crowd: list[Entry]) -> None:
        book = LadderCandidates(ladder)
        by_rating = sorted(crowd, key=lambda entry: entry.rating)
        keys = [entry.pk for entry in by_rating]
        owners = [entry.version.bot.owner_id for entry in by_rating]
        found = [one.entry for one in book.list_around(by_rating[10].rating, 3, {keys[9]}, {owners[11]})]
        assert set(found) == {keys[10], keys[12], keys[13], keys[8], keys[7], keys[6]}
        above_all = {one.entry for one in book.list_around(9000.0, 3, set(), set())}
        assert above_all == set(keys[-6:])
        uncertain = max(crowd, key=lambda entry: entry.deviation)
        assert [one.entry for one in book.list_most_uncertain(1, None)] == [uncertain.pk]
        assert len(book.list_most_uncertain(100, None)) == 32
        best = book.list_most_uncertain(24, by_rating[-2].rating)
        assert {one.entry for one in best} == set(keys[-2:])
        assert book.find_overdue(set()) is None
        Entry.objects.filter(pk__in=keys[3:5]).update(paired_at=now() - timedelta(hours=25))
        Entry.objects.filter(pk=keys[3]).update(paired_at=now() - timedelta(hours=26))
        assert [book.find_overdue(barred).entry for barred in (set(), {keys[3]})] == keys[3:5]
        low, high = sorted(crowd[:2], key=lambda entry: entry.pk)
        for seats, matches in ((2, 5), (3, 2)):
            PairStat.objects.create(ladder=ladder, low=low, high=high, seats=seats, matches=matches)
        assert book.count_meetings([high.pk, low.pk, keys[5]]) == {(low.pk, high.pk): 7}

    def test_who_sits_at_tables_in_flight_is_known(
        self, ladder: Ladder, crowd: list[Entry], settings: Settings
    ) -> None:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 4
        matches = queue_ladder_matches(ladder=ladder)
        versions = {entry.pk: entry.version for entry in crowd}
        seated = [{versions[one.entry] for one in table} for table in LadderCandidates(ladder).list_open_matches()]
        assert sorted(map(str, seated)) == sorted(str(players(match)) for match in matches)
        finish(matches[:1])
        Match.objects.filter(pk=matches[1].pk).update(state=Match.State.VOID)
        assert len(LadderCandidates(ladder).list_open_matches()) == 2

    def test_nobody_sits_in_more_than_two_matches_at_once(
        self, ladder: Ladder, crowd: list[Entry], settings: Settings
    ) -> None:
        settings.MAX_WAITING_MATCHES_PER_LADDER = 25
        queue_ladder_matches(ladder=ladder)
        settings.MAX_WAITING_MATCHES_PER_LADDER = 50
        queue_ladder_matches(ladder=ladder)
        seated = Counter(Participant.objects.values_list("version", flat=True))
        assert max(seated.values()) == 2 and LadderMatch.objects.count() >= 30

    def test_a_pick_asks_as_often_in_a_large_ladder(self, ladder: Ladder, crowd: list[Entry]) -> None:
        def asked() -> int:
            with CaptureQueriesContext(connection) as queries:
                choose_match_entries(LadderCandidates(ladder), 2, Random(4))
            return len(queries)

        of_few = asked()
        rng = Random(2)
        for number in range(24):
            self.add(ladder, crowd[0].version, f"more{number}", rng)
        assert asked() == of_few <= 7


def test_several_matches_are_chosen_at_a_time_once_few_wait(
    ladder: Ladder, entries: list[Entry], settings: Settings
) -> None:
    settings.MAX_WAITING_MATCHES_PER_LADDER = 4
    first, second, third, _ = queue_ladder_matches(ladder=ladder)
    for match, left in ((first, 0), (second, 0), (third, 3)):
        Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED)
        assert len(queue_ladder_matches(ladder=ladder, only_low=True)) == left
    Match.objects.queued().update(delay_s=1.0)
    assert len(queue_ladder_matches(ladder=ladder, only_low=True)) == 4, "slow bots hold up nobody else"
