"""Remote bots that are stopped or renamed, or whose authors leave: they have no files, and legs of their own."""

import io
import json
import re
import zipfile
import zlib

import pytest
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.contests.tournaments.models import Entrant
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.models import Leg, Match
from arena.matches.remote.models import RemoteBot, RemoteSeat
from arena.matches.services import queue_match
from arena.operations.acts import delete_own_account, retire_bot
from arena.operations.lifecycle import clean_up, rename_bot_everywhere
from arena.operations.personal_data import write_export
from arena.operations.staff_acts import StopBot, SuspendAuthor
from arena.operations.tasks import resume_live_games
from arena.people.accounts.models import User
from arena.runner.program import REMOTE_LIMITS
from tests.arena.contests.tournaments.world import finish, make_remote_bot
from tests.conftest import MakeVersion


@pytest.fixture
def bot(ana: User) -> Bot:
    return make_remote_bot(owner=ana)


@pytest.fixture
def other(ben: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ben, "Heron")


def queue(bot: Bot, other: BotVersion) -> Match:
    versions = [bot.versions.get(), other]
    return queue_match(versions=versions, game="battleline", edition="standard", legs=1, limits=REMOTE_LIMITS["open"])


def begin(match: Match) -> LiveGame:
    """As the process that serves remote bots begins it."""
    copied = ("game", "edition", "options", "rules_version", "limits", "deal")
    game = LiveGame.objects.create(
        match=match, salt="salt", seat_to_act=0, **{name: getattr(match, name) for name in copied}
    )
    for one in match.participants.select_related("version__bot"):
        seat = LiveSeat.objects.create(game=game, seat=one.index, version=one.version, bank_ms=600_000.0)
        if one.version.bot.is_remote:
            RemoteSeat.objects.create(seat=seat, game=game, bot=one.version.bot)
    Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING, started_at=now())
    return game


def states(*matches: Match) -> list[str]:
    found = Match.objects.in_bulk([match.pk for match in matches])
    return [found[match.pk].state for match in matches]


def test_a_retired_bot_plays_what_has_begun_and_nothing_waits_for_it(ana, bot, other):
    begun, waiting = queue(bot, other), queue(bot, other)
    begin(begun)
    retire_bot(bot=bot, owner=ana)
    assert states(begun, waiting) == [Match.State.RUNNING, Match.State.VOID]


@pytest.mark.parametrize("act", [StopBot, lambda bot: SuspendAuthor(bot.owner)], ids=["stop", "suspend"])
def test_staff_stops_also_what_has_begun(bot, other, do, act):
    begun, waiting = queue(bot, other), queue(bot, other)
    begin(begun)
    assert re.search("2 (other )?matches cancelled", do(act(bot)))
    assert states(begun, waiting) == [Match.State.VOID, Match.State.VOID]


def test_what_looks_after_games_of_people_leaves_legs_of_matches_alone(bot, other):
    game = begin(queue(bot, other))
    long_ago = now().replace(year=2020)
    LiveGame.objects.filter(pk=game.pk).update(created_at=long_ago, decided_at=long_ago)
    resume_live_games()
    list(clean_up())
    game.refresh_from_db()
    assert game.state == LiveGame.State.PLAYING and game.seat_to_act == 0 and game.decisions == 0


def test_bots_of_a_deleted_account_play_no_more(ana, bot, other):
    waiting = queue(bot, other)
    delete_own_account(user=ana, confirmation="ana", rename_bots=True)
    version = bot.versions.get()
    assert (version.state, version.declared) == (BotVersion.State.REJECTED, "")
    assert states(waiting) == [Match.State.VOID] and not Entrant.objects.exists()


def test_a_pseudonym_takes_what_was_declared_with_the_name(bot, other):
    match = finish(queue(bot, other), [1, 2])
    leg = match.legs.get()
    seats = [
        {"name": bot.name, "version": 1, "remote": True, "declared": "Ana's laptop"},
        {"name": "Heron", "version": 1},
    ]
    Leg.objects.filter(pk=leg.pk).update(record=zlib.compress(json.dumps({"seats": seats, "actions": []}).encode()))
    rename_bot_everywhere(bot=bot, name="Swift", in_records=True)
    assert bot.versions.get().declared == ""
    assert Leg.objects.get(pk=leg.pk).record_data["seats"][0] == {"name": "Swift", "version": 1, "remote": True}


def test_an_export_says_what_it_ran_on_and_when_it_was_here(ana, bot, other):
    RemoteBot.objects.filter(bot=bot).update(seen_at=now(), is_online=True)
    finish(queue(bot, other), [2, 1])
    file = io.BytesIO()
    write_export(user=ana, file=file)
    zipped = zipfile.ZipFile(file)
    (found,) = json.loads(zipped.read("bots.json"))
    assert found["is_remote"] and found["last_online_at"] and found["versions"][0]["declared"] == "laptop"
    assert json.loads(zipped.read("matches.jsonl"))["legs"][0]["seats"][0]["refusals"] == 0


def test_staff_sees_who_is_connected(bot, olga):
    client = Client()
    client.force_login(olga)
    assert bot.name in client.get("/admin/remote/remotebot/").content.decode()
    page = f"/admin/remote/remotebot/{bot.pk}/change/"
    assert client.get(page).status_code == 200 and client.post(page, {"room": 8}).status_code == 403
