from django.test import Client

from arena.contests.ladders.models import Entry
from arena.people.accounts.models import User


def test_an_author_has_a_page_with_bots_ranks_and_matches(finished, ana):
    Entry.objects.update(is_ranked=True)
    page = Client().get(ana.get_absolute_url())
    assert page.status_code == 200
    [own] = page.context["bots"]
    best = Entry.objects.order_by("-rating").first()
    assert own["bot"].name == "Kingfisher" and [entry["place"].number for entry in own["entries"]] == [
        1 if best.version.bot == own["bot"] else 2
    ]
    for word in ("Kingfisher", "Heron", f"/matches/{finished.pk}/", "/ladders/battleline/standard/"):
        assert word in page.text


def test_a_rank_is_told_only_of_a_settled_rating(finished, ana):
    [own] = Client().get(ana.get_absolute_url()).context["bots"]
    assert [entry["place"] for entry in own["entries"]] == [None]


def test_nothing_private_is_on_the_page(finished, ana, reader, eva):
    User.objects.filter(pk=ana.pk).update(email="ana@example.org", first_name="Secretname")
    for client in (Client(), reader(eva), reader(ana)):
        page = client.get(ana.get_absolute_url()).text
        assert "ana@example.org" not in page and "Secretname" not in page
    assert "/settings/" not in Client().get(ana.get_absolute_url()).text.split("<main")[1].split("</main")[0]


def test_nobody_has_no_page(db, eva):
    assert "No author called nobody." in Client().get("/authors/nobody/").text
    assert Client().get("/authors/nobody/").status_code == 404
    assert Client().get("/authors/%00/").status_code == 404
    User.objects.filter(pk=eva.pk).update(is_active=False)
    assert Client().get(eva.get_absolute_url()).status_code == 404


def test_an_author_without_bots_has_an_empty_page(eva):
    page = Client().get(eva.get_absolute_url()).text
    assert "No bots yet." in page and "These bots haven't played yet." in page


def test_a_name_with_signs_has_an_address(db):
    user = User.objects.create_user("o'neil+1@x")
    assert Client().get(user.get_absolute_url()).context["author"] == user


def test_the_house_says_that_it_is_one(house):
    assert "sample bots, to learn from and to play against" in Client().get(house.get_absolute_url()).text
