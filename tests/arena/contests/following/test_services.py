"""Each kind of news, from the services that cause it to what followers are told."""

from datetime import datetime, timedelta
from smtplib import SMTPServerDisconnected

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from django.utils.timezone import localdate, localtime, make_aware, now
from pytest_django.fixtures import Settings

from arena.bots.models import Bot, BotQuerySet, BotVersion
from arena.contests.following import services
from arena.contests.following.models import Follow, News, NewsPreference, Timing
from arena.contests.following.services import (
    attach_ladders,
    choose_timing,
    end_digests,
    find_follow,
    find_next_digest_time,
    follow,
    gather_news,
    list_follows,
    send_digest,
    send_due_digests,
    tell_followers,
    unfollow,
)
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.refitting import refit_ladder
from arena.contests.ladders.services.remote import create_remote_bot, declare_version
from arena.contests.ladders.services.seasons import close_season
from arena.contests.stories.services import tell_stories
from arena.contests.tournaments.models import Tournament
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Match
from arena.matches.services import queue_match, queue_trial
from arena.operations import tasks
from arena.operations.lifecycle import clean_up
from arena.people.accounts.models import User
from arena.people.accounts.services import choose_time_zone, find_time_zone
from arena.people.notices.models import Event, Notice
from tests.arena.contests.ladders.conftest import store_match
from tests.arena.contests.tournaments.world import begin, make_bots, play_out
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, MakeVersion, Play, make_deal_and_salts

ON_TRIAL = BotVersion.State.ON_TRIAL


@pytest.fixture
def eva(db: None) -> User:
    """A reader who has no bots."""
    return User.objects.create_user("eva")


def told(user: User) -> list[tuple[str, str]]:
    """What a user is told after one more round of the task, oldest first: texts and pages."""
    tasks.tell_news()
    notices = Notice.objects.filter(user=user, event=Event.FOLLOWED_NEWS).order_by("pk")
    return [(str(notice.text), notice.url) for notice in notices]


def pass_trial(version: BotVersion, play: Play) -> None:
    match = queue_trial(version=version)
    assert match and play(match)
    tasks.settle_match(match.pk)


def test_followers_hear_of_new_versions_once_a_day(
    ana: User, ben: User, eva: User, ladder: Ladder, make_version: MakeVersion, play: Play
):
    bot = make_version(ana, "Kingfisher").bot
    follow(user=eva, subject=bot)
    follow(user=ana, subject=bot)
    assert told(eva) == [], "it was accepted before, and without a trial"
    for number, source in ((2, FIRST_LEGAL + b"# 2"), (3, EXITS_AT_ONCE), (4, FIRST_LEGAL + b"# 4")):
        version = make_version(ana, "Kingfisher", source, ON_TRIAL)
        assert version.number == number
        pass_trial(version, play)
        assert told(eva) == [("Version 2 of Kingfisher was accepted.", "/bots/kingfisher/v/2/")], (
            "one that is rejected is none, and the next is the same news"
        )
    assert told(ana) == [] and told(ben) == [], "its owner had the notice of the trial"
    News.objects.update(happened_at=now() - timedelta(hours=25))
    assert told(eva)[1:] == [("Version 4 of Kingfisher was accepted.", "/bots/kingfisher/v/4/")]
    assert len(told(eva)) == 2


def test_followers_of_an_author_hear_of_a_new_bot(
    ana: User, eva: User, ladder: Ladder, make_version: MakeVersion, play: Play
):
    follow(user=eva, subject=ana)
    make_version(ana, "Old")
    pass_trial(make_version(ana, "Old", FIRST_LEGAL + b"# 2", ON_TRIAL), play)
    version = make_version(ana, "Kingfisher", FIRST_LEGAL, ON_TRIAL)
    assert told(eva) == [], "nobody knows yet whether it plays"
    follow(user=eva, subject=version.bot)
    pass_trial(version, play)
    assert told(eva) == [("ana has a new bot: Kingfisher (Battle Line).", "/bots/kingfisher/")], "and it is told once"
    pass_trial(make_version(ana, "Kingfisher", FIRST_LEGAL + b"# 2", ON_TRIAL), play)
    News.objects.update(happened_at=now() - timedelta(hours=25))
    Notice.objects.all().delete()
    assert [text for text, _url in told(eva)] == ["Version 2 of Kingfisher was accepted."]


