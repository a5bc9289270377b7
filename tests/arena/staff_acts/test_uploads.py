"""Uploads of the whole site, closed and opened."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from arena.bots.closing import UploadsClosed
from arena.bots.models import Bot, BotVersion
from arena.bots.services import create_bot, submit_version
from arena.bots.tokens import issue_token
from arena.errors import Conflict
from arena.staff_acts.uploads import CloseUploads, OpenUploads
from tests.conftest import FIRST_LEGAL

SENTENCE = "The staff of this arena has closed uploads for now."
SENTENCE_HU = "most szüneteltetik a feltöltést"


def test_nobody_uploads_while_uploads_are_closed(ana, house, make_version, do):
    version = make_version(ana, "Kingfisher")
    do(CloseUploads())
    with pytest.raises(UploadsClosed, match="closed uploads"):
        submit_version(owner=ana, bot=version.bot, files={"bot.py": b"# new\n"})
    with pytest.raises(UploadsClosed):
        create_bot(owner=ana, name="Heron", game="battleline")
    create_bot(owner=house, name="sample", game="battleline")
    assert BotVersion.objects.count() == 1
    with pytest.raises(Conflict, match="closed already"):
        CloseUploads().describe()
    do(OpenUploads())
    submit_version(owner=ana, bot=version.bot, files={"bot.py": b"# new\n"})
    with pytest.raises(Conflict, match="open already"):
        OpenUploads().describe()


def test_pages_and_api_say_that_uploads_are_closed(ana, make_version, do, client):
    bot = make_version(ana, "Kingfisher").bot
    do(CloseUploads())
    client.force_login(ana)
    hungarian = {"Accept-Language": "hu"}
    page = f"/bots/{bot.slug}/upload/"
    assert SENTENCE in client.get(page).content.decode()
    assert SENTENCE_HU in client.get("/bots/new/", headers=hungarian).content.decode()
    sent = {"name": "Heron", "game": "battleline", "source": SimpleUploadedFile("bot.py", FIRST_LEGAL)}
    answer = client.post("/bots/new/", sent)
    assert answer.status_code == 400 and SENTENCE in answer.content.decode()
    token = {"Authorization": f"Bearer {issue_token(owner=ana, name='CI')[1]}"}
    sent = {"program": SimpleUploadedFile("bot.py", b"# new\n")}
    answer = client.post(f"/api/v1/bots/{bot.slug}/versions/", sent, headers=token | hungarian)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "uploads_closed"
    assert SENTENCE_HU in answer.json()["error"]["message"]
    assert (Bot.objects.count(), BotVersion.objects.count()) == (1, 1)
