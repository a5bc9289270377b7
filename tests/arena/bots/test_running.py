"""Which worker runs whose bots: one rule, at every place where a worker takes work."""

from collections.abc import Callable, Iterator

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion, TeamMember
from arena.bots.services import claim_build
from arena.contests.analysis.models import LegAnalysis, WaitingLine
from arena.contests.analysis.services import claim_analysis
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.pairing import LadderCandidates
from arena.matches.livegames.answering import claim_answer, list_waiting_turns
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, claim_hint, request_hint, start_live_game
from arena.matches.livegames.position import CannotStart, LivePlayer
from arena.matches.models import WorkerStatus
from arena.matches.services import TRIAL_PRIORITY, claim_next, queue_match, queue_trial
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from arena.runner.sandbox.base import LEVELS, LEVELS_FOR_ALL_AUTHORS
from engine import registry
from tests.arena.capabilities import able
from tests.conftest import MakeVersion

AT_LEVELS = [(level, level in LEVELS_FOR_ALL_AUTHORS) for level in (*LEVELS, None)]
"""Levels, the last being none, and whether strangers' bots run there."""
Takes = Callable[[BotVersion, str | None], bool]
"""A function that tells whether a worker at a level takes some work with a version."""


@pytest.fixture
def kingfisher(ana: User, house: User, make_version: MakeVersion) -> BotVersion:
    """A bot of a stranger, offered to everybody; its trial is against the house's."""
    make_version(house, "random")
    version = make_version(ana, "Kingfisher")
    version.bot.played_by = version.bot.PlayedBy.EVERYBODY
    version.bot.save()
    return version


def takes_match(version: BotVersion, level: str | None) -> bool:
    queue_match(versions=[version, version], game="battleline", edition="standard")
    return claim_next(worker="w", capabilities=able(level=level)) is not None


def takes_trial(version: BotVersion, level: str | None) -> bool:
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.ON_TRIAL)
    assert queue_trial(version=version) is not None
    return claim_next(worker="w", capabilities=able(level=level), priorities=(TRIAL_PRIORITY,)) is not None


def takes_build(version: BotVersion, level: str | None) -> bool:
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.BUILDING, language="c")
    return claim_build(able("c", level=level)) is not None


def takes_turn(version: BotVersion, level: str | None) -> bool:
    player = LivePlayer(user=version.bot.owner)
    sitting = Sitting("battleline", [version, PersonSeat.ME])
    game = start_live_game(player=player, sitting=sitting, address="192.0.2.7")
    here = able(level=level)
    turns, _ = list_waiting_turns(worker=this_worker(), capabilities=here)
    taken = claim_answer(game_id=game.pk, worker=this_worker(), capabilities=here) is not None
    assert taken == ([turn.game for turn in turns] == [game.pk])
    return taken


def is_paired(version: BotVersion, level: str | None) -> bool:
    ladder, _ = Ladder.objects.get_or_create(game="battleline", edition="standard", season=1)
    Entry.objects.get_or_create(ladder=ladder, version=version)
    return LadderCandidates(ladder, able(level=level)).active.exists()


PLACES = [takes_match, takes_trial, takes_build, takes_turn]


@pytest.mark.parametrize(("level", "is_enough"), AT_LEVELS)
@pytest.mark.parametrize("takes", PLACES)
def test_strangers_bots_run_where_the_sandbox_is_enough(
    kingfisher: BotVersion, takes: Takes, level: str | None, is_enough: bool
) -> None:
    assert takes(kingfisher, level) is is_enough


@pytest.mark.parametrize("takes", [*PLACES, is_paired])
def test_bots_of_the_house_and_the_staff_run_everywhere(
    ana: User, house: User, kingfisher: BotVersion, takes: Takes, settings
) -> None:
    settings.ALLOW_OPEN_CHANNELS = True
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    BotVersion.objects.filter(pk=kingfisher.pk).update(uploaded_by=ana)
    assert takes(kingfisher, "D")


@pytest.mark.parametrize("takes", [*PLACES, is_paired])
def test_a_team_is_the_staffs_if_all_its_members_are(
    ana: User, ben: User, kingfisher: BotVersion, takes: Takes, settings
) -> None:
    settings.ALLOW_OPEN_CHANNELS = True
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    place = TeamMember.objects.create(bot=kingfisher.bot, user=ben)
    if takes is is_paired:
        assert takes(kingfisher, "D")  # who is only invited has written nothing
    place.joined_at = now()
    place.save()
    assert not takes(kingfisher, "D")


@pytest.mark.parametrize("takes", PLACES)
def test_a_version_that_somebody_else_uploaded_stays_theirs_when_they_have_left(
    ana: User, ben: User, kingfisher: BotVersion, takes: Takes
) -> None:
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    BotVersion.objects.filter(pk=kingfisher.pk).update(uploaded_by=ben)
    assert not takes(kingfisher, "D")


def report(level: str, *languages: str) -> None:
    found = [{"key": key, "title": key, "version": "1", "advice": None} for key in languages]
    WorkerStatus.objects.create(worker=f"of-{level}", level=level, report={"level": level, "languages": found})


def test_a_game_starts_only_with_a_bot_that_some_worker_can_run(ana: User, kingfisher: BotVersion) -> None:
    def start() -> LiveGame:
        sitting = Sitting("battleline", [PersonSeat.ME, kingfisher])
        return start_live_game(player=LivePlayer(user=ana), sitting=sitting, address="192.0.2.7")

    assert start()
    report("D", "python")
    with pytest.raises(CannotStart, match="No machine in this arena can run Kingfisher right now"):
        start()
    report("C", "go")
    with pytest.raises(CannotStart):
        start()
    report("A", "python")
    assert start()


@pytest.fixture
def without_battle_line() -> Iterator[Callable[[], None]]:
    """Yield a function that takes the game away, as on a worker without its package."""
    games = dict(registry.GAMES)
    yield lambda: registry.GAMES.__delitem__("battleline")
    registry.GAMES.clear()
    registry.GAMES.update(games)  # in the same order: the first game's samples have the plain slugs


@pytest.mark.parametrize("has_game", [True, False])
def test_hints_and_analyses_need_no_sandbox_but_the_game(
    house: User, make_version: MakeVersion, ana: User, has_game: bool, without_battle_line: Callable[[], None]
) -> None:
    player = LivePlayer(user=ana)
    sitting = Sitting("battleline", [PersonSeat.ME, make_version(house, "random")], has_hints=True)
    game = start_live_game(player=player, sitting=sitting, address="192.0.2.7")
    hint = request_hint(game=game, player=player, at=0)
    analysis = LegAnalysis.objects.create(
        live_game=game, function_version=1, function_hash="0", requested_by=ana, state=LegAnalysis.State.WAITING
    )
    if not has_game:
        without_battle_line()
    assert claim_hint() == (hint if has_game else None)
    assert claim_analysis(worker="w", line=WaitingLine.COARSE) == (analysis if has_game else None)


@pytest.mark.parametrize("takes", PLACES)
def test_a_worker_without_the_game_takes_none_of_it(
    kingfisher: BotVersion, takes: Takes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.running.GAMES", {})
    assert not takes(kingfisher, "A")
