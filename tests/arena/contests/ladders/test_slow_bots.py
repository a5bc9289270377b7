"""The authors of slow bots wait for the time that these cost."""

import pytest
from pytest_django.fixtures import Settings

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.entering import compute_delay
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.matches.models import Match, Participant
from arena.matches.services import claim_next, queue_match
from arena.people.accounts.models import User
from tests.arena.contests.ladders.test_pairing import finish, players, put_in
from tests.conftest import MakeVersion


class TestSlowBots:
    """Of one author, on a ladder where others wait."""

    SLOW_S, QUICK_S = 60.0, 2.0

    @pytest.fixture
    def slow(self, ladder: Ladder, ana: User, house: User, make_version: MakeVersion) -> BotVersion:
        slow = make_version(ana, "sloth")
        put_in(ladder, slow)
        for number in range(5):
            put_in(ladder, make_version(User.objects.create(username=f"author {number}"), f"quick {number}"))
        put_in(ladder, make_version(house, "random"))
        return slow

    def have_played(self, version: BotVersion) -> None:
        match = queue_match(versions=[version, version], game="battleline", edition="standard")
        match.participants.update(elapsed_s=self.SLOW_S)
        Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED)

    def play(self, match: Match, slow: BotVersion) -> float:
        seconds = 0.0
        for one in Participant.objects.filter(match=match):
            one.elapsed_s = self.SLOW_S if one.version_id == slow.pk else self.QUICK_S
            one.save()
            seconds += one.elapsed_s
        finish([match], seconds)
        return seconds

    def test_take_no_more_of_its_time_than_all_others_together(self, ladder: Ladder, slow: BotVersion) -> None:
        time: dict[bool, float] = {True: 0.0, False: 0.0}
        for round_ in range(160):
            queue_ladder_matches(ladder=ladder)
            match = claim_next(worker="w").match
            seconds = self.play(match, slow)
            if round_ >= 40:
                time[slow in players(match)] += seconds
        assert 0.3 < time[True] / sum(time.values()) < 0.6

    def test_hold_up_none_of_the_others(self, ladder: Ladder, slow: BotVersion, settings: Settings) -> None:
        self.have_played(slow)
        Ladder.objects.filter(pk=ladder.pk).update(match_seconds=2 * self.QUICK_S)
        settings.MAX_WAITING_MATCHES_PER_LADDER = 12
        for _ in range(3):
            waiting = queue_ladder_matches(ladder=ladder)
            slow_ones = [match for match in waiting if slow in players(match)]
            assert len(slow_ones) <= 1
            assert all(match == list(Match.objects.queued())[-1] for match in slow_ones)
            for match in waiting:
                if match not in slow_ones:
                    self.play(match, slow)

    def test_of_the_house_are_played_like_others(
        self, ladder: Ladder, slow: BotVersion, house: User, make_version: MakeVersion
    ) -> None:
        marshal = make_version(house, "marshal")
        put_in(ladder, marshal)
        self.have_played(marshal)
        self.have_played(slow)
        assert compute_delay([marshal, slow], 4.0) == (self.SLOW_S - 4.0, {slow.bot.owner_id})
