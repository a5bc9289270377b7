import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import localdate

from arena.bots.models import Bot, BotVersion
from arena.bots.services import create_bot
from arena.contests.ladders.models import Entry, LadderMatch, PairStat, RatingChange, RatingPoint
from arena.contests.ladders.queries import Place
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.tournaments.models import Tournament
from arena.matches.models import Leg, Match, VerdictCount
from arena.matches.queries import attach_verdicts, list_newest_participants
from arena.matches.services import queue_match
from arena.pages.bots import bot_page
from arena.pages.bots.bot_page import Tally, describe_streak, join_ladder_titles, read_recent_form
from arena.pages.matches import results
from arena.pages.svg.charts import (
    ChartPoint,
    compute_moving_average,
    draw_rating_history,
    draw_result_squares,
    draw_score_trend,
)
from arena.people.groups.models import Group, Membership
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import EXITS_AT_ONCE, make_deal_and_salts


def test_a_site_without_bots_invites_one(db):
    page = Client().get("/bots/").text
    assert "No bots uploaded yet" in page


def test_bots_are_listed_with_rating_and_state(finished, reader):
    page = Client().get("/bots/").text
    for word in ("Kingfisher", "ana", "Heron", "ben", "provisional"):
        assert word in page


def test_one_may_look_at_ones_own_bots_only(finished, reader, ana, eva):
    assert [card["bot"].name for card in reader(ana).get("/bots/?mine=1").context["cards"]] == ["Kingfisher"]
    assert "You don't have any bots yet" in reader(eva).get("/bots/?mine=1").text
    assert len(Client().get("/bots/?mine=1").context["cards"]) == 2


def test_levels_fold_into_their_bot(house, ana, make_version):
    for owner, name in ((house, "marshal"), (house, "marshal-2"), (house, "marshal-1"), (ana, "Kestrel")):
        make_version(owner, name)
    cards = Client().get("/bots/").context["cards"]
    assert {card["bot"].name: [one.name for one in card["levels"]] for card in cards} == {
        "Kestrel": [],
        "marshal": ["marshal-1", "marshal-2"],
    }
    for words, names in (("marsh", ["marshal"]), ("marshal-2", ["marshal-2"])):
        assert [card["bot"].name for card in Client().get(f"/bots/?q={words}").context["cards"]] == [*names]


def test_a_card_has_the_ladders_that_a_bot_leads_its_titles_and_its_month(finished, house):
    """Kingfisher leads, won a tournament, and has played on two days."""
    entry = Entry.objects.get(version__bot__slug="kingfisher")
    Entry.objects.filter(pk=entry.pk).update(is_ranked=True, place_low=1, place_high=3, rating=1700)
    Tournament.objects.create(
        title="Cup", slug="cup", organiser=house, game="battleline", edition="standard", settings={}, state="finished"
    ).entrants.create(bot=entry.version.bot, version=entry.version, number=1, place=1)
    RatingPoint.objects.create(
        entry=entry, day=localdate() - timedelta(days=3), rating=1600, deviation=50, matches=9, rank=1
    )
    cards = {card["bot"].slug: card for card in Client().get("/bots/").context["cards"]}
    card = cards["kingfisher"]
    assert [one.pk for one in card["leads"]] == [entry.pk] and card["titles"] == 1
    assert card["trend"] is not None and card["trend"].ratings == (1600, 1700)
    assert cards["heron"]["leads"] == [] and cards["heron"]["titles"] == 0
    assert "place 1–3" in Client().get("/bots/").text


def test_a_group_is_named_on_the_card_of_its_bot_to_members_alone(ana, ben, reader):
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=ana, role="owner")
    create_bot(owner=ana, name="Kestrel", game="battleline", group=group)
    assert "Class 10.b" in reader(ana).get("/bots/").text
    assert "Kestrel" not in reader(ben).get("/bots/").text and "Class 10.b" not in reader(ben).get("/bots/").text


def test_bots_are_found_by_name_game_and_language(ana, ben, make_version):
    make_version(ana, "Kingfisher")
    make_version(ben, "Heron", game="battalion")
    create_bot(owner=ben, name="Egg", game="battleline")

    def found(query: str) -> list[str]:
        return [card["bot"].name for card in Client().get(f"/bots/?{query}").context["cards"]]

    assert found("q=KING") == ["Kingfisher"]
    assert found("game=battalion") == ["Heron"]
    assert found("language=python") == ["Heron", "Kingfisher"]
    assert found("game=battleline&language=rust") == [] and len(found("game=chess")) == 3
    page = Client().get("/bots/?q=%3Cb%3E").text
    assert "No bots match these filters." in page and "<b>" not in page and 'value="&lt;b&gt;"' in page


