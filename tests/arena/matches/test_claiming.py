"""Which machine may play which match."""

import pytest

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.matches.models import Match
from arena.matches.services import claim_match, queue_match
from arena.runner.sandbox.levels import LEVELS, STRANGERS


def queued(*versions: BotVersion) -> Match:
    return queue_match(versions=versions, game="battleline", edition="standard")


def is_claimed(match: Match, level: str = "A", languages: tuple[str, ...] = ("python",)) -> bool:
    return claim_match(match_id=match.pk, worker="w", level=level, languages=languages) is not None


@pytest.mark.parametrize("level", LEVELS)
def test_strangers_are_played_where_the_walls_do_for_them(ana, ben, make_version, level):
    match = queued(make_version(ana, "Kingfisher"), make_version(ben, "Heron"))
    assert is_claimed(match, level) is (level in STRANGERS)
    match.refresh_from_db()
    assert match.state == (Match.State.RUNNING if level in STRANGERS else Match.State.QUEUED)


def test_a_fence_without_own_users_is_for_the_house_and_who_runs_the_machine(ana, ben, house, make_version):
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    own, heron, sample = make_version(ana, "Own"), make_version(ben, "Heron"), make_version(house, "random")
    assert is_claimed(queued(own, sample), "D")
    assert is_claimed(queued(own, own), "D")
    assert not is_claimed(queued(own, heron), "D")
    assert not is_claimed(queued(heron, sample), "D")


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
