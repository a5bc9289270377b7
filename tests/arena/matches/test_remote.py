"""Legs with remote bots, from the queue to the stored result, through the hub and the database."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict
from datetime import timedelta
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
from django.db import connection
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.bots.services import create_bot
from arena.bots.teams import hash_token, issue_token
from arena.matches.lifecycle import list_games_of_stopped_bots
from arena.matches.livegames.answering import answer_attempt, claim_answer, list_waiting_turns
from arena.matches.livegames.models import LiveDecision, LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, abandon_idle_games, start_live_game, take_step
from arena.matches.livegames.position import LivePlayer
from arena.matches.livegames.queries import fetch_live_figures, find_live_game
from arena.matches.models import CANCELLED, Attempt, Leg, Match, VerdictCount
from arena.matches.remote import hub as hub_module
from arena.matches.remote import store
from arena.matches.remote.hub import Envelope, Hub, Late, NoSuchLeg, NotYet, Taken
from arena.matches.remote.models import RemoteBot, RemoteSeat, list_old_tables
from arena.matches.remote.server import Grant, look_up
from arena.matches.remote.store import claim_tables, remove_old_tables
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import cancel_matches, claim_match, queue_match
from arena.matches.workers import REMOTE_SERVER, this_remote_server, this_worker
from arena.operations.lifecycle import stop_bot
from arena.people.accounts.models import User
from arena.runner.live_turn import TurnReport, answer_turn
from arena.runner.program import REMOTE_LIMITS
from arena.runner.sandbox.base import Sandbox
from engine.core import Json
from engine.message import literal
from engine.replay import record_hash, verify
from tests.arena.capabilities import able
from tests.conftest import EXITS_AT_ONCE, MakeVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("outside_loops")]

Answer = Callable[[Json], str | None]
MakeRemote = Callable[..., BotVersion]
LIMIT_S = 60.0


@pytest.fixture
def make_remote(ana: User) -> MakeRemote:
    def make(name: str, game: str = "battleline", declared: str = "model X, laptop") -> BotVersion:
        bot = create_bot(owner=ana, name=name, game=game)
        Bot.objects.filter(pk=bot.pk).update(is_remote=True)
        version = BotVersion.objects.create(
            bot=bot,
            number=1,
            language=REMOTE_LANGUAGE,
            size=0,
            state=BotVersion.State.ACCEPTED,
            declared=declared,
            uploaded_by=ana,
        )
        RemoteBot.objects.create(bot=bot)
        return version

    return make


def queue(*versions: BotVersion, clock: str = "open") -> Match:
    game = versions[0].bot.game
    edition = "standard"
    return queue_match(versions=list(versions), game=game, edition=edition, limits=REMOTE_LIMITS[clock], legs=1)


def play_first(message: Json) -> str | None:
    """Answer as the simplest bot does."""
    if message["type"] == "hello":
        return '{"type": "ready"}'
    return json.dumps({"action": message["legal"][0]}) if message["type"] == "turn" else None


class Client:
    """A remote bot's program with its client, which polls and answers."""

    def __init__(self, hub: Hub, version: BotVersion, answer: Answer = play_first, room: int = 8) -> None:
        self.hub, self.bot, self.answer, self.room = hub, version.bot_id, answer, room
        self.have: dict[str, str] = {}
        self.seen: list[Envelope] = []
        self.ended: list[Json] = []
        self.refused = 0

    async def run(self) -> None:
        while True:
            self.hub.come(self.bot, self.room)
            try:
                event = self.hub.waiter(self.bot)
                event.clear()
                messages, legs = self.hub.collect(self.bot, self.have, ())
                if not messages:
                    await event.wait()
            finally:
                self.hub.leave(self.bot)
            for leg in set(self.have) - set(legs):
                del self.have[leg]
            for found in messages:
                await self.take(found)

    async def take(self, found: Envelope) -> None:
        self.have[found.leg] = found.key
        self.seen.append(found)
        line = self.answer(found.message)
        if found.message["type"] == "end":
            self.ended.append(found.message)
            line = ""
        if line is not None and found.answered is None:
            taken = await self.hub.answer(self.bot, found.leg, found.key, line)
            self.refused += taken.is_refused


