import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.bots.models import BotVersion, Token
from arena.bots.services import create_bot
from arena.bots.teams import find_token, issue_token
from arena.contests.following.models import Follow, News, NewsPreference, Timing
from arena.contests.following.services import choose_timing, follow, tell_followers
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.seasons import open_season
from arena.contests.tournaments.models import Tournament
from arena.pages.account import settings
from arena.pages.tournaments.forms import TournamentForm
from arena.people.accounts.models import User
from arena.people.accounts.names import find_confirmed_address
from arena.people.accounts.services import find_time_zone, list_time_zones
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import notify_user
from engine.registry import GAMES
from tests.arena.contests.tournaments.world import make_organiser, make_tournament
from tests.arena.pages.remote_rows import open_ladder
from tests.conftest import MakeVersion


def test_whoever_comes_may_set_look_and_language(db):
    page = Client().get("/settings/").text
    for word in ('name="theme"', 'name="language"', "Sign in for more settings"):
        assert word in page
    assert "/tokens/" not in page and "Change password" not in page


def test_an_author_finds_all_that_is_theirs(eva, reader):
    page = reader(eva).get("/settings/").text
    for word in (
        "/accounts/password/change/",
        "/accounts/email/",
        "/tokens/",
        "/webhooks/",
        "/notices/",
        "/authors/eva/",
    ):
        assert word in page


def test_the_language_is_chosen_at_the_top_of_any_page(db):
    client = Client()
    assert 'lang="en"' in client.get("/matches/").text
    client.post("/language/", {"language": "hu", "next": "/matches/"})
    assert '<html lang="hu"' in client.get("/matches/").text


# The button, the list of what is followed, and the link that ends mails.

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
    assert client.get(page).context["follow"] == {"url": toggle, "is_followed": False}
    assert 'value="yes" aria-pressed="false">Follow<' in client.get(page).text
    answer = client.post(toggle, {"follow": "yes"}, follow=True)
    assert answer.redirect_chain == [(page, 302)] and answer.context["follow"]["is_followed"]
    assert f"You're now following {name}." in unescape(answer.text) and 'value="no" aria-pressed="true"' in answer.text
    answer = client.post(toggle, {"follow": "no", "back": "list"}, follow=True)
    assert answer.redirect_chain == [("/following/", 302)] and not Follow.objects.exists()


def test_an_open_ladder_is_followed_apart_from_the_other_of_its_edition(eva: User, ladder: Ladder, reader):
    follow(user=eva, subject=ladder)
    open_ladder("slow", title="Battle Line, Standard: slow open ladder")
    client, page = reader(eva), "/ladders/battleline/standard/slow/"
    shown = client.get(page)
    assert shown.context["follow"]["is_followed"] is False
    assert 'aria-pressed="false">Follow<span class="hidden-text"> Battle Line, Standard: slow open ladder' in shown.text
    answer = client.post(f"/following{page}", {"follow": "yes"}, follow=True)
    assert answer.redirect_chain == [(page, 302)] and answer.context["follow"]["is_followed"]
    rows = client.get("/following/").context["rows"]
    assert [(row["name"], row["url"]) for row in rows] == [
        ("Battle Line, Standard: slow open ladder", page),
        ("Battle Line", "/ladders/battleline/standard/"),
    ]
    client.post(f"/following{page}", {"follow": "no"})
    assert [one.clock for one in Follow.objects.all()] == [""]
    assert client.post("/following/ladders/battleline/standard/open/", {"follow": "yes"}).status_code == 404


@pytest.mark.parametrize(("page", "toggle", "name"), PAGES)
def test_whoever_is_not_signed_in_is_led_there(client: Client, version: BotVersion, page: str, toggle: str, name: str):
    answer = client.get(page)
    assert answer.context["follow"]["is_followed"] is None
    assert f'href="/accounts/login/?next={page}"' in answer.text and toggle not in answer.text
    assert client.post(toggle).status_code == 302 and not Follow.objects.exists()


