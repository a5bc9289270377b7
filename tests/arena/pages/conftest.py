"""Readers of pages, and records to read."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import pytest
from django.conf import settings
from django.test import Client

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene, StepBuilder, play_back
from arena.pages.play.table import Player, PlayTable, lay_table
from arena.people.accounts.models import User
from arena.runner.match import Heartbeat, MatchReport, MatchSpec, play_match
from arena.runner.sandbox.base import Sandbox
from engine.core import Json
from engine.registry import find_game
from engine.replay import make_record, states
from tests.conftest import Play, make_deal_and_salts, play_queued

ReaderOf = Callable[[User | None], Client]


@pytest.fixture(scope="session", autouse=True)
def folder_of_static_files() -> None:
    """As `prepare` would have made it before the site serves pages."""
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def eva(db: None) -> User:
    """A stranger with an account."""
    return User.objects.create_user("eva", password="eva's password")


@pytest.fixture(scope="session")
def reader() -> ReaderOf:
    """A browser in which somebody, or nobody, is logged in."""

    def log_in(user: User | None) -> Client:
        client = Client()
        if user:
            client.force_login(user)
        return client

    return log_in


@pytest.fixture
def versions(ana: User, ben: User, make_version) -> tuple[BotVersion, BotVersion]:
    """One of Ana's, and one of Ben's."""
    return make_version(ana, "Kingfisher"), make_version(ben, "Heron")


@pytest.fixture(scope="session")
def play(bare: Sandbox) -> Play:
    """Claim a queued match, play it and store its result. Of equal matches one is played, whose report all get."""
    played: list[tuple[MatchSpec, MatchReport]] = []

    def report_on(spec: MatchSpec, beat: Heartbeat) -> MatchReport:
        known = [report for equal, report in played if equal == spec]
        if known:
            return known[0]
        report = play_match(spec, bare, beat)
        played.append((spec, report))
        return report

    return lambda match: play_queued(match, report_on)


@pytest.fixture
def queued(versions, ladder: Ladder) -> Match:
    """A rated match between both, not yet played."""
    for version in versions:
        enter_version(ladder=ladder, version=version)
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    LadderMatch.objects.create(ladder=ladder, match=match)
    return match


@pytest.fixture
def finished(queued: Match, play) -> Match:
    assert play(queued)
    queued.refresh_from_db()
    append_finished_matches(ladder=queued.ladder_match.ladder)
    return queued


@pytest.fixture(scope="session")
def record_of() -> Callable[..., Json]:
    """The record of a leg played at random, claims and attacks first, by seed, edition, game and seats."""
    return cache(play_at_random)


def list_scenes(record: Json, onlooker: int | None = None) -> list[Scene]:
    """Return the scene of every step of a leg."""
    playback = play_back(record, onlooker)
    return [playback.scene(number) for number in range(playback.last + 1)]


def read_table(
    record: Json, players: Sequence[Player], seat: int | None = None, chosen: str = "", why: str = ""
) -> PlayTable:
    """Return the table of a play that may still go on."""
    builder = StepBuilder(PUBLIC_ONLOOKER if seat is None else seat)
    for state, entry in zip(states(record), [None, *record["actions"]], strict=True):
        builder.add(state, entry)
    return lay_table(record, (builder.finish_open(record, state), state), players, seat, chosen, why)


def play_at_random(
    seed: int, edition: str = "standard", game: str = "battleline", players: int = 2, forfeit_at: int | None = None
) -> Json:
    """With `forfeit_at`, whoever is to take that decision times out."""
    rules, rng = find_game(game), Random(seed)
    options = rules.options(edition)
    deal = rules.deal(options, players, rng)
    state, actions, verdicts = rules.start(options, players, deal), [], ["ok"] * players
    while state.to_act is not None:
        if state.ply == forfeit_at:
            actions.append({"seat": state.to_act, "action": "forfeit", "verdict": "timeout"})
            verdicts[state.to_act] = "timeout"
            state.forfeit(state.to_act, "timeout")
            continue
        forced, moves = state.forced(), state.moves()
        claims = [move for move in moves if state.text(move).startswith(("claim", "attack"))]
        move = forced if forced is not None else rng.choice(claims or moves)
        answer = {"auto": True} if forced is not None else {"ms": 7, "cpu_ms": 2}
        actions.append({"seat": state.to_act, "action": state.text(move), **answer})
        state.play(move)
    seats = [{"name": name, "version": 1} for name in "abcd"[:players]]
    return make_record(
        game=rules,
        edition=edition,
        options=options,
        deal=deal,
        salt=str(seed),
        seats=seats,
        actions=actions,
        outcome=state.outcome,
        verdicts=verdicts,
    )
