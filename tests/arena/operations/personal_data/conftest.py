from typing import NamedTuple

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from arena.bots.models import Bot
from arena.bots.teams import issue_token
from arena.contests.challenges.models import Challenge
from arena.contests.comparisons.models import Comparison
from arena.contests.following.models import Timing
from arena.contests.following.services import choose_timing, follow
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from arena.people.notices.models import Event, Webhook
from arena.people.notices.services import notify_user
from tests.conftest import FIRST_LEGAL, MakeVersion, Play


class Author(NamedTuple):
    user: User
    bot: Bot
    match: Match
    secrets: tuple[str, ...]
    client: Client


@pytest.fixture
def author(ana: User, ben: User, make_version: MakeVersion, play: Play) -> Author:
    """Ana with something of every kind, and a match that her bot has played."""
    ana.email, ana.first_name, ana.last_name = "ana@example.org", "Ana", "Novak"
    ana.save()
    EmailAddress.objects.create(user=ana, email=ana.email, primary=True)
    client = Client()
    client.post("/accounts/login/", {"login": "ana", "password": "ana's password"})
    first = make_version(ana, "Kingfisher")
    second = make_version(ana, "Kingfisher", FIRST_LEGAL + b"# second\n")
    other = make_version(ben, "Heron")
    match = queue_match(game="battleline", edition="standard", versions=[second, other])
    assert play(match)
    match.refresh_from_db()
    Comparison.objects.create(owner=ana, version=second, baseline=first, edition="standard")
    Challenge.objects.create(owner=ana, version=second, match=match)
    _, text = issue_token(owner=ana, name="a script of hers")
    hook = Webhook.objects.create(owner=ana, url="https://hooks.example.org/ana", events=["match.finished"])
    notify_user(user=ana, event=Event.MATCH_FINISHED, text="Kingfisher has won.", payload={"match": match.pk})
    follow(user=ana, subject=other.bot)
    preference = choose_timing(user=ana, timing=Timing.DAILY, language="hu", site="https://arena.example/")
    totp = TOTP.activate(ana, generate_totp_secret())
    RecoveryCodes.activate(ana)
    secrets = (text, hook.key, preference.unsubscribe_key, totp.instance.data["secret"], ana.password)
    return Author(ana, first.bot, match, secrets, client)
