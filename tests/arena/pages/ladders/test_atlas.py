"""The pages of the atlas: numbers as they were counted, each with its matches, in a constant number of queries."""

import re
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.contests.atlas.models import AtlasProgress, Cell, LegCounts
from arena.contests.atlas.services import count_legs
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.seasons import close_season
from arena.pages.atlas import ShownChart, TableRow
from tests.arena.api.played import Script
from tests.arena.contests.atlas.conftest import OpenLadder, ladder_opener
from tests.arena.contests.atlas.conftest import open_ladder as open_ladder
from tests.arena.contests.atlas.world import play_rated
from tests.conftest import MakeVersion
from tests.tools.facts import read_page

ATLAS = "/ladders/battleline/standard/atlas/"
MATCHES = "/ladders/battleline/standard/seasons/1/atlas/matches/"
PICTURE = re.compile(r'<svg class="history atlas".*?</svg>', re.DOTALL)
NUMBER = re.compile(r"-?\d+(\.\d+)?")


@pytest.fixture(scope="module")
def counted_once(module_db: None, make_version: MakeVersion) -> tuple[int, list[int]]:
    """A ladder with four matches of three bots, one with a fault; all are counted."""
    ladder, entries = ladder_opener(make_version)(bots=3)
    for seed, pair in enumerate([(0, 1), (1, 2), (0, 2), (0, 1)]):
        play_rated(ladder, [entries[one] for one in pair], seed, crash_after=30 if seed == 2 else None)
    count_legs(ladder=ladder)
    return ladder.pk, [entry.pk for entry in entries]


@pytest.fixture
def counted(db: None, counted_once: tuple[int, list[int]]) -> tuple[Ladder, list[Entry]]:
    """Its ladder and its bots, as nobody has changed them yet."""
    ladder, entries = counted_once
    return Ladder.objects.get(pk=ladder), [Entry.objects.get(pk=entry) for entry in entries]


def fetch(address: str, language: str = "en") -> HttpResponse:
    answer: HttpResponse = Client(headers={"Accept-Language": language}).get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer


def charts_of(answer: HttpResponse) -> dict[str, ShownChart]:
    return {chart.key: chart for chart in answer.context["charts"]}


def find_row(chart: ShownChart, label: str) -> TableRow:
    return next(row for row in chart.rows if row.label == label)


def count_queries(address: str) -> int:
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        fetch(address)
    return len(queries)


def test_tables_have_the_counts(counted: tuple[Ladder, list[Entry]]) -> None:
    answer = fetch(ATLAS)
    charts = charts_of(answer)
    assert list(charts) == ["endings", "formations", "claims", "tactics", "seats", "length"]
    page, computed = answer.content.decode(), AtlasProgress.objects.get(ladder=counted[0]).counted_at
    assert ("legs:standard", "8") in read_page(page).facts
    assert computed and f'Last computed: <time datetime="{computed.isoformat(timespec="seconds")}"' in page
    at_three = find_row(charts["formations"], "3")
    stored = dict(Cell.objects.filter(chart="formations", column="3").values_list("row", "count"))
    names = dict(zip(charts["formations"].head[1:], at_three.cells, strict=True))
    assert {name: int(cell.text) for name, cell in names.items() if int(cell.text)} == {
        key.capitalize(): count for key, count in stored.items()
    }
    assert find_row(charts["endings"], "fault").cells[0].text == "2"
    assert [row.cells[0].text for row in charts["seats"].rows] == ["6", "6"]
    lengths = [int(row.cells[0].text) for row in charts["length"].rows]
    assert sum(lengths) == 6


def test_every_number_leads_to_its_matches(counted: tuple[Ladder, list[Entry]]) -> None:
    for chart in charts_of(fetch(ATLAS)).values():
        queries = [cell.query for row in chart.rows for cell in row.cells if cell.query]
        assert queries
        page = fetch(f"{MATCHES}?{queries[0]}")
        assert page.context["rows"], queries[0]
        assert page.context["subject"].startswith(chart.title)
    faulty = fetch(f"{MATCHES}?chart=endings&row=fault&column=first").context["rows"]
    assert len(faulty) == 1 and any(part.faults for part in faulty[0].parts)


def test_matches_of_a_number_may_be_those_of_one_bot(counted: tuple[Ladder, list[Entry]]) -> None:
    ladder, entries = counted
    own = fetch(f"{MATCHES}?chart=seats&row=0&column=2&bot={entries[2].version.bot.slug}").context["rows"]
    assert len(own) == 1, "in its other match there was a fault"
    assert Client().get(f"{MATCHES}?chart=seats&row=0&column=2&bot=nobody").status_code == 404


@pytest.mark.parametrize(
    "query",
    ["", "chart=seats", "chart=none&row=1", "chart=length&row=x&to=9", f"chart=length&row=1&to={'9' * 500}", "row=%00"],
)
def test_a_number_that_is_not_there_is_not_found(counted: tuple[Ladder, list[Entry]], query: str) -> None:
    assert Client().get(f"{MATCHES}?{query}").status_code == 404