def test_what_is_not_there_is_not_followed(eva: User, ladder: Ladder, reader):
    for toggle in ("bots/none", "authors/none", "ladders/battleline/none", "ladders/none/standard"):
        assert reader(eva).post(f"/following/{toggle}/", {"follow": "yes"}).status_code == 404
    assert reader(eva).get("/following/authors/eva/").status_code == 405
    answer = reader(eva).post("/following/authors/eva/", {"follow": "yes"}, follow=True)
    assert "You can&#x27;t follow yourself" in answer.text
    assert "Follow<" not in answer.text, "there is no button on one's own page"


def test_the_list_has_pages_and_an_empty_state(eva: User, version: BotVersion, ladder: Ladder, reader, monkeypatch):
    assert "You don't follow anything yet" in reader(eva).get("/following/").text
    monkeypatch.setattr(settings, "FOLLOWS_PER_PAGE", 2)
    for subject in (version.bot, version.bot.owner, ladder):
        follow(user=eva, subject=subject)
    first = reader(eva).get("/following/")
    rows = first.context["rows"]
    assert [(row["kind"], row["name"]) for row in rows] == [("Ladder", "Battle Line"), ("Author", "ben")]
    second = reader(eva).get(f"/following/?before={first.context['page'].older}")
    assert [(row["kind"], row["url"]) for row in second.context["rows"]] == [("Bot", "/bots/heron/")]
    assert "3 bots, authors and ladders" in reader(eva).get("/settings/").text


def test_a_reader_chooses_how_news_arrive(eva: User, version: BotVersion, reader):
    client = reader(eva)
    assert client.get("/following/").context["form"]["timing"].initial == "at_once"
    answer = client.post("/following/", {"timing": "weekly"}, follow=True)
    preference = NewsPreference.objects.get(user=eva)
    assert (preference.timing, preference.site, preference.language) == ("weekly", "http://testserver/", "en")
    assert "No email is sent until you confirm an address" in answer.text
    EmailAddress.objects.create(user=eva, email="eva@example.org", verified=True)
    assert "Email goes to eva@example.org" in client.get("/following/").text
    assert client.post("/following/", {"timing": "hourly"}).status_code == 400
    assert "Weekly, by email" in client.get("/settings/").text


def test_the_link_in_a_mail_ends_digests_without_signing_in(eva: User, version: BotVersion):
    preference = choose_timing(user=eva, timing=Timing.DAILY, language="en", site="http://testserver/")
    client, address = Client(enforce_csrf_checks=True), f"/following/stop/{preference.unsubscribe_key}/"
    page = client.get(address)
    assert "Unsubscribe" in page.text and "no-store" in page["Cache-Control"]
    assert NewsPreference.objects.get().timing == Timing.DAILY, "programs that look at links end nothing"
    answer = client.post(address, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200 and "You don't get digests" in answer.text
    assert NewsPreference.objects.get().timing == Timing.AT_ONCE
    assert client.get("/following/stop/somebody-elses/").status_code == 404


def test_news_stand_among_the_notices(eva: User, version: BotVersion, reader):
    follow(user=eva, subject=version.bot)
    News.objects.create(kind=News.Kind.VERSION, about="version 2", bot=version.bot, facts={"version": 2})
    tell_followers()
    assert Notice.objects.get().url == "/bots/heron/v/2/"
    assert "Version 2 of Heron was accepted." in reader(eva).get("/notices/").text


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


# The time zone of an account: chosen in the settings, and used by pages and forms.

PAGE = "/settings/time-zone/"


@pytest.fixture
def text_of() -> Callable[..., str]:
    """What is read of a page."""
    return lambda page: re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))