def test_followers_hear_of_a_remote_bot_that_has_no_trial(ana: User, eva: User):
    follow(user=eva, subject=ana)
    bot = create_remote_bot(owner=ana, name="Far", game="battleline", declared="model X")
    assert told(eva) == [("ana has a new bot: Far (Battle Line).", "/bots/far/")]
    follow(user=eva, subject=bot)
    News.objects.update(happened_at=now() - timedelta(hours=25))
    declare_version(bot=bot, declared="model Y", by=ana)
    assert told(eva)[1:] == [("Version 2 of Far was accepted.", "/bots/far/v/2/")]


def play_ranked(ladder: Ladder, entries: list[Entry], *, rounds: int) -> None:
    """So many matches of each pair, of which the earlier bot wins two of three legs, until all have a rank."""
    legs = ([1, 2], [1, 2]), ([1, 2], [2, 1])
    pairs = [(one, other) for index, one in enumerate(entries) for other in entries[index + 1 :]]
    for number in range(rounds):
        for one, other in pairs:
            store_match(ladder, [one, other], legs[number % 2], minute=number)
    append_finished_matches(ladder=ladder)
    Ladder.objects.update(is_stale=True)
    assert refit_ladder(ladder=ladder)


def test_followers_of_bot_and_ladder_hear_once_of_the_leader_that_ratings_make(
    ana: User, ben: User, eva: User, ladder: Ladder, make_version: MakeVersion
):
    entries = [
        enter_version(ladder=ladder, version=make_version(owner, name))
        for owner, name in ((ana, "Kingfisher"), (ben, "Heron"))
    ]
    follow(user=eva, subject=ladder)
    follow(user=eva, subject=entries[0].version.bot)
    follow(user=ana, subject=ladder)
    follow(user=ben, subject=entries[1].version.bot)
    assert told(eva) == []
    play_ranked(ladder, entries, rounds=20)
    page = "/ladders/battleline/standard/"
    leads = ("Kingfisher took first place on the Battle Line ladder.", page)
    assert told(eva) == [leads] and told(ana) == [leads]
    assert told(ben) == [("Heron entered the top three on the Battle Line ladder.", page)]


def test_followers_hear_of_titles(eva: User, house: User):
    bots = make_bots(4)
    follow(user=eva, subject=bots[1])
    follow(user=eva, subject=bots[0].owner)
    follow(user=eva, subject=bots[3])
    tournament = begin(bots)
    assert told(eva) == []
    assert play_out(tournament).state == Tournament.State.FINISHED
    assert told(eva) == [
        ("Bot 1 won Autumn Cup.", "/tournaments/autumn-cup/"),
        ("Bot 2 finished 2nd in Autumn Cup.", "/tournaments/autumn-cup/"),
    ]
    assert len(told(eva)) == 2


@pytest.mark.parametrize("hidden", [{"state": "draft"}, {"visibility": "link"}])
def test_titles_of_a_tournament_that_was_hidden_are_not_told(eva: User, house: User, hidden: dict[str, str]):
    bots = make_bots(2)
    follow(user=eva, subject=bots[0])
    tournament = play_out(begin(bots))
    follow(user=tournament.organiser, subject=bots[0])
    gather_news()
    News.objects.update(happened_at=now())
    Tournament.objects.update(**hidden)
    assert told(eva) == []
    assert told(tournament.organiser) == [("Bot 1 won Autumn Cup.", "/tournaments/autumn-cup/")]


def test_followers_of_a_ladder_hear_of_its_seasons(eva: User, ana: User, ladder: Ladder, make_version: MakeVersion):
    enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    follow(user=eva, subject=ladder)
    assert told(eva) == []
    close_season(ladder=ladder)
    text = "Season 1 of the Battle Line ladder has finished; season 2 has started."
    assert told(eva) == [(text, "/ladders/battleline/standard/seasons/1/")]
    assert len(told(eva)) == 1


