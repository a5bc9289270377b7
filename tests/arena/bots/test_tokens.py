from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Token
from arena.bots.services import create_bot
from arena.bots.tokens import MAX_TOKEN_NAME_LENGTH, BadTokenName, find_token, issue_token, revoke_token
from arena.errors import NotYours


def test_a_token_is_found_by_its_text_and_the_text_is_not_kept(ana: User):
    token, text = issue_token(owner=ana, name="  CI   of mine ")
    assert token.name == "CI of mine" and text.startswith("pnt_") and token.prefix == text[:8]
    assert text not in str(Token.objects.values())
    assert find_token(text) == token
    for other in ("", "pnt_", text[:-1], text.upper(), token.digest, f"pnt_{token.digest}"):
        assert find_token(other) is None


def test_no_two_tokens_are_alike(ana: User):
    assert len({issue_token(owner=ana, name="CI")[1] for _ in range(5)}) == 5


def test_it_is_noted_when_a_token_was_used_but_not_each_time(ana: User, django_assert_num_queries):
    token, text = issue_token(owner=ana, name="CI")
    with django_assert_num_queries(2):
        find_token(text)
    with django_assert_num_queries(1):
        find_token(text)
    long_ago = now() - timedelta(hours=1)
    Token.objects.update(last_used_at=long_ago)
    find_token(text)
    assert Token.objects.get().last_used_at > long_ago


def test_a_revoked_token_stays_revoked(ana: User, ben: User):
    token, text = issue_token(owner=ana, name="CI")
    with pytest.raises(NotYours):
        revoke_token(token=token, owner=ben)
    assert find_token(text) == token
    revoke_token(token=token, owner=ana)
    first = Token.objects.get().revoked_at
    revoke_token(token=token, owner=ana)
    assert find_token(text) is None and Token.objects.get().revoked_at == first


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * (MAX_TOKEN_NAME_LENGTH + 1)])
def test_a_token_has_a_name_that_can_be_read(ana: User, name: str):
    with pytest.raises(BadTokenName):
        issue_token(owner=ana, name=name)


def test_a_token_is_for_bots_of_its_owner(ana: User, ben: User):
    with pytest.raises(NotYours):
        issue_token(owner=ana, name="CI", bot=create_bot(owner=ben, name="Heron", game="battleline"))
    assert not Token.objects.exists()