def test_it_is_picked_from_a_list_typed_in_any_case_and_taken_back(eva: User, reader, text_of) -> None:
    client = reader(eva)
    assert "<option>Asia/Tokyo</option>" in client.get(PAGE).text
    for typed, stored in (("Asia/Tokyo", "Asia/Tokyo"), (" america/new york ", "America/New_York"), ("", "")):
        answer = client.post(PAGE, {"time_zone": typed}, follow=True)
        assert answer.redirect_chain == [("/settings/", 302)]
        eva.refresh_from_db()
        assert eva.time_zone == stored
        assert f"Time zone {stored or 'Browser default'}" in text_of(answer)


def test_an_unknown_one_is_refused_where_it_is_typed(eva: User, reader) -> None:
    answer = reader(eva).post(PAGE, {"time_zone": "Europe/Atlantis"})
    assert answer.status_code == 400
    assert answer.context["form"].errors["time_zone"] == [
        "No time zone called Europe/Atlantis. Pick one from the list."
    ]
    eva.refresh_from_db()
    assert eva.time_zone == ""


def test_a_zone_that_this_machine_does_not_know_counts_as_none(eva: User, reader) -> None:
    eva.time_zone = "Europe/Atlantis"
    eva.save()
    assert find_time_zone(eva) is None
    assert reader(eva).get("/settings/").status_code == 200


def test_those_offered_have_each_zone_by_one_name() -> None:
    offered = list_time_zones()
    assert {"UTC", "Europe/Budapest", "America/Argentina/Buenos_Aires"} <= set(offered)
    assert not [name for name in offered if name.startswith(("Etc/", "US/", "posix"))]


@pytest.fixture
def tournament(db: None) -> Tournament:
    made = make_tournament()
    made.entries_close_at = datetime(2030, 7, 1, 12, 0, tzinfo=UTC)
    made.save()
    return made


def test_pages_show_deadlines_in_it_though_they_are_kept_for_all(tournament, eva: User, ben: User, reader, text_of):
    eva.time_zone = "Asia/Tokyo"
    eva.save()
    own, other, nobody = reader(eva), reader(ben), Client()
    for _ in range(2):
        for client, time in ((own, "21:00 JST"), (other, "12:00 UTC"), (nobody, "12:00 UTC")):
            page = client.get(tournament.get_absolute_url())
            assert time in text_of(page), time
            assert ('data-time-zone="Asia/Tokyo"' in page.text) == (client is own)


def test_forms_name_it_and_read_deadlines_in_it(reader, tournament) -> None:
    organiser = make_organiser()
    organiser.time_zone = "Asia/Tokyo"
    organiser.save()
    client, address = reader(organiser), f"{tournament.get_absolute_url()}edit/"
    page = client.get(address)
    form: TournamentForm = page.context["form"]
    assert "Time zone: Asia/Tokyo." in str(form.fields["entries_close_at"].help_text)
    assert 'value="2030-07-01T21:00"' in page.text
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    answer = client.post(address, sent | {"entries_close_at": "2030-07-02T09:30"})
    assert answer.status_code == 302, answer.context["form"].errors
    tournament.refresh_from_db()
    assert tournament.entries_close_at == datetime(2030, 7, 2, 0, 30, tzinfo=UTC)


def test_the_api_stays_in_the_zone_of_the_arena(tournament, eva: User, reader) -> None:
    eva.time_zone = "Asia/Tokyo"
    eva.save()
    found = reader(eva).get(f"/api/v1/tournaments/{tournament.slug}/").json()
    assert found["entries_close_at"] == "2030-07-01T12:00:00Z"


URL = "https://8.8.8.8/hook"


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_new_notice_is_counted_in_the_frame_until_it_is_read(ana: User, ben: User) -> None:
    notify_user(user=ana, event=Event.SUSPENDED, text="K <b>was</b> suspended.", url="/bots/k/")
    reader = logged_in(ana)
    assert "1 new" in reader.get("/start/").content.decode()
    assert "1 new" not in logged_in(ben).get("/start/").content.decode()
    page = reader.get("/notices/").content.decode()
    assert "K &lt;b&gt;was&lt;/b&gt; suspended." in page and 'href="/bots/k/"' in page
    assert "1 new" not in reader.get("/start/").content.decode()