@pytest.fixture
def day(ana: User, ben: User, ladder: Ladder, make_version: MakeVersion, play: Play) -> Match:
    """A rated match of yesterday, which Ben's bot won against the odds."""
    entries = [
        enter_version(ladder=ladder, version=make_version(*who)) for who in ((ana, "Kingfisher"), (ben, "Heron"))
    ]
    versions = [one.version for one in entries]
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    rated = LadderMatch.objects.create(ladder=ladder, match=match)
    assert play(match)
    append_finished_matches(ladder=ladder)
    for entry, points, before in ((entries[0], 0.0, 1800), (entries[1], 1.0, 1500)):
        match.participants.filter(version=entry.version).update(points=points)
        rated.changes.filter(entry=entry).update(before=before)
    Match.objects.filter(pk=match.pk).update(finished_at=now() - timedelta(days=1))
    return match


def set_clock(monkeypatch: pytest.MonkeyPatch, hour: int) -> None:
    moment = timezone.localtime().replace(hour=hour, minute=30)
    monkeypatch.setattr(services, "localtime", lambda: moment)


def test_followers_hear_of_the_stories_of_a_day_once_it_is_over(
    day: Match, ana: User, ben: User, eva: User, ladder: Ladder, monkeypatch: pytest.MonkeyPatch
):
    follow(user=eva, subject=Bot.objects.get(slug="kingfisher"))
    follow(user=ben, subject=ladder)
    follow(user=ana, subject=ben)
    assert tell_stories(day=localdate() - timedelta(days=1)) == 3
    set_clock(monkeypatch, 2)
    assert told(eva) == [], "they may still be chosen anew"
    set_clock(monkeypatch, 3)
    page = f"/matches/{day.pk}/?leg="
    ((text, url),) = told(eva)
    assert text == "Heron won the match of the day against Kingfisher." and url.startswith(page)
    assert told(ben) == [(text, url)] and told(ana) == []
    upset = News.objects.get(kind=News.Kind.UPSET)
    assert upset.facts["chance"] == pytest.approx(0.151, abs=0.001)
    assert len(told(eva)) == 1, "the upset was the same match"


def test_an_upset_says_how_unlikely_it_was(day: Match, eva: User, monkeypatch: pytest.MonkeyPatch):
    follow(user=eva, subject=Bot.objects.get(slug="heron"))
    tell_stories(day=localdate() - timedelta(days=1))
    set_clock(monkeypatch, 12)
    gather_news()
    News.objects.filter(kind=News.Kind.MATCH_OF_THE_DAY).delete()
    tell_followers()
    sentence = "Biggest upset of the day: Heron beat Kingfisher; the ratings gave it a 15% chance."
    assert str(Notice.objects.get().text) == sentence


def test_gathering_twice_finds_nothing_new(day: Match, ladder: Ladder, monkeypatch: pytest.MonkeyPatch):
    tell_stories(day=localdate() - timedelta(days=1))
    close_season(ladder=ladder)
    set_clock(monkeypatch, 12)
    assert gather_news() == 3
    before = list(News.objects.values())
    assert gather_news() == 0 and list(News.objects.values()) == before


def test_what_happened_before_somebody_followed_is_not_told(eva: User, ladder: Ladder):
    close_season(ladder=ladder)
    gather_news()
    follow(user=eva, subject=ladder)
    assert told(eva) == []


def test_what_is_long_ago_is_no_news(eva: User, ladder: Ladder):
    follow(user=eva, subject=ladder)
    close_season(ladder=ladder)
    Ladder.objects.filter(pk=ladder.pk).update(closed_at=datetime(2020, 1, 1, tzinfo=timezone.get_default_timezone()))
    assert told(eva) == []


# Digests by mail: to whom, with what, and once.

AN_HOUR = timedelta(hours=1)


class Refusing(EmailBackend):
    """A mail server that hangs up."""

    def send_messages(self, messages):
        raise SMTPServerDisconnected("Connection unexpectedly closed")


@pytest.fixture
def version(ben: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ben, "Heron")


