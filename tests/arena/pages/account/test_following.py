"""The button, the list of what is followed, and the link that ends mails."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.accounts.models import User
from arena.accounts.queries import find_confirmed_address
from arena.bots.models import BotVersion
from arena.following.models import Follow, News, NewsPreference, Timing
from arena.following.services.following import choose_timing, follow
from arena.following.services.telling import tell_followers
from arena.ladders.models import Ladder
from arena.ladders.services.seasons import open_season
from arena.notices.models import Notice
from arena.pages.account import following
from engine.registry import GAMES
from tests.conftest import MakeVersion

EDITIONS = list(GAMES["battleline"].editions)[1:]


@pytest.fixture
def version(ben: User, ladder: Ladder, make_version: MakeVersion) -> BotVersion:
    return make_version(ben, "Heron")


PAGES = [
    ("/bots/heron/", "/following/bots/heron/", "Heron"),
    ("/authors/ben/", "/following/authors/ben/", "ben"),
    ("/ladders/battleline/standard/", "/following/ladders/battleline/standard/", "Battle Line"),
]


@pytest.mark.parametrize(("page", "toggle", "name"), PAGES)
def test_a_button_follows_and_unfollows(eva: User, version: BotVersion, reader, page: str, toggle: str, name: str):
    client = reader(eva)
    assert client.get(page).context["follow"] == following.FollowButton(toggle, False)
    assert 'value="yes" aria-pressed="false">Follow<' in client.get(page).text
    answer = client.post(toggle, {"follow": "yes"}, follow=True)
    assert answer.redirect_chain == [(page, 302)] and answer.context["follow"].is_followed
    assert f"You follow {name} now." in answer.text and 'value="no" aria-pressed="true"' in answer.text
    answer = client.post(toggle, {"follow": "no", "back": "list"}, follow=True)
    assert answer.redirect_chain == [("/following/", 302)] and not Follow.objects.exists()


@pytest.mark.parametrize(("page", "toggle", "name"), PAGES)
def test_whoever_is_not_signed_in_is_led_there(client: Client, version: BotVersion, page: str, toggle: str, name: str):
    answer = client.get(page)
    assert answer.context["follow"].is_followed is None
    assert f'href="/accounts/login/?next={page}"' in answer.text and toggle not in answer.text
    assert client.post(toggle).status_code == 302 and not Follow.objects.exists()


def test_nobody_sees_what_somebody_else_follows(eva: User, ana: User, ben: User, version: BotVersion, reader):
    follow(user=eva, subject=version.bot)
    for other in (ana, ben, None):
        assert not reader(other).get("/bots/heron/").context["follow"].is_followed
    assert reader(ana).get("/following/").context["rows"] == []


def test_what_is_not_there_is_not_followed(eva: User, ladder: Ladder, reader):
    for toggle in ("bots/none", "authors/none", "ladders/battleline/none", "ladders/none/standard"):
        assert reader(eva).post(f"/following/{toggle}/", {"follow": "yes"}).status_code == 404
    assert reader(eva).get("/following/authors/eva/").status_code == 405
    answer = reader(eva).post("/following/authors/eva/", {"follow": "yes"}, follow=True)
    assert "You can&#x27;t follow yourself" in answer.text
    assert "Follow<" not in answer.text, "there is no button on one's own page"


def test_the_list_has_pages_and_an_empty_state(eva: User, version: BotVersion, ladder: Ladder, reader, monkeypatch):
    assert "You follow nothing yet" in reader(eva).get("/following/").text
    monkeypatch.setattr(following, "FOLLOWS_PER_PAGE", 2)
    for subject in (version.bot, version.bot.owner, ladder):
        follow(user=eva, subject=subject)
    first = reader(eva).get("/following/")
    assert [(row.kind, row.name) for row in first.context["rows"]] == [("Ladder", "Battle Line"), ("Author", "ben")]
    second = reader(eva).get(f"/following/?before={first.context['page'].older}")
    assert [(row.kind, row.url) for row in second.context["rows"]] == [("Bot", "/bots/heron/")]
    assert "3 bots, authors and ladders" in reader(eva).get("/settings/").text


def test_a_reader_chooses_how_news_arrive(eva: User, version: BotVersion, reader):
    client = reader(eva)
    assert client.get("/following/").context["form"]["timing"].initial == "at_once"
    answer = client.post("/following/", {"timing": "weekly"}, follow=True)
    preference = NewsPreference.objects.get(user=eva)
    assert (preference.timing, preference.site, preference.language) == ("weekly", "http://testserver/", "en")
    assert "No mail is sent until you confirm an e-mail address" in answer.text
    EmailAddress.objects.create(user=eva, email="eva@example.org", verified=True)
    assert "Mail goes to eva@example.org" in client.get("/following/").text
    assert client.post("/following/", {"timing": "hourly"}).status_code == 400
    assert "Once a week, by mail" in client.get("/settings/").text


def test_the_link_in_a_mail_ends_digests_without_signing_in(eva: User, version: BotVersion):
    preference = choose_timing(user=eva, timing=Timing.DAILY, language="en", site="http://testserver/")
    client, address = Client(enforce_csrf_checks=True), f"/following/stop/{preference.unsubscribe_key}/"
    page = client.get(address)
    assert "Send no more mail" in page.text and "no-store" in page["Cache-Control"]
    assert NewsPreference.objects.get().timing == Timing.DAILY, "programs that look at links end nothing"
    answer = client.post(address, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200 and "No digests are sent to you" in answer.text
    assert NewsPreference.objects.get().timing == Timing.AT_ONCE
    assert client.get("/following/stop/somebody-elses/").status_code == 404


def test_news_stand_among_the_notices(eva: User, version: BotVersion, reader):
    follow(user=eva, subject=version.bot)
    News.objects.create(kind=News.Kind.VERSION, about="version 2", bot=version.bot, facts={"version": 2})
    tell_followers()
    assert Notice.objects.get().url == "/bots/heron/v/2/"
    assert "A new version of Heron was accepted: version 2." in reader(eva).get("/notices/").text


def test_the_list_asks_as_often_for_many_as_for_few(
    eva: User, version: BotVersion, ladder: Ladder, reader, make_version
):
    client = reader(eva)
    follow(user=eva, subject=version.bot)
    follow(user=eva, subject=ladder)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/following/").status_code == 200
        return len(queries)

    count()  # it notes that the session is used
    few = count()
    for number in range(4):
        author = User.objects.create_user(f"author{number}")
        follow(user=eva, subject=author)
        follow(user=eva, subject=make_version(author, f"Bot {number}").bot)
        follow(user=eva, subject=open_season(game="battleline", edition=EDITIONS[number], title="Another"))
    assert count() == few


def test_an_address_is_confirmed_by_the_link_in_a_mail(eva: User, reader):
    client = reader(eva)
    client.post("/accounts/reauthenticate/", {"password": "eva's password"})
    client.post("/accounts/email/", {"action_add": "", "email": "eva@example.org"})
    assert find_confirmed_address(eva) is None
    (link,) = re.findall(r"http://testserver(/accounts/confirm-email/\S+/)", mail.outbox[0].body)
    client.post(link)
    assert find_confirmed_address(eva) == "eva@example.org"
