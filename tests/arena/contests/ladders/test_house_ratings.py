"""House bots begin a season with the ratings that were measured beforehand."""

from statistics import fmean

import pytest

from arena.bots.running import list_strengths, read_ratings_file
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.refitting import recompute_ladder, refit_ladder
from arena.contests.ladders.services.seasons import build_season_document, close_season, make_samples_anchors
from arena.people.accounts.models import User
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import MakeVersion

pytestmark = pytest.mark.django_db
ANCHORS = ("random", "brute", "greedy", "careful")
STRENGTHS = list_strengths("battleline", "standard")


def enter_samples(ladder: Ladder, house: User, make_version: MakeVersion) -> dict[str, Entry]:
    for name in (*ANCHORS, "marshal"):
        enter_version(ladder=ladder, version=make_version(house, name))
    make_samples_anchors(ladder=ladder)
    ladder.refresh_from_db()
    return read_samples(ladder)


def read_samples(ladder: Ladder) -> dict[str, Entry]:
    found = ladder.entries.filter(version__bot__owner__is_house=True).select_related("version__bot")
    return {entry.version.bot.name: entry for entry in found}


@pytest.fixture
def samples(ladder: Ladder, house: User, make_version: MakeVersion) -> dict[str, Entry]:
    return enter_samples(ladder, house, make_version)


def read_ratings(ladder: Ladder) -> list[tuple[float, float]]:
    return list(ladder.entries.order_by("pk").values_list("rating", "deviation"))


def test_they_are_ranked_at_once_around_the_number_of_the_anchors(ladder: Ladder, samples: dict[str, Entry]) -> None:
    assert ladder.anchor_mean == pytest.approx(1500, abs=0.1)
    for name, entry in samples.items():
        assert entry.first_rating == entry.rating == pytest.approx(1500 + STRENGTHS[name].rating)
        assert entry.first_deviation == entry.deviation == STRENGTHS[name].deviation
        assert entry.is_ranked and entry.is_known and entry.is_anchor is (name in ANCHORS)
    refit_ladder(ladder=ladder)
    for name, entry in read_samples(ladder).items():
        assert entry.is_ranked and entry.rank_low is not None
        assert entry.rating == pytest.approx(1500 + STRENGTHS[name].rating, abs=0.1)


def test_results_move_them_and_all_is_computed_again(
    ladder: Ladder, samples: dict[str, Entry], entries: list[Entry]
) -> None:
    for minute in range(6):
        store_match(ladder, [samples["careful"], entries[minute % 4]], [[2, 1], [2, 1]], minute=minute)
        store_match(ladder, [samples["greedy"], entries[minute % 4]], [[1, 2], [2, 1]], minute=minute)
    append_finished_matches(ladder=ladder)
    refit_ladder(ladder=ladder)
    fitted, careful = read_ratings(ladder), read_samples(ladder)["careful"]
    assert careful.rating < samples["careful"].rating and careful.deviation < 60
    assert careful.is_ranked
    anchors = ladder.entries.filter(is_anchor=True).values_list("rating", flat=True)
    assert fmean(anchors) == pytest.approx(ladder.anchor_mean)
    recompute_ladder(ladder=ladder)
    for before, after in zip(fitted, read_ratings(ladder), strict=True):
        assert after == pytest.approx(before, abs=1e-9)


def test_the_next_season_begins_with_them_on_the_same_scale(ladder: Ladder, samples: dict[str, Entry]) -> None:
    for name, shift in zip(ANCHORS, (300, 100, -100, 100), strict=True):
        Entry.objects.filter(pk=samples[name].pk).update(rating=1500 + STRENGTHS[name].rating + shift)
    following = close_season(ladder=ladder)
    assert following.anchor_mean == pytest.approx(1600, abs=0.1)
    for name, entry in read_samples(following).items():
        assert entry.first_rating == entry.rating == pytest.approx(1600 + STRENGTHS[name].rating, abs=0.1)
        assert entry.first_deviation == STRENGTHS[name].deviation and entry.is_ranked
    make_samples_anchors(ladder=following)
    again = Ladder.objects.get(pk=following.pk)
    assert again.anchor_mean == following.anchor_mean


def test_a_season_that_began_without_them_stays_as_it_is(
    ladder: Ladder, house: User, make_version: MakeVersion
) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(house_ratings=None)
    ladder.refresh_from_db()
    samples = enter_samples(ladder, house, make_version)
    assert {(one.first_rating, one.first_deviation, one.is_ranked) for one in samples.values()} == {(1500, 300, False)}
    assert ladder.anchor_mean == 1500
    following = close_season(ladder=ladder)
    assert following.house_ratings is not None and all(one.is_known for one in read_samples(following).values())


def test_another_file_than_the_one_that_a_season_named_is_not_used(
    ladder: Ladder, house: User, make_version: MakeVersion
) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(house_ratings={**(ladder.house_ratings or {}), "hash": "0" * 64})
    entry = enter_version(ladder=ladder, version=make_version(house, "random"))
    assert entry is not None and (entry.rating, entry.is_known) == (1500, False)


def test_one_that_comes_later_begins_on_the_scale_of_the_ladder(
    ladder: Ladder, house: User, make_version: MakeVersion
) -> None:
    for name in ("random", "brute"):
        enter_version(ladder=ladder, version=make_version(house, name))
    make_samples_anchors(ladder=ladder)
    Ladder.objects.filter(pk=ladder.pk).update(last_sequence=5)
    late = enter_version(ladder=ladder, version=make_version(house, "greedy"))
    assert late is not None and not late.is_anchor
    assert late.rating == pytest.approx(1500 + STRENGTHS["greedy"].rating)


def test_new_versions_and_bots_of_authors_begin_as_ever(
    ladder: Ladder, samples: dict[str, Entry], house: User, ana: User, make_version: MakeVersion
) -> None:
    newer = enter_version(ladder=ladder, version=make_version(house, "random", b"# newer"))
    assert newer is not None and newer.first_rating == samples["random"].rating
    assert newer.first_deviation > 80 and not newer.is_known
    own = enter_version(ladder=ladder, version=make_version(ana, "Heron"))
    assert own is not None and (own.first_rating, own.is_known) == (1500, False)


def test_the_document_names_the_file_and_the_method(ladder: Ladder) -> None:
    expected = {"version": 1, "hash": read_ratings_file().hash, "method": 1}
    assert build_season_document(ladder)["house_ratings"] == expected == ladder.house_ratings