@pytest.fixture
def reader(ana: User, version: BotVersion) -> NewsPreference:
    """Ana follows Heron with a daily digest, which is due, and has a confirmed address and one that isn't."""
    EmailAddress.objects.create(user=ana, email="ana@example.org", verified=True)
    EmailAddress.objects.create(user=ana, email="typo@example.org", primary=True)
    follow(user=ana, subject=version.bot)
    choose_timing(user=ana, timing=Timing.DAILY, language="en", site="https://arena.example/")
    return make_due()


def make_due() -> NewsPreference:
    """The next digest is due, and what happened since the last is settled."""
    NewsPreference.objects.update(next_digest_at=now(), mailed_until=now() - 2 * AN_HOUR)
    News.objects.update(happened_at=now() - AN_HOUR)
    type(NewsPreference.objects.get().user.follows.get()).objects.update(created_at=now() - 3 * AN_HOUR)
    return NewsPreference.objects.get()


def add_news(version: BotVersion, number: int = 2) -> News:
    return News.objects.create(
        kind=News.Kind.VERSION,
        about=f"version {number}",
        bot=version.bot,
        facts={"version": number},
        happened_at=now() - AN_HOUR,
        told_at=now(),
    )


def test_a_digest_has_the_news_their_links_and_the_way_out(reader: NewsPreference, version: BotVersion):
    for number in (2, 3):
        add_news(version, number)
    tasks.send_digests()
    (sent,) = mail.outbox
    assert sent.to == ["ana@example.org"], "the primary address isn't confirmed"
    assert sent.subject == "[Pennant] 2 updates on what you follow"
    stop = f"https://arena.example/following/stop/{reader.unsubscribe_key}/"
    assert sent.body == (
        "Hello ana,\n\n"
        "Today's news about what you follow:\n\n"
        "- Version 2 of Heron was accepted.\n  https://arena.example/bots/heron/v/2/\n\n"
        "- Version 3 of Heron was accepted.\n  https://arena.example/bots/heron/v/3/\n\n"
        "-- \n"
        "Change what you follow and how you get news:\nhttps://arena.example/following/\n"
        f"Unsubscribe (no sign-in needed):\n{stop}\n"
    )
    assert sent.extra_headers["List-Unsubscribe"] == f"<{stop}>"
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert sent.content_subtype == "plain"


def test_it_is_sent_once_and_the_next_is_due_the_next_day(reader: NewsPreference, version: BotVersion):
    add_news(version)
    assert send_due_digests() == 1 and send_due_digests() == 0
    assert not send_digest(preference=reader), "a second worker that had read the row before is too late"
    after = NewsPreference.objects.get()
    assert timedelta(0) < after.next_digest_at - now() <= timedelta(days=1)
    NewsPreference.objects.update(next_digest_at=now())
    assert send_due_digests() == 0 and len(mail.outbox) == 1, "nothing has happened since"


def test_a_digest_that_is_due_at_once_has_nothing_from_before_it_was_chosen(
    reader: NewsPreference, version: BotVersion
):
    chosen_at = now()
    NewsPreference.objects.update(mailed_until=chosen_at, next_digest_at=chosen_at)
    add_news(version)
    News.objects.update(happened_at=chosen_at - timedelta(minutes=1))
    assert send_due_digests() == 0
    NewsPreference.objects.update(next_digest_at=now())
    assert send_due_digests() == 0 and NewsPreference.objects.get().mailed_until == chosen_at


def test_what_a_mail_server_refuses_is_tried_again(reader: NewsPreference, version: BotVersion, settings):
    add_news(version)
    settings.EMAIL_BACKEND = f"{__name__}.{Refusing.__name__}"
    assert send_due_digests() == 0
    waiting = NewsPreference.objects.get()
    assert now() < waiting.next_digest_at <= now() + services.RETRY_DELAY
    assert waiting.mailed_until == reader.mailed_until
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    NewsPreference.objects.update(next_digest_at=now())
    assert send_due_digests() == 1


@pytest.mark.parametrize("why", ["no confirmed address", "may not sign in", "no news", "not due", "wants none"])
def test_some_get_none(reader: NewsPreference, version: BotVersion, why: str):
    if why != "no news":
        add_news(version)
    if why == "no confirmed address":
        EmailAddress.objects.update(verified=False)
    if why == "may not sign in":
        User.objects.filter(pk=reader.user_id).update(is_active=False)
    if why == "not due":
        NewsPreference.objects.update(next_digest_at=now() + AN_HOUR)
    if why == "wants none":
        choose_timing(user=reader.user, timing=Timing.NEVER, language="en", site="")
    assert send_due_digests() == 0 and mail.outbox == []


