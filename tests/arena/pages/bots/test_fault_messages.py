"""The owner of a bot reads of its faults in the page's language, and nobody else reads them."""

from html import unescape

from arena.bots.services import create_bot, reject_build, submit_version
from arena.matches.services import queue_match
from arena.runner.archive import Upload
from engine.message import message
from tests.conftest import EXITS_AT_ONCE, make_deal_and_salts


def test_the_owner_reads_of_faults_in_hungarian(ana, ben, make_version, play, reader) -> None:
    versions = [make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")]
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    assert play(match)
    for address in ("/bots/quitter/", "/bots/quitter/faults/", f"/matches/{match.pk}/"):
        english, hungarian = (reader(ana).get(address, headers={"Accept-Language": one}).text for one in ("en", "hu"))
        assert "The bot didn't start: the bot exited with code 0" in unescape(english)
        assert "A bot nem indult el: a bot kilépett (kód: 0)" in hungarian
        assert "exited with code" not in reader(ben).get(address).text


def test_the_owner_alone_reads_how_a_build_ended(ana, ben, reader) -> None:
    bot = create_bot(owner=ana, name="Quitter", game="battleline")
    version, _ = submit_version(owner=ana, bot=bot, files=Upload({"bot.c": b"flag"}))
    detail = message("The compiler exited with code %(code)s.", code=1)
    assert reject_build(version=version, detail=detail, log="bot.c:1: error")
    own, others = (
        reader(one).get(version.get_absolute_url(), headers={"Accept-Language": "hu"}).text for one in (ana, ben)
    )
    assert "bot.c:1: error" in own and "A fordító kilépett (kód: 1)." in own
    assert "bot.c:1: error" not in others and "kilépett" not in others
