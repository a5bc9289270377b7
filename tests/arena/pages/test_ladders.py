from django.test import Client

from arena.ladders.services.entering import enter
from arena.pages import ladders


def test_a_ladder_without_bots_says_how_to_be_the_first(ladder):
    page = Client().get("/ladders/battleline/standard/").text
    assert "No bot plays here yet" in page
    assert 'href="/bots/new/"' in page


def test_an_unknown_ladder_is_not_found(db):
    assert Client().get("/ladders/battleline/nonsense/").status_code == 404


def test_ladders_are_listed(ladder):
    assert ladder.title in Client().get("/ladders/").text


def test_a_place_says_who_how_strong_and_what_came_last(finished, versions):
    page = Client().get("/ladders/battleline/standard/")
    first, second = page.context["places"]
    assert (first.rank, second.rank) == (1, 2)
    assert first.entry.rating >= second.entry.rating
    assert first.win_rate + second.win_rate == 1
    assert first.last == second.last == finished
    assert [(one.finish.place, one.finish.is_shared) for one in (first, second)] in (
        [(1, False), (2, False)],
        [(2, False), (1, False)],
        [(1, True), (1, True)],
    )
    for word in ("Kingfisher", "ana", "Heron", "ben", f"/matches/{finished.pk}/"):
        assert word in page.text


def test_own_bots_are_marked_for_their_owner_only(finished, reader, ana, eva):
    address = "/ladders/battleline/standard/"
    assert [place.is_own for place in reader(ana).get(address).context["places"]].count(True) == 1
    for user in (eva, None):
        assert "yours" not in reader(user).get(address).text


def test_an_entry_without_matches_waits_for_its_first(ladder, versions):
    enter(ladder=ladder, version=versions[0])
    assert "waiting for its first match" in Client().get("/ladders/battleline/standard/").text


def test_a_long_ladder_has_pages_and_ranks_go_on(ladder, ana, make_version, monkeypatch):
    monkeypatch.setattr(ladders, "PAGE", 2)
    for number in range(5):
        enter(ladder=ladder, version=make_version(ana, f"Bot {number}"))
    page = Client().get("/ladders/battleline/standard/?page=2")
    assert [place.rank for place in page.context["places"]] == [3, 4]
    assert "page=1" in page.text and "page=3" in page.text


def test_queries_do_not_grow_with_the_ladder(ladder, ana, make_version, django_assert_num_queries):
    for number in range(2):
        enter(ladder=ladder, version=make_version(ana, f"Bot {number}"))
    with django_assert_num_queries(5):
        Client().get("/ladders/battleline/standard/")
    for number in range(2, 8):
        enter(ladder=ladder, version=make_version(ana, f"Bot {number}"))
    with django_assert_num_queries(5):
        Client().get("/ladders/battleline/standard/")
