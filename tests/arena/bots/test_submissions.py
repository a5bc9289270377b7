from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from arena.bots.models import Bot, BotVersion, Submission
from arena.bots.services import KeyReused, create_bot, submit_version
from arena.people.accounts.models import User
from arena.runner.archive import Upload

AT_ONCE = 4


@pytest.fixture
def kingfisher(ana: User) -> Bot:
    return create_bot(owner=ana, name="Kingfisher", game="battleline")


def submit(bot: Bot, key: str, content: bytes = b"pass", hold: bool = False) -> tuple[BotVersion, bool]:
    return submit_version(owner=bot.owner, bot=bot, files=Upload({"bot.py": content}), hold=hold, key=key)


def test_a_key_leads_to_its_version_even_when_others_came_after_it(kingfisher: Bot):
    first, _ = submit(kingfisher, "a")
    submit(kingfisher, "b", b"1")
    assert submit(kingfisher, "a") == (first, False)


def test_two_keys_may_lead_to_the_same_version(kingfisher: Bot):
    first, _ = submit(kingfisher, "a")
    assert submit(kingfisher, "b") == (first, False)
    with pytest.raises(KeyReused):
        submit(kingfisher, "b", b"1")


def test_a_key_is_for_one_bot(kingfisher: Bot, ana: User):
    submit(kingfisher, "a")
    with pytest.raises(KeyReused):
        submit(create_bot(owner=ana, name="Heron", game="battleline"), "a")


def test_without_a_key_nothing_is_kept_of_a_submission(kingfisher: Bot):
    submit(kingfisher, "")
    assert not Submission.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_several_times_at_once_is_added_once(kingfisher: Bot):
    together = Barrier(AT_ONCE)

    def send(_: int) -> tuple[int, bool]:
        together.wait()
        try:
            version, is_new = submit(kingfisher, "a")
            return version.pk, is_new
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        sent = list(pool.map(send, range(AT_ONCE)))
    assert len({version for version, _ in sent}) == 1
    assert sorted(is_new for _, is_new in sent) == [False] * (AT_ONCE - 1) + [True]
    assert BotVersion.objects.count() == Submission.objects.count() == 1