@pytest.mark.parametrize("language", ["en", "hu"])
def test_pictures_are_drawings_whatever_the_language(counted: tuple[Ladder, list[Entry]], language: str) -> None:
    ladder, entries = counted
    # Eight legs are too few for two of the pictures. A fingerprint has the field's outlines in them.
    for address, pictures in ((ATLAS, 4), (f"/bots/{entries[0].version.bot.slug}/fingerprint/", 6)):
        found = PICTURE.findall(fetch(address, language).content.decode())
        assert len(found) == pictures
        for picture in map(ElementTree.fromstring, found):
            assert picture.get("aria-label")
            for part in picture.iter():
                for name in ("x", "y", "width", "height"):
                    assert NUMBER.fullmatch(part.get(name, "0")), (language, part.attrib)
                words = part.get("points", "") or part.get("d", "")
                assert all(NUMBER.fullmatch(word) for word in re.split(r"[ ,MHV]", words) if word), words


def test_a_fingerprint_has_the_bot_beside_the_field(counted: tuple[Ladder, list[Entry]]) -> None:
    ladder, entries = counted
    answer = fetch(f"/bots/{entries[0].version.bot.slug}/fingerprint/")
    assert answer.context["legs"] == 6
    charts = charts_of(answer)
    assert charts["seats"].head[-1] == "Field" and len(charts["seats"].rows[0].cells) == 3
    won = sum(int(row.cells[0].text) for row in charts["endings"].rows)
    lost = sum(int(row.cells[-1].text) for row in charts["endings"].rows)
    assert won + lost == 6
    linked = fetch(f"/bots/{entries[0].version.bot.slug}/")
    assert f"/bots/{entries[0].version.bot.slug}/fingerprint/" in linked.content.decode()


def test_a_young_season_says_that_nothing_is_counted_yet(open_ladder: OpenLadder) -> None:
    ladder, entries = open_ladder(edition="advanced")
    atlas = "/ladders/battleline/advanced/atlas/"
    assert fetch(atlas).context["charts"] == []
    play_rated(ladder, entries, 1)
    assert "Rated matches are counted a few minutes after they finish." in fetch(atlas).content.decode()
    empty = fetch(f"/bots/{entries[0].version.bot.slug}/fingerprint/")
    assert "No legs of this bot have been counted yet." in empty.content.decode()


def test_each_season_has_its_own(counted: tuple[Ladder, list[Entry]]) -> None:
    ladder, _entries = counted
    assert Client().get("/ladders/battleline/standard/seasons/1/atlas/").url == ATLAS
    close_season(ladder=ladder)
    cache.clear()
    assert fetch(ATLAS).context["charts"] == []
    assert charts_of(fetch("/ladders/battleline/standard/seasons/1/atlas/"))["seats"].total == 12
    assert Client().get("/ladders/battleline/standard/seasons/9/atlas/").status_code == 404


def test_what_is_asked_does_not_grow_with_what_was_counted(counted: tuple[Ladder, list[Entry]]) -> None:
    ladder, entries = counted
    slug = entries[0].version.bot.slug
    addresses = [
        ATLAS,
        f"/bots/{slug}/fingerprint/",
        f"{MATCHES}?chart=seats&row=0&column=2",
        f"{MATCHES}?chart=claims&row=1&to=99&bot={slug}",
        "/api/v1/ladders/battleline/standard/seasons/1/atlas/",
    ]
    few = {address: count_queries(address) for address in addresses}
    for seed in range(4, 8):
        play_rated(ladder, entries[:2], seed)
    count_legs(ladder=ladder)
    assert {address: count_queries(address) for address in addresses} == few
    assert max(few.values()) <= 16, few


def test_a_wide_search_goes_on_with_older_matches(
    counted: tuple[Ladder, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder, _entries = counted
    monkeypatch.setattr("arena.contests.atlas.services.MAX_LEGS_SCANNED", 3)
    query = f"{MATCHES}?chart=length&row=1&to=99"
    found, before = [], ""
    for _page in range(10):
        context = fetch(f"{query}{before}").context
        found += [row.match.pk for row in context["rows"]]
        if not context["older"]:
            break
        before = f"&before={context['older']}"
    clean = LegCounts.objects.exclude(match__legs__seats__verdict="crash").values_list("match", flat=True)
    assert found == sorted(set(clean), reverse=True)


def test_the_api_has_the_same_sums(counted: tuple[Ladder, list[Entry]]) -> None:
    ladder, entries = counted
    told = Script().read("/ladders/battleline/standard/seasons/1/atlas/")
    assert (told["legs"], told["season"], told["sequence"]) == (8, 1, ladder.last_sequence)
    stored = list(Cell.objects.filter(ladder=ladder).order_by("pk").values("chart", "row", "column", "count", "points"))
    assert told["cells"] == stored
    own = Script().read(f"/ladders/battleline/standard/seasons/1/atlas/?bot={entries[2].version.bot.slug}")
    assert 0 < sum(one["count"] for one in own["cells"] if one["chart"] == "endings") == 4
