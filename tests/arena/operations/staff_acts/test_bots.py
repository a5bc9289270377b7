"""A bot that is stopped everywhere, plays again, or gets another name."""

import pytest

from arena.bots.models import Bot, BotVersion
from arena.bots.services import BotStopped, submit_version
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.services import start_comparison
from arena.contests.ladders.models import Entry
from arena.contests.ladders.services.entering import enter_version, promote_to_ladders, resume_bot
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.tournaments.models import Entrant
from arena.contests.tournaments.services.entering import enter
from arena.core.errors import Conflict
from arena.matches.livegames.position import LivePlayer
from arena.matches.livegames.queries import list_opponents
from arena.matches.models import Match
from arena.operations.staff_acts import ReinstateAuthor, ReleaseBot, RenameBot, StopBot, SuspendAuthor
from arena.operations.tasks import settle_match
from arena.people.accounts.names import BadName
from arena.people.audit.models import AuditEntry
from arena.runner.archive import Upload
from tests.arena.contests.tournaments.world import make_tournament
from tests.conftest import FIRST_LEGAL

OWN = FIRST_LEGAL + b"\n# her own\n"


@pytest.fixture
def versions(ana, ben, ladder, make_version) -> list[BotVersion]:
    """Ana's and Ben's bots, which play on the ladder."""
    versions = [make_version(ana, "Kingfisher"), make_version(ben, "Heron", OWN)]
    for version in versions:
        enter_version(ladder=ladder, version=version)
    return versions


def test_a_stopped_bot_plays_nowhere_and_its_waiting_matches_are_cancelled(ana, ben, ladder, versions, do):
    bot = versions[0].bot
    (waiting,) = list(queue_ladder_matches(ladder=ladder))[:1]
    tournament = make_tournament([bot])
    assert "1 entry on ladders" in StopBot(bot).describe() and "1 entry in tournaments" in StopBot(bot).describe()
    do(StopBot(bot))
    waiting.refresh_from_db()
    entry = Entry.objects.get(version=versions[0])
    assert (waiting.state, entry.state) == (Match.State.VOID, Entry.State.SUSPENDED)
    assert str(entry.state_reason) == "The arena's staff stopped the bot."
    assert Entrant.objects.get(bot=bot).state == Entrant.State.WITHDRAWN
    bot.refresh_from_db()
    for refused in (
        lambda: submit_version(owner=ana, bot=bot, files=Upload({"bot.py": OWN + b"#"})),
        lambda: promote_to_ladders(version=versions[0], owner=ana),
        lambda: resume_bot(bot=bot, owner=ana),
        lambda: enter(tournament=tournament, bot=bot, user=ana),
        lambda: create_challenge(owner=ben, version=versions[1], opponent=BotVersion.objects.get(pk=versions[0].pk)),
        lambda: start_comparison(owner=ana, version=BotVersion.objects.get(pk=versions[0].pk)),
    ):
        with pytest.raises(BotStopped, match="stopped Kingfisher"):
            refused()
    assert bot.versions.get() not in list_opponents(LivePlayer(user=ana), "battleline")
    with pytest.raises(Conflict, match="Kingfisher is already stopped"):
        StopBot(bot).describe()


def test_it_plays_again_with_its_rating_once_it_is_released(ladder, versions, do, play):
    match, *_ = queue_ladder_matches(ladder=ladder)
    assert play(match)
    settle_match(match.pk)
    entry = Entry.objects.get(version=versions[0])
    make_tournament([versions[0].bot])
    do(StopBot(versions[0].bot))
    bot = Bot.objects.get(pk=versions[0].bot_id)
    assert "1 entry on ladders" in ReleaseBot(bot).describe()
    do(ReleaseBot(bot))
    again = Entry.objects.get(version=versions[0])
    assert again.is_active and (again.rating, again.matches) == (entry.rating, entry.matches)
    assert Entrant.objects.get(bot=bot).state == Entrant.State.CHECKING
    with pytest.raises(Conflict, match="isn't stopped"):
        ReleaseBot(Bot.objects.get(pk=bot.pk)).describe()


def test_the_bots_of_a_reinstated_author_play_but_for_a_stopped_one(ana, versions, do, make_version, ladder):
    other = make_version(ana, "Wren", OWN + b"##")
    enter_version(ladder=ladder, version=other)
    do(StopBot(versions[0].bot))
    do(SuspendAuthor(ana))
    ana.refresh_from_db()
    do(ReinstateAuthor(ana))
    states = dict(Entry.objects.filter(version__bot__owner=ana).values_list("version__bot__slug", "state"))
    assert states == {"kingfisher": "suspended", "wren": "active"}


def test_a_name_goes_from_records_and_the_address_stays(finished_match, do):
    bot = Bot.objects.get(slug="kingfisher")
    Bot.objects.filter(pk=bot.pk).update(style="Kingfisher is the best.")
    do(RenameBot(bot, "Grebe"))
    bot.refresh_from_db()
    assert (bot.name, bot.slug, bot.style) == ("Grebe", "kingfisher", "")
    for leg in finished_match.legs.all():
        assert "Kingfisher" not in leg.record_json.decode() and "Grebe" in leg.record_json.decode()
    assert AuditEntry.objects.get().act == "bot.rename"
    with pytest.raises(Conflict, match="called Heron already"):
        RenameBot(bot, "heron").describe()
    with pytest.raises(BadName):
        RenameBot(bot, "!!!").describe()
    assert "stays /bots/kingfisher/" in RenameBot(bot, "Wren").describe()


def test_the_address_changes_only_where_staff_asks_for_that(versions, do):
    bot = Bot.objects.get(slug="kingfisher")
    act = RenameBot(bot, "Гребе", new_address=True)
    assert "/bots/grebe/" in act.describe()
    do(act)
    assert Bot.objects.get(pk=bot.pk).slug == "grebe"


@pytest.fixture
def finished_match(versions, ladder, play) -> Match:
    match, *_ = queue_ladder_matches(ladder=ladder)
    assert play(match)
    match.refresh_from_db()
    return match
