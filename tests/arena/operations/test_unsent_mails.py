"""Mails whose worker's process is killed between the claim and the mail server's first word."""

import os
import signal
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.db import connections
from django.db.models import F
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.contests.following.models import Follow, News, NewsPreference, Timing
from arena.contests.following.services import RETRY_DELAY, choose_timing, follow
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.entering import MAIL_CLAIM
from arena.contests.tournaments.services.organising import TournamentPlan, create, open_entries
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.people.groups.services import create_group, join_group
from arena.people.notices.models import Event, Notice
from tests.conftest import MakeVersion

pytestmark = pytest.mark.django_db(transaction=True)
AN_HOUR = timedelta(hours=1)


@pytest.fixture
def reader(ana: User, ben: User, make_version: MakeVersion) -> User:
    """Ana, for whom a digest is due, and whose group has a tournament that closes entries within a day."""
    EmailAddress.objects.create(user=ana, email="ana@example.org", verified=True)
    bot = make_version(ben, "Heron").bot
    follow(user=ana, subject=bot)
    choose_timing(user=ana, timing=Timing.DAILY, language="en", site="https://arena.example/")
    NewsPreference.objects.update(next_digest_at=now(), mailed_until=now() - 2 * AN_HOUR)
    Follow.objects.update(created_at=now() - 3 * AN_HOUR)
    at = now() - AN_HOUR
    News.objects.create(
        kind=News.Kind.VERSION, about="version 2", bot=bot, facts={"version": 2}, happened_at=at, told_at=now()
    )
    ben.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    organiser = User.objects.get(pk=ben.pk)
    group = create_group(owner=organiser, name="Class 10.b")
    join_group(group=group, user=ana, real_name="Anna")
    plan = TournamentPlan(
        title="Cup",
        game="battleline",
        edition="standard",
        entries_close_at=now() + 20 * AN_HOUR,
        access=Access(group=group, visibility="group"),
    )
    open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
    return ana


def run_until_it_sends(task: Callable[[], None], settings: Settings) -> None:
    """Run a task in a process that is killed once it has connected to its mail server, which says nothing."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.getsockname()
        server.settimeout(60)
        connections.close_all()
        worker = os.fork()
        if not worker:
            try:
                task()
            finally:
                os._exit(1)
        try:
            connected, _address = server.accept()
        finally:
            os.kill(worker, signal.SIGKILL)
            _pid, status = os.waitpid(worker, 0)
        connected.close()
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def read_subjects(folder: Path) -> list[str]:
    """The subjects of the mails in a folder, by name."""
    lines = (line for file in folder.iterdir() for line in file.read_text().splitlines())
    return sorted(line.removeprefix("Subject: [Pennant] ") for line in lines if line.startswith("Subject: "))


def test_mails_of_killed_workers_are_sent_later_and_once(reader: User, settings: Settings, tmp_path: Path) -> None:
    run_until_it_sends(tasks.send_digests, settings)
    run_until_it_sends(tasks.remind, settings)
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    tasks.send_digests()
    tasks.remind()
    assert read_subjects(tmp_path) == [], "they may still be on their way"
    NewsPreference.objects.update(next_digest_at=F("next_digest_at") - RETRY_DELAY)
    Notice.objects.filter(event=Event.TOURNAMENT_REMINDER).update(created_at=F("created_at") - MAIL_CLAIM)
    for _again in range(2):
        tasks.send_digests()
        tasks.remind()
    assert read_subjects(tmp_path) == ["1 update on what you follow", "Entries close soon"]
