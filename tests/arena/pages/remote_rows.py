"""Rows of remote bots and their matches, as the arena leaves them: for tests of the pages about them."""

import zlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import orjson
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.bots.services import create_bot
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, new_secret
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.models import Attempt, LegSeat, Match
from arena.matches.remote.models import RemoteBot, RemoteSeat
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from arena.runner.program import REMOTE_LIMITS
from engine.replay import record_hash
from engine.season import commitment
from tests.arena.pages.conftest import play_at_random

DECLARED = "model X, temperature 0, laptop"


def make_remote_version(owner: User, name: str, declared: str = DECLARED, **presence: Any) -> BotVersion:
    """Return the next version of somebody's remote bot; `presence` are fields of its RemoteBot."""
    bot = Bot.objects.filter(owner=owner, name=name).first()
    bot = bot or create_bot(owner=owner, name=name, game="battleline", is_remote=True)
    RemoteBot.objects.update_or_create(bot=bot, defaults=presence)
    return BotVersion.objects.create(
        bot=bot,
        number=bot.versions.count() + 1,
        language=REMOTE_LANGUAGE,
        size=0,
        declared=declared,
        state=BotVersion.State.ACCEPTED,
        uploaded_by=owner,
    )


def open_ladder(clock: str = "open", edition: str = "standard", title: str = "Battle Line, Standard") -> Ladder:
    """Return an open ladder of Battle Line."""
    secret = new_secret()
    return Ladder.objects.create(
        game="battleline", edition=edition, clock=clock, title=title, secret=secret, commitment=commitment(secret)
    )


def enter(ladder: Ladder, version: BotVersion, rating: float = 1500.0, **fields: Any) -> Entry:
    """Return a new entry of a version on a ladder, with a rank by default."""
    ranked: dict[str, Any] = {"is_ranked": True, "matches": 40, "opponents": 6, "deviation": 60.0, "points": 22.0}
    return Entry.objects.create(ladder=ladder, version=version, rating=rating, **{**ranked, **fields})


def queue_remote_match(versions: Sequence[BotVersion], ladder: Ladder | None = None) -> Match:
    """Return a match of one leg that waits for its remote bots."""
    limits = REMOTE_LIMITS[ladder.clock if ladder else "open"]
    match = queue_match(versions=versions, game="battleline", edition="standard", limits=limits, legs=1)
    if ladder is not None:
        LadderMatch.objects.create(ladder=ladder, match=match)
    return match


def run_remote_match(match: Match) -> LiveGame:
    """Let the remote-bot server play a match: return its leg as the server holds it."""
    Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING, started_at=now())
    Attempt.objects.create(match=match, number=1, worker="remote", token=f"token {match.pk}")
    game = LiveGame.objects.create(
        game=match.game,
        edition=match.edition,
        options=match.options,
        rules_version=match.rules_version,
        limits=match.limits,
        deal=match.deal,
        salt="salt",
        match=match,
        seat_to_act=0,
    )
    for part in match.participants.select_related("version__bot").order_by("index"):
        seat = LiveSeat.objects.create(game=game, seat=part.index, version=part.version)
        if part.version.bot.is_remote:
            RemoteSeat.objects.create(seat=seat, game=game, bot=part.version.bot)
    return game


def finish_remote_match(match: Match, *, refusals: Sequence[int] = (0, 0), log: str = "", seed: int = 3) -> Match:
    """Store a played leg of a match; the logs and refusals are by seat."""
    (leg,) = match.legs.all()
    parts = list(match.participants.select_related("version__bot").order_by("index"))
    record = play_at_random(seed)
    for entry in record["actions"]:
        if "cpu_ms" in entry and parts[entry["seat"]].version.bot.is_remote:
            del entry["cpu_ms"]
            entry["ms"] = 4321.5
    for seat, part in enumerate(parts):
        bot = part.version.bot
        record["seats"][seat] = {"name": bot.name, "version": part.version.number}
        if bot.is_remote:
            record["seats"][seat] |= {"remote": True, "declared": part.version.declared}
        own = [entry for entry in record["actions"] if entry["seat"] == seat and "ms" in entry]
        if refusals[seat]:
            own[1]["refused"] = refusals[seat]
    leg.record, leg.record_hash = zlib.compress(orjson.dumps(record)), record_hash(record)
    leg.reason, leg.decisions = record["result"]["reason"], len(record["actions"])
    leg.save()
    places, scores = record["result"]["places"], record["result"]["scores"]
    for seat, part in enumerate(parts):
        LegSeat.objects.create(
            leg=leg,
            seat=seat,
            participant=part,
            place=places[seat],
            score=scores[seat],
            verdict="ok",
            stderr=log if part.version.bot.is_remote else "",
            refusals=refusals[seat],
        )
        part.points = float(places[seat] == 1)
        part.save()
    match.state, match.started_at, match.finished_at = Match.State.FINISHED, now() - timedelta(minutes=4), now()
    match.settled_at = now()
    match.save()
    return match


def finish_ladder_match(ladder: Ladder, versions: Sequence[BotVersion], **played: Any) -> Match:
    """Return a finished match of an open ladder, rated."""
    match = finish_remote_match(queue_remote_match(versions, ladder), **played)
    ladder.last_sequence += 1
    ladder.save()
    LadderMatch.objects.filter(match=match).update(sequence=ladder.last_sequence)
    return match
