import pytest
from django.test import Client

from arena.bots.models import Bot
from arena.bots.services import create_bot
from arena.ladders.models import Entry
from arena.ladders.services.entering import enter_version
from arena.ladders.services.ledger import append_finished_matches
from arena.matches.services import queue_match
from arena.pages.bots.rivalry import describe_streak
from arena.pages.svg.charts import compute_moving_average, draw_result_squares, draw_score_trend
from tests.arena.ladders.conftest import store_match

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
    assert [(one.name, one.tally.won, one.tally.lost) for one, _bar in context["seats"]] == [
        ("South", 4, 1),
        ("North", 3, 2),
    ]
    assert [(fault.label, count) for fault, count in context["other_faults"]] == [("crashed", 1)]
    assert not context["faults"]


def test_the_other_side_sees_the_opposite(pair):
    context = Client().get("/bots/b/against/a/").context
    assert context["score"] == pytest.approx(0.3)
    assert (context["tally"].won, context["tally"].lost) == (1, 3)
    assert [one.surplus for one in context["pairings"]] == [
        pytest.approx(-one.surplus) for one in Client().get(ADDRESS).context["pairings"]
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
    assert "They have not met yet." in page and "/bots/b/challenge/" in page
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
    assert page.context["rivalry"].points == ("3.5", "1.5")
    assert "A has won the last 2 matches in a row. 4 of their last 5 matches had a winner." in page.text
    assert Client().get("/bots/b/against/a/").context["rivalry"].points == ("1.5", "3.5")


@pytest.mark.parametrize(
    ("results", "says"),
    [
        ([], ""),
        ([1.0, 0.5], "Their last match was drawn."),
        ([0.5, 0.5, 0.5], "Their last 3 matches were drawn."),
        ([1.0, 0.25], "B has won the last match."),
        ([0.0, 0.75, 1.0], "A has won the last 2 matches in a row."),
    ],
)
def test_a_streak_counts_from_the_newest_match_back(results, says):
    assert describe_streak(Bot(name="A"), Bot(name="B"), results) == says


def test_a_match_leads_to_its_pair(finished, versions):
    one, other = (version.bot.slug for version in versions)
    assert Client().get(finished.get_absolute_url()).context["pair_url"] in (
        f"/bots/{one}/against/{other}/",
        f"/bots/{other}/against/{one}/",
    )
