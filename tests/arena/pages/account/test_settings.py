from django.test import Client


def test_whoever_comes_may_set_look_and_language(db):
    page = Client().get("/settings/").text
    for word in ('name="theme"', 'name="language"', "Sign in to change more"):
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