async def play_until(condition: Callable[[], bool], clients: Sequence[Client]) -> None:
    """Let clients play until something is true."""
    tasks = [asyncio.create_task(client.run()) for client in clients]
    try:
        deadline = monotonic() + LIMIT_S
        while not condition():
            assert monotonic() < deadline, "it took too long"
            for task in tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.01)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def in_hub(work: Callable[[Hub], Coroutine[Any, Any, Any]], hub: Hub | None = None) -> Any:
    """Run a hub while something is done with it."""

    async def run() -> Any:
        served = hub or Hub(redis_url=None)
        await served.start()
        try:
            return await asyncio.wait_for(work(served), LIMIT_S)
        finally:
            await served.stop()

    return asyncio.run(run())


async def in_thread(work: Callable[[], object]) -> None:
    """Do what others do to the database meanwhile."""

    def do() -> None:
        work()
        connection.close()

    await asyncio.to_thread(do)


def play_all(matches: int, *players: tuple[BotVersion, Answer], room: int = 8) -> list[Client]:
    """Play so many matches in one hub until every bot has seen every end."""

    async def play(hub: Hub) -> list[Client]:
        clients = [Client(hub, version, answer, room) for version, answer in players]
        await play_until(lambda: all(len(client.ended) >= matches for client in clients), clients)
        deadline = monotonic() + LIMIT_S
        while hub._list_running():
            assert monotonic() < deadline
            await asyncio.sleep(0.01)
        return clients

    clients: list[Client] = in_hub(play)
    return clients


def check_stored(match: Match) -> tuple[Leg, Json]:
    match.refresh_from_db()
    assert match.state == Match.State.FINISHED
    leg = match.legs.get()
    record = leg.record_data
    verify(record)
    assert leg.record_hash == record_hash(record) and leg.decisions == len(record["actions"])
    return leg, record


@pytest.mark.parametrize(("game", "seats"), [("battleline", 2), ("battalion", 4)])
def test_a_leg_is_played_stored_and_verifies(make_remote: MakeRemote, game: str, seats: int) -> None:
    versions = [make_remote(f"bot {seat}", game) for seat in range(seats)]
    match = queue(*versions)
    rng = Random(1)

    def play(message: Json) -> str | None:
        if message["type"] != "turn":
            return play_first(message)
        assert message["bank_ms"] <= 600_000
        return json.dumps({"action": rng.choice(message["legal"]), "note": "so", "eval": 0.25})

    clients = play_all(1, *((version, play) for version in versions))
    leg, record = check_stored(match)
    assert all(seat["remote"] and seat["declared"] == "model X, laptop" for seat in record["seats"])
    chosen = [entry for entry in record["actions"] if "auto" not in entry]
    assert all(entry.keys() == {"seat", "action", "ms", "note", "eval"} for entry in chosen)
    hello = clients[0].seen[0].message
    assert hello["limits"] == asdict(REMOTE_LIMITS["open"]) and hello["seed"] == record["seats"][0]["seed"]
    assert list(clients[0].ended[0]["places"]) == record["result"]["places"]
    assert sum(one.points or 0.0 for one in match.participants.all()) == seats / 2
    for one in match.participants.all():
        assert one.elapsed_s == one.waited_s
    assert list(leg.seats.values_list("verdict", "refusals", "stderr")) == [("ok", 0, "")] * seats
    assert VerdictCount.objects.filter(verdict="ok", legs=1).count() == seats
    assert list(match.attempts.values_list("ending", flat=True)) == ["stored"]