def test_an_unknown_bot_is_not_found(db):
    assert Client().get("/bots/nobody/").status_code == 404


@pytest.mark.parametrize("who", ["ana", "eva", None])
def test_only_the_owner_is_offered_an_upload(finished, reader, who, request):
    client = reader(request.getfixturevalue(who) if who else None)
    assert ('href="/bots/kingfisher/upload/"' in client.get("/bots/kingfisher/").text) is (who == "ana")


def test_the_page_of_the_strongest_sample_says_that_it_thinks_less_on_ladders(house, ana, make_version, ladder):
    for owner, name in ((house, "marshal"), (house, "careful"), (ana, "Kestrel")):
        enter_version(ladder=ladder, version=make_version(owner, name))
    sentence = "On ladders, marshal thinks less than at the table"
    assert [sentence in Client().get(f"/bots/{slug}/").text for slug in ("marshal", "careful", "kestrel")] == [
        True,
        False,
        False,
    ]


def test_a_bot_has_its_rating_matches_and_a_clean_record(finished):
    page = Client().get("/bots/kingfisher/")
    assert page.context["place"] is None and "provisional" in page.text
    assert [row.match for row in page.context["rows"]] == [finished]
    assert page.context["rows"][0].own.version.bot.name == "Kingfisher"
    assert "No crash, timeout or illegal action in 2 legs." in page.text
    entry = page.context["entry"]
    assert f"± {entry.margin_95:.0f}" in page.text


def test_a_place_counts_those_before_it_and_has_a_plausible_range(finished):
    Entry.objects.update(is_ranked=True, place_low=1, place_high=2, rating=1600)
    Entry.objects.filter(version__bot__slug="heron").update(rating=1700)
    for slug, place in (("heron", 1), ("kingfisher", 2)):
        page = Client().get(f"/bots/{slug}/")
        assert page.context["place"] == Place(place, 2, 1, 2)
        assert "plausibly 1 to 2 of 2" in page.text


def test_lists_tell_what_a_match_did_to_a_rating(finished, versions):
    before, after = RatingChange.objects.values_list("before", "after").get(entry__version=versions[0])
    row = Client().get("/bots/kingfisher/").context["rows"][0]
    assert row.own.change == results.RatingChange(after - before, False)
    everywhere = Client().get("/matches/").text
    assert everywhere.count('<span class="change') == 2
    LadderMatch.objects.update(void_sequence=2)
    assert "cancelled" in Client().get("/bots/kingfisher/").text


def test_a_match_that_is_for_no_ladder_is_marked_unrated(versions, play):
    assert play(queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts()))
    for address in ("/matches/", "/bots/kingfisher/"):
        assert "unrated" in Client().get(address).text


def test_the_history_of_a_rating_is_drawn_by_match_and_by_day(finished, versions):
    page = Client().get("/bots/kingfisher/")
    assert not page.context["history"]["by_day"] and 'class="history"' in page.text
    entry = page.context["entry"]
    for days, rating in ((1, 1600), (2, 1550), (3, 1500)):
        day = localdate() - timedelta(days=days)
        RatingPoint.objects.create(entry=entry, day=day, rating=rating, deviation=50, matches=4 - days)
    history = Client().get("/bots/kingfisher/").context["history"]
    assert history["by_day"]
    assert [point.rating for point in history["points"]] == [entry.rating, 1600, 1550, 1500]
    assert not Client().get("/bots/kingfisher/?history=matches").context["history"]["by_day"]


def test_head_to_head_compares_with_what_ratings_tell(finished, versions):
    own, other = (Entry.objects.get(version=version) for version in versions)
    Entry.objects.filter(pk__in=[own.pk, other.pk]).update(rating=1500)
    PairStat.objects.all().delete()
    low, high = sorted((own, other), key=lambda entry: entry.pk)
    PairStat.objects.create(ladder_id=own.ladder_id, low=low, high=high, seats=2, matches=4, halves=12, squares=40)
    PairStat.objects.create(ladder_id=own.ladder_id, low=low, high=high, seats=3, matches=1, halves=6, squares=36)
    rival = Client().get(f"/bots/{low.version.bot.slug}/").context["rivals"][0]
    assert (rival["entry"], rival["matches"], rival["score"]) == (high, 5, 0.8)
    assert rival["surplus"] == pytest.approx(30)
    rival = Client().get(f"/bots/{high.version.bot.slug}/").context["rivals"][0]
    assert (rival["entry"], rival["matches"], rival["score"]) == (low, 5, pytest.approx(0.2))
    assert rival["surplus"] == pytest.approx(-30)


