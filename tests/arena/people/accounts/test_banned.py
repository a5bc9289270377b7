"""A banned person learns why the right password doesn't help, and nobody else does."""

from django.test import Client

from arena.people.accounts.models import User
from arena.people.lifecycle import suspend_account

SENTENCE = "Your account is suspended"


def test_only_the_right_password_says_that_an_account_is_suspended(ana: User) -> None:
    suspend_account(user=ana, ban=True)
    client = Client()
    wrong = client.post("/accounts/login/", {"login": "ana", "password": "a guess"})
    assert wrong.status_code == 200 and SENTENCE not in wrong.text
    right = client.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
    assert right.status_code == 403 and SENTENCE in right.text
    assert "_auth_user_id" not in client.session
    assert User.objects.get(pk=ana.pk).is_banned