def test_what_a_reader_may_no_longer_see_is_not_sent(
    reader: NewsPreference, version: BotVersion, monkeypatch: pytest.MonkeyPatch
):
    add_news(version)
    cleo = User.objects.create_user("cleo")
    follow(user=cleo, subject=version.bot)
    News.objects.create(kind=News.Kind.VERSION, about="version 9", bot=version.bot, facts={"version": 9})
    monkeypatch.setattr(BotQuerySet, "visible_to", lambda bots, who: bots.exclude(owner__username="ben"))
    assert tell_followers() == 1 and not Notice.objects.exists()
    assert send_due_digests() == 0 and mail.outbox == []


def test_news_of_one_thing_are_told_once(reader: NewsPreference, version: BotVersion):
    news = add_news(version)
    news.pk, news.kind, news.ladder = None, News.Kind.PLACE, None
    news.facts = {"before": 3, "after": 1}
    news.save()
    send_due_digests()
    assert mail.outbox[0].subject == "[Pennant] 1 update on what you follow"


def test_a_weekly_digest_is_in_the_language_it_was_chosen_in(
    reader: NewsPreference, version: BotVersion, ladder: Ladder
):
    follow(user=reader.user, subject=ladder)
    choose_timing(user=reader.user, timing=Timing.WEEKLY, language="hu", site="http://localhost:8000/")
    close_season(ladder=ladder)
    gather_news()
    type(reader.user.follows.first()).objects.update(created_at=now() - 3 * AN_HOUR)
    NewsPreference.objects.update(next_digest_at=now(), mailed_until=now() - 2 * AN_HOUR)
    News.objects.update(happened_at=now() - AN_HOUR)
    assert send_due_digests() == 1
    assert "http://localhost:8000/ladders/battleline/standard/seasons/1/" in mail.outbox[0].body


