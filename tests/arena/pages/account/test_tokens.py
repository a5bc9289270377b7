import re

from django.test import Client

from arena.accounts.models import User
from arena.bots.models import Token
from arena.bots.services import create_bot
from arena.bots.tokens import find_token, issue_token


def text_in(page: str) -> str | None:
    found = re.search(r"pnt_[\w-]{43}", page)
    return found and found[0]


def test_tokens_are_their_owners(reader, ana: User, eva: User):
    token, _text = issue_token(owner=ana, name="CI of Kingfisher")
    assert Client().get("/tokens/")["Location"] == "/accounts/login/?next=/tokens/"
    assert "CI of Kingfisher" not in reader(eva).get("/tokens/").text
    assert reader(eva).post(f"/tokens/{token.pk}/revoke/").status_code == 404
    assert Token.objects.valid().get() == token


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
    assert "Token revoked." in page and "You have none." in page and find_token(text) is None