def test_a_webhook_is_added_tested_and_deleted(ana: User) -> None:
    owner = logged_in(ana)
    answer = owner.post("/webhooks/", {"url": URL, "events": [Event.TRIAL_FINISHED]}, follow=True)
    webhook = Webhook.objects.get()
    assert webhook.key in answer.content.decode() and webhook.events == ["trial.finished"]
    owner.post(f"/webhooks/{webhook.pk}/test/")
    assert Delivery.objects.get().event == Event.PING
    assert "ping" in owner.get(f"/webhooks/{webhook.pk}/").content.decode()
    Webhook.objects.update(is_active=False)
    assert "Enable webhook" in owner.get(f"/webhooks/{webhook.pk}/").content.decode()
    owner.post(f"/webhooks/{webhook.pk}/enable/")
    assert Webhook.objects.get().is_active
    owner.post(f"/webhooks/{webhook.pk}/delete/")
    assert not Webhook.objects.exists()


def test_an_address_inside_is_refused_beside_its_field(ana: User) -> None:
    answer = logged_in(ana).post("/webhooks/", {"url": "http://127.0.0.1:6379/", "events": [Event.TRIAL_FINISHED]})
    assert answer.status_code == 400 and not Webhook.objects.exists()
    assert "arena&#x27;s own network" in answer.content.decode()
    assert answer.context["form"].errors["url"]


def test_the_list_of_notices_has_pages(ana: User) -> None:
    Notice.objects.bulk_create(Notice(user=ana, event=Event.TRIAL_FINISHED, text=f"No. {n}.") for n in range(40))
    first = logged_in(ana).get("/notices/")
    assert "No. 39." in first.content.decode() and "No. 5." not in first.content.decode()
    older = logged_in(ana).get(f"/notices/?before={first.context['page'].older}")
    assert "No. 5." in older.content.decode()


def text_in(page: str) -> str | None:
    found = re.search(r"pnt_[\w-]{43}", page)
    return found and found[0]


def test_a_new_token_is_shown_this_once(reader, ana: User):
    bot = create_bot(owner=ana, name="Kingfisher", game="battleline")
    client = reader(ana)
    answer = client.post("/tokens/", {"name": "CI", "bot": bot.pk})
    text = text_in(answer.text)
    assert text is not None and find_token(text).bot == bot
    assert "no-store" in answer["Cache-Control"]
    page = client.get("/tokens/").text
    assert text_in(page) is None and text[:8] in page and "Kingfisher" in page


def test_a_token_may_be_for_all_bots(reader, ana: User):
    text = text_in(reader(ana).post("/tokens/", {"name": "CI", "bot": ""}).text)
    assert find_token(text).bot is None


def test_what_is_wrong_is_said_and_nothing_is_made(reader, ana: User, eva: User):
    strange = create_bot(owner=eva, name="Heron", game="battleline")
    for form, sentence in (({"name": " "}, "This field is required."), ({"name": "CI", "bot": strange.pk}, "valid")):
        answer = reader(ana).post("/tokens/", form)
        assert answer.status_code == 400 and sentence in answer.text
    assert not Token.objects.exists()


def test_a_token_is_revoked_by_its_button(reader, ana: User):
    token, text = issue_token(owner=ana, name="CI")
    client = reader(ana)
    assert f'action="/tokens/{token.pk}/revoke/"' in client.get("/tokens/").text
    assert client.get(f"/tokens/{token.pk}/revoke/").status_code == 405
    page = client.post(f"/tokens/{token.pk}/revoke/", follow=True).text
    assert "Token revoked." in page and "No tokens yet." in page and find_token(text) is None