def test_several_legs_at_once_within_the_room_of_each_bot(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    matches = [queue(one, other) for _ in range(3)]
    clients = play_all(3, (one, play_first), (other, play_first), room=2)
    begun = [found.message["type"] for found in clients[0].seen if found.message["type"] in ("hello", "end")]
    at_once = [begun[:end].count("hello") - begun[:end].count("end") for end in range(len(begun))]
    assert max(at_once) == 2
    for match in matches:
        check_stored(match)


def test_a_refused_answer_may_be_put_right(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    bad = iter(["{}", '{"action": "claim 9"}', "no"])
    heard: list[Json] = []

    def stumble(message: Json) -> str | None:
        heard.append(message)
        if message["type"] == "turn" and (line := next(bad, None)) is not None:
            return line
        return play_first(message)

    clients = play_all(1, (one, stumble), (other, play_first))
    leg, record = check_stored(match)
    assert clients[0].refused == 3
    refusals = [message for message in heard if message["type"] == "refused"]
    assert [found["n"] for found in refusals] == [heard[1]["n"]] * 3 and "BL-16" in refusals[1]["reason"]
    assert heard[1] == heard[3] == heard[5] == heard[7]
    first = next(entry for entry in record["actions"] if entry.get("refused"))
    assert first["refused"] == 3 and first["seat"] == 0
    row = leg.seats.get(seat=0)
    assert row.refusals == 3 and row.verdict == "ok" and "BL-16" in row.stderr


@pytest.mark.parametrize(("line", "verdict"), [('{"action": "claim 9"}', "illegal"), ("what?", "malformed")])
def test_the_fourth_bad_answer_loses_the_leg(make_remote: MakeRemote, line: str, verdict: str) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    clients = play_all(
        1, (one, lambda message: line if message["type"] == "turn" else play_first(message)), (other, play_first)
    )
    leg, record = check_stored(match)
    assert record["actions"][-1] == {"seat": 0, "action": "forfeit", "verdict": verdict, "refused": 3}
    assert clients[0].ended[0]["verdicts"] == [verdict, "ok"]
    row = leg.seats.get(seat=0)
    assert row.fault is not None and row.fault["sent"] == line and row.fault["request"]["legal"]
    assert leg.seats.get(seat=1).place == 1


def test_a_bot_that_cannot_say_ready_does_not_start(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    play_all(1, (other, play_first), (one, lambda message: "hm" if message["type"] == "hello" else None))
    _, record = check_stored(match)
    assert record["actions"] == [{"seat": 0, "action": "forfeit", "verdict": "start", "refused": 3}]


async def start_both(hub: Hub, one: BotVersion, other: BotVersion) -> str:
    """Have both bots say that they are ready, and return the name of the first one's leg."""
    for version in (one, other):
        hub.come(version.bot_id, 1)
    await wait_for(lambda: hub.collect(one.bot_id, {}, ())[0] != [])
    for version in (one, other):
        (hello,), (leg,) = hub.collect(version.bot_id, {}, ())
        assert hello.key == "hello" and hello.leg == leg
        await hub.answer(version.bot_id, leg, "hello", '{"type": "ready"}')
    return hub.collect(one.bot_id, {}, ())[1][0]


def test_answers_are_taken_once(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)

    async def work(hub: Hub) -> None:
        leg = await start_both(hub, one, other)
        (turn,), _ = hub.collect(one.bot_id, {leg: "hello"}, ())
        assert turn.key == "0.0" and hub.collect(one.bot_id, {leg: "0.0"}, ())[0] == []
        refusals = await asyncio.gather(*(hub.answer(one.bot_id, leg, "0.0", "no") for _ in range(3)))
        assert all(taken.is_refused and taken.reason == refusals[0].reason for taken in refusals)
        again = [found.key for found in hub.collect(one.bot_id, {leg: "0.0"}, ())[0]]
        assert again == ["0.1r", "0.1"]
        line = json.dumps({"action": turn.message["legal"][0]})
        assert not (await hub.answer(one.bot_id, leg, "0.1", line)).is_refused
        assert not (await hub.answer(one.bot_id, leg, "0.1", line)).is_refused
        for key, late in (("0.1", "other"), ("0.0", line), ("99.0", line), ("end", "")):
            with pytest.raises(Late):
                await hub.answer(one.bot_id, leg, key, late)
        for bot, name in ((other.bot_id, leg), (one.bot_id, "nothing-0"), (one.bot_id, "nothing")):
            with pytest.raises(NoSuchLeg):
                await hub.answer(bot, name, "hello", '{"type":"ready"}')

    in_hub(work)
    assert RemoteSeat.objects.get(bot=one.bot_id).refusals == 1
    match.refresh_from_db()
    assert match.state == Match.State.QUEUED and match.retry_at is None  # given back


async def wait_for(condition: Callable[[], bool], seconds: float = LIMIT_S) -> None:
    deadline = monotonic() + seconds
    while not condition():
        assert monotonic() < deadline
        await asyncio.sleep(0.01)


def test_nothing_is_claimed_before_all_remote_bots_are_here(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)

    async def work(hub: Hub) -> None:
        hub.come(one.bot_id, 1)
        await asyncio.sleep(0.6)

    in_hub(work)
    assert Attempt.objects.count() == 0
    assert RemoteBot.objects.get(bot=one.bot_id).is_here and not RemoteBot.objects.get(bot=other.bot_id).is_here
    match.refresh_from_db()
    assert match.state == Match.State.QUEUED


def test_a_restart_in_the_middle_changes_nothing(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    have: list[dict[str, str]] = [{}, {}]
    seen: list[list[tuple[str, Json]]] = [[], []]
    for stop_after in (3, 6, 9, 10**6):  # a whole leg has some 40 messages

        async def work(hub: Hub, stop_after: int = stop_after) -> None:
            clients = [Client(hub, one), Client(hub, other)]
            for client, kept in zip(clients, have, strict=True):
                client.have = kept
            await play_until(
                lambda: (
                    all(client.ended for client in clients) or sum(len(client.seen) for client in clients) >= stop_after
                ),
                clients,
            )
            for client, known in zip(clients, seen, strict=True):
                known += [(found.key, found.message) for found in client.seen]
            if stop_after > 1000:
                await wait_for(lambda: not hub._list_running())

        in_hub(work)
    check_stored(match)
    for known in seen:
        assert known[0][0] == "hello" and known[-1][0] == "end"
        events = [event for _, message in known for event in message.get("events", ())]
        deduplicated = dict(known)
        assert len([key for key, _ in known if key == "hello"]) == 1
        assert [key for key, _ in known] == list(deduplicated)
        assert len(events) > 10
    endings = list(match.attempts.values_list("ending", flat=True))
    assert endings == ["lost", "lost", "lost", "stored"]


def test_a_cancelled_match_is_dropped(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)

    async def work(hub: Hub) -> None:
        hub.come(one.bot_id, 1)
        hub.come(other.bot_id, 1)
        await wait_for(lambda: bool(hub.collect(one.bot_id, {}, ())[1]))
        await in_thread(lambda: cancel_matches(matches=[match.pk], reason=literal("no")))
        await wait_for(lambda: not hub.collect(one.bot_id, {}, ())[1])

    in_hub(work)
    match.refresh_from_db()
    assert match.shown_state == CANCELLED


def test_a_bot_that_does_not_come_back_loses_on_time(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)

    async def work(hub: Hub) -> None:
        leg = await start_both(hub, one, other)
        hub.leave(one.bot_id, at_once=True)
        hub.check_clocks(monotonic() + 59)
        with pytest.raises(AssertionError):
            await wait_for(lambda: not hub._list_running(), 0.6)
        hub.come(one.bot_id, 1)
        await wait_for(lambda: all(played.is_stored for played in hub._list_running()))
        hub.leave(one.bot_id, at_once=True)
        hub.check_clocks(monotonic() + 59 + 61)
        await wait_for(lambda: not hub._list_running())
        (end,), legs = hub.collect(one.bot_id, {leg: "hello"}, ())
        assert end.key == "end" and end.message["verdicts"] == ["timeout", "ok"] and legs == [leg]
        await hub.answer(one.bot_id, leg, "end", "")
        await hub.answer(one.bot_id, leg, "end", "")
        assert hub.collect(one.bot_id, {leg: "end"}, ()) == ([], [])
        await wait_for(lambda: not hub._left)

    in_hub(work)
    leg, record = check_stored(match)
    assert record["actions"] == [{"seat": 0, "action": "forfeit", "verdict": "timeout"}]
    assert "away" in leg.seats.get(seat=0).stderr
    assert not RemoteBot.objects.get(bot=one.bot_id).is_here
    assert [seat.has_end for seat in RemoteSeat.objects.order_by("seat")] == [True, False]


def test_answers_that_change_nothing_keep_nobody_here(make_remote: MakeRemote, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = make_remote("one"), make_remote("other")
    queue(one, other)
    later_s = 0.0
    monkeypatch.setattr(hub_module, "monotonic", lambda: monotonic() + later_s)

    async def work(hub: Hub) -> None:
        nonlocal later_s
        leg = await start_both(hub, one, other)
        assert hub.collect(one.bot_id, {leg: "hello"}, ())[0]
        await hub.answer(one.bot_id, leg, "0.0", "no")  # with the next poll, its clock would go on
        hub.leave(one.bot_id)
        (played,) = hub._list_running()
        while later_s < 70 and not played.leg.is_over:
            later_s += 4.0
            hub.check_clocks(monotonic() + later_s)
            assert (await hub.answer(one.bot_id, leg, "hello", "{}")) == Taken()
            with pytest.raises(Late):
                await hub.answer(one.bot_id, leg, "99.0", "{}")
        assert played.leg.verdicts == ["timeout", "ok"]

    in_hub(work)


def test_a_leg_whose_referee_fails_stops_no_clock_but_its_own(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    matches = [queue(one, other) for _ in range(2)]

    async def work(hub: Hub) -> None:
        for bot in (one, other):
            hub.come(bot.bot_id, 2)
        await wait_for(lambda: len(hub._list_running()) == 2)
        broken, sound = hub._list_running()
        del broken.leg.info  # so it can't tell what it has asked
        for bot in (one, other):
            hub.leave(bot.bot_id, at_once=True)
        hub.check_clocks(monotonic() + 61)
        await wait_for(lambda: not hub._list_running())
        assert sound.is_finished and not broken.is_finished

    in_hub(work)
    assert sorted(Match.objects.values_list("state", flat=True)) == ["finished", "queued"]
    assert {match.pk for match in matches} == set(Match.objects.values_list("pk", flat=True))


def test_nobody_is_away_just_after_a_restart(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    in_hub(lambda hub: start_both(hub, one, other))

    async def work(hub: Hub) -> None:
        await wait_for(lambda: len(hub._list_running()) == 1)
        started = monotonic()
        hub.check_clocks(started + 50)
        hub.check_clocks(started + 61 + 50)
        await asyncio.sleep(0.6)
        assert hub._list_running()
        hub.check_clocks(started + 61 + 50 + 61)
        await wait_for(lambda: not hub._list_running())

    in_hub(work)
    assert check_stored(match)[1]["result"]["verdicts"] == ["timeout", "ok"]


def test_a_leg_waits_for_the_next_process(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    queue(one, other)
    leg = in_hub(lambda hub: start_both(hub, one, other))
    Match.objects.update(retry_at=now() + timedelta(minutes=5))  # nobody plays it for now

    async def work(hub: Hub) -> None:
        assert hub.collect(one.bot_id, {leg: "hello"}, ()) == ([], [leg])
        with pytest.raises(NotYet):
            await hub.answer(one.bot_id, leg, "0.0", "{}")

    in_hub(work)


def test_a_leg_that_cannot_be_begun_keeps_no_other_waiting(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    broken, match = queue(one, other), queue(one, other)
    broken.legs.all().delete()
    play_all(1, (one, play_first), (other, play_first))
    check_stored(match)
    broken.refresh_from_db()
    assert broken.state == Match.State.QUEUED and broken.retry_at is not None
    assert list(broken.attempts.values_list("ending", flat=True)) == ["failed"]


def test_a_claim_that_the_process_does_not_know_of_is_lost_in_time(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    queue(one, other)
    long_ago = now() - timedelta(hours=1)

    async def work(hub: Hub) -> None:
        await start_both(hub, one, other)
        match = await asyncio.to_thread(queue, one, other)
        await in_thread(lambda: claim_match(match_id=match.pk, worker=hub._worker))
        await in_thread(lambda: Attempt.objects.update(heartbeat_at=long_ago))
        await hub._beat()
        await in_thread(lambda: beats.update(Attempt.objects.values_list("match", "heartbeat_at")))
        assert beats.pop(match.pk) == long_ago

    beats: dict[int, Any] = {}
    in_hub(work)
    assert [at > long_ago for at in beats.values()] == [True]


def test_a_bot_gets_no_other_leg_before_it_has_seen_how_the_last_one_ended(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    queue(one, other)
    queue(one, other)

    async def work(hub: Hub) -> None:
        leg = await start_both(hub, one, other)
        for bad in range(4):
            await hub.answer(one.bot_id, leg, f"0.{bad}", "no")
        await wait_for(lambda: not hub._list_running())
        ((end,), _) = hub.collect(other.bot_id, {}, ())
        await hub.answer(other.bot_id, end.leg, "end", "")
        await asyncio.sleep(0.5)
        assert not hub._list_running()
        await hub.answer(one.bot_id, leg, "end", "")
        await wait_for(lambda: len(hub._list_running()) == 1)

    in_hub(work)


def test_a_bot_whose_program_keeps_failing_is_not_paired_for_a_while(
    make_remote: MakeRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "MAX_QUICK_FAULTS", 2)
    one, other = make_remote("one"), make_remote("other")
    for _ in range(2):
        queue(one, other)
    rooms: dict[int, int] = {}

    async def work(hub: Hub) -> None:
        clients = [Client(hub, one, lambda message: play_first(message) and "no"), Client(hub, other)]
        await play_until(lambda: all(len(client.ended) == 2 for client in clients), clients)
        await wait_for(lambda: not hub._list_running())
        for client in clients:
            hub.come(client.bot, 8)
        await hub._tell_presence()
        await in_thread(lambda: rooms.update(RemoteBot.objects.values_list("bot", "room")))
        monkeypatch.setattr(hub_module, "QUICK_FAULT_PERIOD_S", 0.0)
        await hub._clean_up()
        assert not hub._quick_faults

    in_hub(work)
    assert rooms == {one.bot_id: 0, other.bot_id: 8}


def test_a_retired_bot_finishes_its_legs(make_remote: MakeRemote, ana: User) -> None:
    one, other = make_remote("one"), make_remote("other")
    match, waiting = queue(one, other), queue(one, other)
    key = (hash_token(issue_token(owner=ana, name="laptop")[1]), one.bot.slug)

    async def work(hub: Hub) -> None:
        await start_both(hub, one, other)
        await in_thread(lambda: stop_bot(bot=one.bot, by_staff=False))
        await in_thread(lambda: told.update(look_up([key])))
        assert isinstance(told[key], Grant)
        clients = [Client(hub, one), Client(hub, other)]
        await play_until(lambda: all(client.ended for client in clients), clients)
        await wait_for(lambda: not hub._legs)

    told: dict[tuple[str, str], object] = {}
    in_hub(work)
    check_stored(match)
    waiting.refresh_from_db()
    assert waiting.shown_state == CANCELLED
    assert not isinstance(look_up([key])[key], Grant)


def test_losses_by_restarts_never_end_a_match(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    in_hub(lambda hub: start_both(hub, one, other))
    for _ in range(5):
        in_hub(lambda hub: asyncio.sleep(0))
        Attempt.objects.filter(ended_at__isnull=False).update(ended_at=now() - timedelta(hours=2))
    match.refresh_from_db()
    assert match.state == Match.State.QUEUED and match.retry_at is None


def test_a_killed_process_is_followed_by_the_next_one(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)
    in_hub(lambda hub: start_both(hub, one, other))
    attempt = claim_match(match_id=match.pk, worker=REMOTE_SERVER + this_worker().rsplit("/", 2)[0] + "/999999/1")
    assert attempt is not None
    play_all(1, (one, play_first), (other, play_first))
    check_stored(match)
    assert list(match.attempts.values_list("ending", flat=True)) == ["lost", "lost", "stored"]


def test_another_process_that_plays_the_same_leg_stores_nothing_twice(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    match = queue(one, other)

    async def work(hub: Hub) -> None:
        leg = await start_both(hub, one, other)
        (turn,), _ = hub.collect(one.bot_id, {leg: "hello"}, ())
        first, second = turn.message["legal"][:2]

        def move_on() -> None:
            game = LiveGame.objects.get()
            LiveDecision.objects.create(game=game, number=0, entry={"seat": 0, "action": second, "ms": 1})
            LiveGame.objects.update(decisions=1, seat_to_act=0)

        await in_thread(move_on)
        with pytest.raises(NotYet):
            await hub.answer(one.bot_id, leg, "0.0", json.dumps({"action": first}))
        await wait_for(lambda: bool(hub._list_running()))
        (turn,), _ = hub.collect(one.bot_id, {leg: "0.0"}, ())
        assert turn.key != "0.0" and {"seat": 0, "action": second} in turn.message["events"]

    in_hub(work)
    assert match.attempts.count() == 2


class Worker:
    """A worker that has sandboxed bots decide, in a thread."""

    def __init__(self, answer: Callable[..., TurnReport]) -> None:
        self.answer, self.is_over, self.turns = answer, False, 0

    def run(self) -> None:
        while not self.is_over:
            turns, _ = list_waiting_turns(worker=this_worker(), capabilities=able())
            for turn in turns:
                attempt = claim_answer(game_id=turn.game, worker=this_worker(), capabilities=able())
                if attempt is not None:
                    self.turns += answer_attempt(attempt=attempt, answer=self.answer)
            sleep(0.02)
        connection.close()


def play_with_worker(worker: Worker, *players: tuple[BotVersion, Answer]) -> list[Client]:
    thread = Thread(target=worker.run)
    thread.start()
    try:
        return play_all(1, *players)
    finally:
        worker.is_over = True
        thread.join()


def test_a_sandboxed_bot_plays_its_turns_in_the_sandbox(
    make_remote: MakeRemote, make_version: MakeVersion, house: User, runner: RunnerProcess
) -> None:
    remote, sandboxed = make_remote("one"), make_version(house, "first")
    match = queue(sandboxed, remote)
    worker = Worker(lambda spec, beat: runner.answer_turn(spec, beat))
    (client,) = play_with_worker(worker, (remote, play_first))
    leg, record = check_stored(match)
    assert worker.turns > 5 and record["result"]["verdicts"] == ["ok", "ok"]
    assert [seat.get("remote") for seat in record["seats"]] == [None, True]
    chosen = [entry for entry in record["actions"] if "ms" in entry]
    assert {("cpu_ms" in entry, entry["seat"]) for entry in chosen} == {(True, 0), (False, 1)}
    house_play = match.participants.get(index=0)
    assert house_play.elapsed_s is not None and house_play.waited_s is not None
    assert house_play.waited_s < house_play.elapsed_s
    assert client.ended[0]["verdicts"] == ["ok", "ok"]


def test_a_sandboxed_bot_that_crashes_loses(
    make_remote: MakeRemote, make_version: MakeVersion, house: User, bare: Sandbox
) -> None:
    remote, sandboxed = make_remote("one"), make_version(house, "first", EXITS_AT_ONCE)
    match = queue(remote, sandboxed)
    play_with_worker(Worker(lambda spec, beat: answer_turn(spec, bare, beat)), (remote, play_first))
    leg, record = check_stored(match)
    assert record["result"]["verdicts"] == ["ok", "start"]
    row = leg.seats.get(seat=1)
    assert "I give up" in row.stderr and row.fault is not None and "start" in row.fault["message"]["template"]


def test_people_come_before_matches_at_tables(
    make_remote: MakeRemote, make_version: MakeVersion, house: User, ana: User
) -> None:
    remote, sandboxed = make_remote("one"), make_version(house, "first")
    queue(sandboxed, remote)

    async def work(hub: Hub) -> None:
        hub.come(remote.bot_id, 1)
        await wait_for(lambda: hub.collect(remote.bot_id, {}, ())[0] != [])
        leg = hub.collect(remote.bot_id, {}, ())[1][0]
        await hub.answer(remote.bot_id, leg, "hello", '{"type": "ready"}')

    in_hub(work)
    sitting = Sitting("battleline", (sandboxed, PersonSeat.ME))
    game = start_live_game(player=LivePlayer(ana), sitting=sitting, address="192.0.2.7")
    table = LiveGame.objects.get(match__isnull=False)
    turns, _ = list_waiting_turns(worker=this_worker(), capabilities=able())
    assert [turn.game for turn in turns] == [game.pk, table.pk]
    assert find_live_game(table.slug) is None and find_live_game(game.slug) == game
    assert fetch_live_figures().playing == 1 and not list_games_of_stopped_bots().exists()
    with pytest.raises(LiveGame.DoesNotExist):
        take_step(slug=table.slug, player=LivePlayer(ana), action="pass", at=0)
    LiveGame.objects.update(decided_at=now() - timedelta(days=2))
    assert abandon_idle_games() == [] and LiveGame.objects.count() == 2


def test_matches_that_wait_for_workers_hide_no_others(
    make_remote: MakeRemote, make_version: MakeVersion, house: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, sandboxed = make_remote("one"), make_remote("other"), make_version(house, "first")
    queue(sandboxed, one)
    match = queue(one, other)
    monkeypatch.setattr(store, "CANDIDATES_LOOKED_AT", 1)
    room = {one.bot_id: 1, other.bot_id: 1}
    ((table, _),) = claim_tables(worker=this_remote_server(), room=room, sandboxed_room=0, at=0)
    assert table.match == match.pk


def test_tables_are_removed_once_their_end_was_seen(make_remote: MakeRemote) -> None:
    one, other = make_remote("one"), make_remote("other")
    queue(one, other)
    play_all(1, (one, play_first), (other, play_first))
    assert list_old_tables().count() == 1
    remove_old_tables()
    assert not LiveGame.objects.exists() and not RemoteSeat.objects.exists() and Leg.objects.count() == 1
