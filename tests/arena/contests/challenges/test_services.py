from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.teams import QuotaSpent
from arena.contests.challenges.models import Challenge
from arena.contests.challenges.services import NotChallengeable, create_challenge
from arena.contests.ladders.models import Entry, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.core.errors import NotYours
from arena.matches.filters import UnplayableRules
from arena.matches.models import Match


@pytest.fixture
def mine(ana, make_version):
    return make_version(ana, "Kingfisher")


@pytest.fixture
def theirs(ben, make_version, ladder):
    version = make_version(ben, "Heron")
    enter_version(ladder=ladder, version=version)
    return version


def test_a_challenge_is_an_unrated_match_ahead_of_the_ladders(ana, mine, theirs):
    made = create_challenge(owner=ana, version=mine, opponent=theirs)
    assert (made.match.state, made.match.priority, made.match.edition) == ("queued", 3, "standard")
    assert [one.version for one in made.match.participants.all()] == [mine, theirs]
    assert LadderMatch.objects.count() == 0


def test_any_edition_of_the_game_will_do(ana, mine, theirs):
    assert create_challenge(owner=ana, version=mine, opponent=theirs, edition="advanced").match.edition == "advanced"
    with pytest.raises(UnplayableRules, match="no edition"):
        create_challenge(owner=ana, version=mine, opponent=theirs, edition="of 1899")


def test_rule_options_can_be_changed(ana, mine, theirs):
    made = create_challenge(owner=ana, version=mine, opponent=theirs, options={"tactics": 0})
    assert (made.match.edition, made.match.changed_options) == ("standard", {"tactics": 0})
    with pytest.raises(UnplayableRules, match="These rules can't be played"):
        create_challenge(owner=ana, version=mine, opponent=theirs, options={"wind": 1})


def test_a_challenge_may_be_a_series_of_games(ana, mine, theirs):
    made = create_challenge(owner=ana, version=mine, opponent=theirs, series={"games": 3})
    assert made.match.series == {"games": 3} and made.match.legs.count() == 3
    with pytest.raises(UnplayableRules, match="A series has 1 to 15 games, not 16"):
        create_challenge(owner=ana, version=mine, opponent=theirs, series={"games": 16})


def test_only_who_plays_on_a_ladder_may_be_challenged(ana, mine, theirs, make_version):
    Entry.objects.update(state=Entry.State.SUSPENDED)
    with pytest.raises(NotChallengeable, match="Heron v1 isn't on a ladder"):
        create_challenge(owner=ana, version=mine, opponent=theirs)
    create_challenge(owner=ana, version=mine, opponent=make_version(ana, "Wren"))


def test_a_challenge_is_made_with_an_own_version_that_has_passed_its_trial(ana, ben, mine, theirs, make_version):
    with pytest.raises(NotYours):
        create_challenge(owner=ben, version=mine, opponent=theirs)
    unproven = make_version(ana, "Kingfisher", b"2", BotVersion.State.ON_TRIAL)
    with pytest.raises(NotChallengeable, match="Kingfisher v2 hasn't passed its trial"):
        create_challenge(owner=ana, version=unproven, opponent=theirs)
    other_game = make_version(ana, "Wren", game="battalion")
    with pytest.raises(NotChallengeable, match="different games"):
        create_challenge(owner=ana, version=other_game, opponent=theirs)
    with pytest.raises(NotChallengeable, match="itself"):
        create_challenge(owner=ana, version=mine, opponent=mine)
    assert not Match.objects.exists()


def test_a_day_has_so_many_challenges(ana, mine, theirs, settings):
    settings.MAX_CHALLENGES_PER_DAY = 2
    for _ in range(2):
        create_challenge(owner=ana, version=mine, opponent=theirs)
    with pytest.raises(QuotaSpent):
        create_challenge(owner=ana, version=mine, opponent=theirs)
    Challenge.objects.update(created_at=now() - timedelta(hours=25))
    create_challenge(owner=ana, version=mine, opponent=theirs)
