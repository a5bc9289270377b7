"""The strongest sample thinks less on ladders than elsewhere, and records say so."""

import pytest

from arena.bots.models import Bot, BotVersion
from arena.bots.running import read_sample_files
from arena.bots.services import add_version, create_bot
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.matches.models import Match
from arena.matches.play import match_spec
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from arena.runner.match import play_match
from arena.runner.sandbox.base import Sandbox
from engine.replay import record_hash, verify
from tests.conftest import MakeVersion

pytestmark = pytest.mark.django_db
KNOWS_LEVELS = {"search.py": b'LEVELS = {"ladder": 1, "": 2}'}


@pytest.fixture
def marshal(house: User, make_version: MakeVersion) -> BotVersion:
    files = {**make_version(house, "random").source.files, **KNOWS_LEVELS}
    return add_version(
        bot=create_bot(owner=house, name="marshal", game="battleline"), files=files, state=BotVersion.State.ACCEPTED
    )


@pytest.fixture
def other(ana: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ana, "Heron")


def queue(ladder: Ladder | None, *versions: BotVersion) -> Match:
    match = queue_match(versions=list(versions), game="battleline", edition="standard")
    if ladder is not None:
        LadderMatch.objects.create(ladder=ladder, match=match)
    return match


def test_on_a_ladder_it_has_the_level_and_elsewhere_it_plays_in_full(
    ladder: Ladder, marshal: BotVersion, other: BotVersion
) -> None:
    on_ladder = match_spec(queue(ladder, other, marshal)).programs
    assert [program.level for program in on_ladder] == ["", "ladder"]
    assert on_ladder[1].files["level"] == b"ladder" and "level" not in on_ladder[0].files
    elsewhere = match_spec(queue(None, other, marshal)).programs
    assert [program.level for program in elsewhere] == ["", ""] and "level" not in elsewhere[1].files
    assert "level" not in marshal.source.files


def test_legs_are_kept_apart_where_bots_of_two_owners_meet(
    house: User, marshal: BotVersion, other: BotVersion, make_version: MakeVersion
) -> None:
    assert match_spec(queue(None, other, marshal)).keeps_legs_apart
    assert not match_spec(queue(None, make_version(house, "brute"), marshal)).keeps_legs_apart


def test_records_of_ladders_keep_the_level_and_verify(
    ladder: Ladder, marshal: BotVersion, other: BotVersion, bare: Sandbox
) -> None:
    for of_ladder, level in ((ladder, {"level": "ladder"}), (None, {})):
        spec = match_spec(queue(of_ladder, marshal, other))
        record = play_match(spec, bare).legs[0].record
        assert {key: value for key, value in record["seats"][0].items() if key == "level"} == level
        assert "level" not in record["seats"][1]
        verify(record)
        plain = record | {"seats": [{k: v for k, v in seat.items() if k != "level"} for seat in record["seats"]]}
        assert record_hash(plain) == record_hash(record)


def test_others_of_the_name_and_versions_that_know_no_level_play_as_they_are(
    ladder: Ladder, ana: User, house: User, make_version: MakeVersion, other: BotVersion
) -> None:
    older = make_version(house, "marshal")
    namesake = create_bot(owner=ana, name="marshal", game="battleline", slug="marshal-of-ana")
    files = {**other.source.files, **KNOWS_LEVELS}
    own = add_version(bot=Bot.objects.get(pk=namesake.pk), files=files, state=BotVersion.State.ACCEPTED)
    programs = match_spec(queue(ladder, older, own)).programs
    assert [(program.level, "level" in program.files) for program in programs] == [("", False), ("", False)]


def test_the_sample_knows_the_level() -> None:
    assert b'"ladder": Level(' in read_sample_files("battleline", "marshal")["search.py"]