def test_a_suspended_bot_says_why_and_its_owner_resumes_it(finished, reader, ana, eva):
    entries = Entry.objects.filter(version__bot__slug="kingfisher")
    entries.update(state=Entry.State.SUSPENDED, state_reason="It failed three times in a row.")
    assert "It failed three times in a row." in Client().get("/bots/kingfisher/").text
    assert "Resume" not in reader(eva).get("/bots/kingfisher/").text
    assert "Resume" in reader(ana).get("/bots/kingfisher/").text
    assert Client().post("/bots/kingfisher/resume/").status_code == 302
    assert reader(eva).post("/bots/kingfisher/resume/").status_code == 403
    assert reader(ana).get("/bots/kingfisher/resume/").status_code == 405
    assert not entries.filter(state=Entry.State.ACTIVE).exists()
    assert "Kingfisher plays again." in reader(ana).post("/bots/kingfisher/resume/", follow=True).text
    assert entries.filter(state=Entry.State.ACTIVE).exists()


def test_an_owner_pauses_a_bot(finished, reader, ana, eva):
    assert reader(eva).post("/bots/kingfisher/pause/").status_code == 403
    page = reader(ana).post("/bots/kingfisher/pause/", follow=True).text
    assert "Kingfisher is paused." in page and page.count("Paused by its owner.") == 1
    assert Entry.objects.get(version__bot__slug="kingfisher").state == Entry.State.SUSPENDED


def test_ladders_in_a_sentence_share_the_name_of_their_game():
    assert join_ladder_titles(["Battle Line, Short"]) == "Battle Line, Short"
    assert join_ladder_titles(["Battle Line, Short", "Battle Line, Long"]) == "Battle Line: Short and Long"
    assert join_ladder_titles(["Battle Line, Short", "Battalion, Light"]) == "Battle Line, Short; Battalion, Light"


def test_the_newest_matches_of_all_versions_are_found(ana, ben, make_version, monkeypatch):
    monkeypatch.setattr(bot_page, "MATCHES_SHOWN", 3)
    other, made = make_version(ben, "Heron"), []
    older, newer = make_version(ana, "Kingfisher"), make_version(ana, "Kingfisher")
    for version in (older, newer, older, older, older, newer):
        made.append(queue_match(versions=[version, other], game="battleline", edition="standard").pk)
    VerdictCount.objects.create(version=older, verdict="ok", legs=8)
    assert "Waiting for its first match." in Client().get("/bots/kingfisher/").text
    assert "No worker has reported" in Client().get("/bots/kingfisher/").text
    Match.objects.update(state=Match.State.FINISHED)
    assert [row.match.pk for row in Client().get("/bots/kingfisher/").context["rows"]] == made[:2:-1]
    assert list(list_newest_participants(attach_verdicts([older, newer]), 2)) == made[:3:-1]


def test_faults_are_counted_and_lead_to_their_matches(ana, ben, make_version, play):
    versions = [make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")]
    match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    assert play(match)
    page = Client().get("/bots/quitter/")
    assert [(one["kind"].key, one["legs"]) for one in page.context["health"]["counts"] if one["legs"]] == [("crash", 2)]
    assert "Didn&#x27;t start" in page.text and f"/matches/{match.pk}/?leg=1&amp;turn=fault-0" in page.text
    assert "I give up" not in page.text


def test_the_last_failure_is_told_to_the_owner_in_words(ana, ben, eva, make_version, play, reader):
    versions = [make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")]
    assert play(queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts()))
    for user, is_told in ((ana, True), (eva, False), (None, False)):
        page = reader(user).get("/bots/quitter/").text
        assert "Last failure" in page
        assert ("I give up" in page) is is_told and ("Its input and full log" in page) is is_told


def test_matches_are_chosen_by_kind(finished, versions, play):
    unrated = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts())
    assert play(unrated)

    def shown(slug: str, kind: str) -> list[int]:
        return [row.match.pk for row in Client().get(f"/bots/{slug}/?matches={kind}").context["rows"]]

    assert shown("kingfisher", "") == [unrated.pk, finished.pk]
    assert shown("kingfisher", "unrated") == [unrated.pk]
    assert shown("kingfisher", "faults") == []
    lost = {slug: shown(slug, "lost") for slug in ("kingfisher", "heron")}
    for match in (unrated, finished):
        points = match.participants.get(version=versions[0]).points
        assert (match.pk in lost["kingfisher"]) is (points < 0.5) and (match.pk in lost["heron"]) is (points > 0.5)
    assert "None in its last 2 matches." in Client().get("/bots/kingfisher/?matches=faults").text
    page = Client().get("/bots/kingfisher/?matches=unrated").text
    assert re.search(r'aria-current="true">Unrated</a>', page)
    assert '/matches/?bot=kingfisher&amp;rated=no">All matches</a>' in page