def test_a_long_digest_is_cut(reader: NewsPreference, version: BotVersion, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(services, "MAX_NEWS_IN_DIGEST", 2)
    for number in range(2, 7):
        add_news(version, number)
    send_due_digests()
    (sent,) = mail.outbox
    assert sent.body.count("\n- ") == 2 and "And 3 more." in sent.body


# Who follows what, and how news arrive.

WORDS = {"language": "en", "site": "https://arena.example/"}


def test_whatever_is_followed_twice_is_followed_once(ana: User, ben: User, ladder: Ladder, make_version: MakeVersion):
    bot = make_version(ben, "Heron").bot
    for subject in (bot, ben, ladder):
        first, is_new = follow(user=ana, subject=subject)
        assert is_new and follow(user=ana, subject=subject) == (first, False)
        assert find_follow(ana, subject) == first and find_follow(ben, subject) is None
    assert Follow.objects.count() == 3
    for subject in (bot, ben, ladder):
        assert unfollow(user=ana, subject=subject) and not unfollow(user=ana, subject=subject)
    assert not Follow.objects.exists()


def test_a_ladder_is_followed_through_its_seasons(ana: User, ladder: Ladder):
    follow(user=ana, subject=ladder)
    following_season = close_season(ladder=ladder)
    assert find_follow(ana, following_season)
    (listed,) = follows = list(list_follows(ana))
    attach_ladders(follows)
    assert listed.ladder == following_season


def test_nobody_follows_themselves(ana: User):
    with pytest.raises(ArenaError, match="yourself"):
        follow(user=ana, subject=ana)


def test_nobody_follows_more_than_the_maximum(ana: User, ben: User, ladder: Ladder, monkeypatch):
    monkeypatch.setattr(services, "MAX_FOLLOWS_PER_USER", 1)
    follow(user=ana, subject=ladder)
    with pytest.raises(Conflict, match="the maximum"):
        follow(user=ana, subject=ben)
    follow(user=ana, subject=ladder)


def test_what_is_gone_is_followed_no_more(ana: User, ben: User, make_version: MakeVersion):
    version = make_version(ben, "Heron")
    follow(user=ana, subject=version.bot)
    follow(user=ana, subject=ben)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert [one.bot for one in list_follows(ana)] == [version.bot]
    version.bot.delete()
    assert Follow.objects.get().author == ben


@pytest.mark.parametrize(
    ("timing", "at", "due"),
    [
        (Timing.DAILY, datetime(2026, 5, 4, 6, 59), datetime(2026, 5, 4, 7)),
        (Timing.DAILY, datetime(2026, 5, 4, 7), datetime(2026, 5, 5, 7)),
        (Timing.WEEKLY, datetime(2026, 5, 4, 6), datetime(2026, 5, 4, 7)),
        (Timing.WEEKLY, datetime(2026, 5, 4, 7), datetime(2026, 5, 11, 7)),
        (Timing.WEEKLY, datetime(2026, 5, 10, 23), datetime(2026, 5, 11, 7)),
        (Timing.DAILY, datetime(2026, 10, 24, 12), datetime(2026, 10, 25, 7)),
    ],
)
def test_digests_are_due_at_seven_where_the_arena_is(settings, timing: Timing, at: datetime, due: datetime):
    settings.TIME_ZONE = "Europe/Budapest"
    assert find_next_digest_time(timing, make_aware(at)) == make_aware(due)
    assert find_next_digest_time(Timing.AT_ONCE, make_aware(at)) is None


def test_digests_are_due_at_seven_where_its_reader_is(ana: User):
    choose_time_zone(user=ana, name="Asia/Tokyo")
    preference = choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    assert localtime(preference.next_digest_at, find_time_zone(ana)).hour == 7


def make_news(version, about: str = "version 1", **fields) -> News:
    return News.objects.create(
        kind=News.Kind.VERSION, about=about, bot=version.bot, facts={"version": version.number}, **fields
    )


def test_no_news_is_lost_by_another_choice(ana: User, ben: User, make_version: MakeVersion):
    version = make_version(ben, "Heron")
    follow(user=ana, subject=version.bot)
    make_news(version)
    choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    notice = Notice.objects.get()
    assert (notice.user, notice.event, notice.url) == (ana, Event.FOLLOWED_NEWS, "/bots/heron/v/1/")
    make_news(version, "version 2", told_at=now())
    choose_timing(user=ana, timing=Timing.WEEKLY, **WORDS)
    assert Notice.objects.count() == 1
    choose_timing(user=ana, timing=Timing.AT_ONCE, **WORDS)
    assert Notice.objects.count() == 2


def test_a_new_choice_of_the_same_changes_no_digest(ana: User):
    before = choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    NewsPreference.objects.update(mailed_until=now() - timedelta(days=1))
    after = choose_timing(user=ana, timing=Timing.DAILY, language="hu", site=WORDS["site"])
    assert after.mailed_until < before.mailed_until and after.next_digest_at == before.next_digest_at
    assert after.language == "hu"


def test_whoever_ends_digests_reads_the_news_on_the_site(ana: User, ben: User, make_version: MakeVersion):
    version = make_version(ben, "Heron")
    follow(user=ana, subject=version.bot)
    preference = choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    make_news(version, told_at=now())
    for _ in range(2):
        end_digests(preference=preference)
        preference.refresh_from_db()
        assert (preference.timing, preference.next_digest_at) == (Timing.AT_ONCE, None)
        assert Notice.objects.count() == 1


def test_the_link_in_old_mails_wakes_nothing(ana: User):
    preference = choose_timing(user=ana, timing=Timing.NEVER, **WORDS)
    end_digests(preference=preference)
    assert NewsPreference.objects.get().timing == Timing.NEVER


def test_old_news_are_removed_later_than_notices_of_them(
    ana: User, ben: User, make_version: MakeVersion, settings: Settings
):
    settings.NOTICE_RETENTION_DAYS = 30
    version = make_version(ben, "Heron")
    for days in (29, 31, 39):
        make_news(version, f"version {days}", happened_at=now() - timedelta(days=days))
    removed = {one.kind: one.rows for one in clean_up()}
    assert removed["news"] == 1 and News.objects.count() == 2