def test_results_are_counted_and_shown_by_opponent(ladder, ana, ben, make_version):
    own, other = (
        enter_version(ladder=ladder, version=make_version(user, name)) for user, name in ((ana, "A"), (ben, "B"))
    )
    for minute, legs in enumerate(([[1, 2], [1, 2]], [[2, 1], [2, 1]], [[1, 2], [2, 1]], [[1, 2], [1, 2]])):
        store_match(ladder, [own, other], legs, minute=minute)
    append_finished_matches(ladder=ladder)
    own.refresh_from_db()
    tally, last = read_recent_form(own)
    assert tally == Tally(won=2, drawn=1, lost=1)
    assert last == {other.version_id: [1.0, 0.0, 0.5, 1.0]}
    page = Client().get("/bots/a/").text
    assert "2 won, 1 drawn, 1 lost" in page and "Oldest first: won, lost, drawn, won" in page
    assert 'href="/bots/a/against/b/"' in page


def test_the_time_before_a_rating_was_settled_is_marked(finished):
    def point(matches: int, margin: float) -> ChartPoint:
        return ChartPoint(1500.0, margin, matches, localdate(), 1)

    young, old = [point(number, 300.0) for number in range(1, 9)], [point(number, 80.0) for number in range(30, 40)]
    assert "provisional" in draw_rating_history(young + old, False, 120.0)
    assert "provisional" not in draw_rating_history(old, False, 120.0)


def test_thinking_times_come_from_the_records(finished, reader):
    page = Client().get("/bots/kingfisher/")
    thinking = page.context["thinking"]
    assert thinking["legs"] == 2 and thinking["answers"] > 20
    assert 0 <= thinking["median"] <= thinking["most"] <= thinking["slowest"] <= 1000 == thinking["limit"]
    Leg.objects.update(record=b"damaged")
    assert Client().get("/bots/kingfisher/").context["thinking"] is None


def test_a_bot_has_a_challenge_for_everybody_and_an_upload_for_its_owner(finished, reader, ana):
    assert 'href="/bots/kingfisher/challenge/"' in Client().get("/bots/kingfisher/").text
    assert "Upload version 2" in reader(ana).get("/bots/kingfisher/").text


def test_a_bot_without_versions_says_so(ana):
    create_bot(owner=ana, name="Egg", game="battleline")
    page = Client().get("/bots/egg/").text
    assert "No version yet" in page and "No legs played yet" in page


def test_a_rejected_version_is_shown_as_such(ana, make_version):
    make_version(ana, "Kingfisher", state=BotVersion.State.REJECTED)
    assert "Rejected" in Client().get("/bots/kingfisher/").text


ADDRESS = "/bots/a/against/b/"


@pytest.fixture
def pair(ladder, ana, ben, make_version) -> tuple[Entry, Entry]:
    """Two bots that met in five rated matches: the first won three, lost one, and one was drawn."""
    entries = tuple(
        enter_version(ladder=ladder, version=make_version(user, name)) for user, name in ((ana, "A"), (ben, "B"))
    )
    won, lost, drawn = [[1, 2], [1, 2]], [[2, 1], [2, 1]], [[1, 2], [2, 1]]
    for minute, legs in enumerate((won, lost, drawn, won, won)):
        store_match(ladder, entries, legs, [(0, 1)] if minute == 0 else (), minute=minute)
    append_finished_matches(ladder=ladder)
    return entries


def test_a_pair_has_score_course_and_seats(pair):
    Entry.objects.update(rating=1500, deviation=50)
    context = Client().get(ADDRESS).context
    assert (context["rated"], context["score"], context["expected"], context["better"]) == (5, 0.7, 0.5, 0.5)
    assert (context["tally"].won, context["tally"].drawn, context["tally"].lost) == (3, 1, 1)
    assert [(one["name"], one["tally"].won, one["tally"].lost) for one in context["seats"]] == [
        ("South", 4, 1),
        ("North", 3, 2),
    ]
    assert all(one["is_few"] and not one["bar"] for one in context["seats"]), "five legs are too few for a bar"
    assert [(fault.label, count) for fault, count in context["other_faults"]] == [("crashed", 1)]
    assert not context["faults"]


def test_the_other_side_sees_the_opposite(pair):
    context = Client().get("/bots/b/against/a/").context
    assert context["score"] == pytest.approx(0.3)
    assert (context["tally"].won, context["tally"].lost) == (1, 3)
    assert [one["surplus"] for one in context["pairings"]] == [
        pytest.approx(-one["surplus"]) for one in Client().get(ADDRESS).context["pairings"]
    ]


def test_the_better_one_is_who_is_rated_higher(pair):
    Entry.objects.filter(pk=pair[0].pk).update(rating=1700, deviation=40)
    Entry.objects.filter(pk=pair[1].pk).update(rating=1500, deviation=40)
    assert Client().get(ADDRESS).context["better"] > 0.99
    assert Client().get("/bots/b/against/a/").context["better"] < 0.01


def test_who_never_met_is_told_so(ladder, ana, ben, make_version):
    for user, name in ((ana, "A"), (ben, "B")):
        enter_version(ladder=ladder, version=make_version(user, name))
    page = Client().get(ADDRESS).text
    assert "They haven't met yet." in page and "/bots/b/challenge/" in page
    create_bot(owner=ben, name="C", game="battalion")
    assert "different games" in Client().get("/bots/a/against/c/").text


def test_nobody_meets_itself_or_nobody(pair):
    for address in ("/bots/a/against/a/", "/bots/a/against/nobody/", "/bots/nobody/against/a/"):
        assert Client().get(address).status_code == 404


def test_unrated_matches_and_those_to_come_are_listed(pair):
    waiting = queue_match(versions=[one.version for one in pair], game="battleline", edition="standard")
    page = Client().get(ADDRESS)
    assert page.context["rows"][0].match == waiting and len(page.context["rows"]) == 6
    assert page.context["tally"].matches == 5


def test_results_are_told_in_words_and_shapes():
    drawn = draw_result_squares([1.0, 0.5, 0.0])
    assert 'aria-label="Oldest first: won, drawn, lost"' in drawn
    assert drawn.count("<rect") == 3 and drawn.count("<path") == 2
    assert draw_result_squares([]) == ""


def test_a_course_is_smoothed():
    assert compute_moving_average([1.0, 0.0, 1.0, 0.0]) == [1.0, 0.0, 1.0, 0.0]
    assert compute_moving_average([1.0] * 30 + [0.0])[-2:] == [1.0, 0.9]
    assert "10 matches: 90%" in draw_score_trend([1.0] * 30 + [0.0], 0.5)


def test_rivals_have_a_score_and_a_streak(pair):
    page = Client().get(ADDRESS)
    assert page.context["rivalry"]["points"] == ["3.5", "1.5"]
    assert "A won the last 2 matches in a row. 4 of their last 5 matches had a winner." in page.text
    assert Client().get("/bots/b/against/a/").context["rivalry"]["points"] == ["1.5", "3.5"]


@pytest.mark.parametrize(
    ("results", "says"),
    [
        ([], ""),
        ([1.0, 0.5], "Their last match was drawn."),
        ([0.5, 0.5, 0.5], "Their last 3 matches were drawn."),
        ([1.0, 0.25], "B won the last match."),
        ([0.0, 0.75, 1.0], "A won the last 2 matches in a row."),
    ],
)
def test_a_streak_counts_from_the_newest_match_back(results, says):
    assert describe_streak(Bot(name="A"), Bot(name="B"), results) == says


def test_a_match_leads_to_its_pair(finished, versions):
    one, other = (version.bot.slug for version in versions)
    assert Client().get(finished.get_absolute_url()).context["row"].pair_url in (
        f"/bots/{one}/against/{other}/",
        f"/bots/{other}/against/{one}/",
    )


@pytest.mark.django_db
def test_a_sample_says_what_it_does_and_everybody_gets_its_source(house, make_version) -> None:
    version = make_version(house, "greedy")
    page = Client().get("/bots/greedy/").text
    assert "Takes the best immediate gain." in page and "/bots/greedy/v/1/source.zip" in page
    assert Client().get(f"/bots/greedy/v/{version.number}/source.zip").status_code == 200


@pytest.mark.django_db
def test_the_source_of_other_bots_is_their_authors(ana, make_version) -> None:
    make_version(ana, "Kingfisher")
    assert Client().get("/bots/kingfisher/v/1/source.zip").status_code == 302


def test_titles_tell_bots_of_one_name_in_two_games_apart(house):
    for game in ("battleline", "battalion"):
        Bot.objects.create(owner=house, name="greedy", slug=f"greedy-{game}", game=game)
    titles = [
        re.search("<title>(.*?)</title>", Client().get(bot.get_absolute_url()).text)
        for bot in Bot.objects.order_by("pk")
    ]
    assert [title and title[1] for title in titles] == ["greedy, Battle Line · Pennant", "greedy, Battalion · Pennant"]
