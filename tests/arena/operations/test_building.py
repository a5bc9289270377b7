"""From the source of a compiled language to a version that plays, with the real compiler in the real sandbox."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.services import add_version, create_bot
from arena.matches.runner_process import RunnerProcess
from arena.matches.workers import SandboxStatus
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.runner.program import PARAMETERS_FILE
from tests.cli.test_starting import READS_ITS_PARAMETERS

pytestmark = pytest.mark.django_db(transaction=True)
FIRST_LEGAL = rb"""
#include <stdio.h>
#include <string.h>
static char line[1 << 16];
int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        char *legal = strstr(line, "\"legal\":[\"");
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"ready\"}");
        else if (legal) printf("{\"action\":\"%.*s\"}\n", (int)strcspn(legal + 10, "\""), legal + 10);
        fflush(stdout);
    }
}
"""
REFUSED = b"int main(void) { return plan; }"
Messages = Callable[[], list[Path]]


@pytest.fixture(scope="module")
def whole(runner: RunnerProcess) -> RunnerProcess:
    """A runner process that has looked for all languages."""
    runner.examine()
    if "c" not in runner.languages:
        pytest.skip("there is no C compiler, or it can't be used in a sandbox here")
    return runner


@pytest.fixture(autouse=True)
def status(whole: RunnerProcess, monkeypatch: pytest.MonkeyPatch) -> SandboxStatus:
    found = SandboxStatus(whole)
    monkeypatch.setattr(tasks, "sandbox_status", found)
    return found


@pytest.fixture
def upload(ana: User, messages: Messages) -> Callable[[bytes], BotVersion]:
    def add(source: bytes) -> BotVersion:
        bot = create_bot(owner=ana, name="quick", game="battleline")
        return add_version(bot=bot, files={"bot.c": source}, state=BotVersion.State.BUILDING)

    return add


def test_a_source_is_built_tried_and_accepted(upload: Callable[[bytes], BotVersion], messages: Messages) -> None:
    version = upload(FIRST_LEGAL)
    tasks.play_next()
    version.refresh_from_db()
    assert version.state == "on_trial"
    assert version.binary is not None and next(iter(version.program.files.values())).startswith(b"\x7fELF")
    assert version.files == {"bot.c": FIRST_LEGAL}
    assert messages(), "workers are woken for its trial"
    tasks.play_next()
    version.refresh_from_db()
    assert (version.state, version.state_reason) == ("accepted", None)


def test_parameters_are_beside_what_was_built_in_a_match(messages: Messages, ana: User) -> None:
    files = {"bot.c": READS_ITS_PARAMETERS.encode(), PARAMETERS_FILE: b'{"depth": 3}', "notes.txt": b"left out"}
    bot = create_bot(owner=ana, name="tuned", game="battleline")
    version = add_version(bot=bot, files=files, state=BotVersion.State.BUILDING)
    tasks.check_next()
    version.refresh_from_db()
    assert version.program.files.keys() == {"bot", PARAMETERS_FILE}
    version.refresh_from_db()
    assert (version.state, version.state_reason) == ("accepted", None)


def test_an_upload_to_a_worker_that_has_not_tested_compilers_yet_is_built_once_it_has(
    upload: Callable[[bytes], BotVersion], messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from arena.runner import __main__ as program; program.LANGUAGE_SEARCH_IDLE_S = 300; program.main()"
    code = code.replace("program.main", "program.LANGUAGE_SEARCH_MAX_DELAY_S = 300; program.main")
    starting = RunnerProcess((sys.executable, "-c", code))
    monkeypatch.setattr(tasks, "sandbox_status", SandboxStatus(starting))
    version = upload(FIRST_LEGAL)
    try:
        tasks.check_next()
        version.refresh_from_db()
        assert starting.tested_languages == {"python"} and version.state == "building"
        starting.examine()
        tasks.check_next()
    finally:
        starting.kill()
    version.refresh_from_db()
    assert version.state == "accepted"


def test_a_source_that_does_not_compile_is_rejected_with_what_the_compiler_said(
    upload: Callable[[bytes], BotVersion], messages: Messages
) -> None:
    version = upload(REFUSED)
    tasks.check_next()
    version.refresh_from_db()
    assert version.state == "rejected"
    assert "bot.c:1:" in version.build_log and "plan" in version.build_log
    assert not messages()


def test_building_twice_changes_nothing(upload: Callable[[bytes], BotVersion], messages: Messages) -> None:
    version = upload(FIRST_LEGAL)
    tasks.check_next()
    before = BotVersion.objects.values().get()
    tasks.build_version(version.pk)
    assert BotVersion.objects.values().get() == before


def test_what_this_machine_can_not_build_waits_for_another(
    upload: Callable[[bytes], BotVersion], messages: Messages
) -> None:
    version = upload(FIRST_LEGAL)
    BotVersion.objects.update(language="cobol")
    tasks.check_next()
    version.refresh_from_db()
    assert version.state == "building"


def test_a_runner_process_that_fails_leaves_the_version_waiting(
    ana: User, status: SandboxStatus, messages: Messages, broken: RunnerProcess
) -> None:
    bot = create_bot(owner=ana, name="quick", game="battleline")
    version = add_version(bot=bot, files={"bot.py": b"print()"}, state=BotVersion.State.BUILDING)
    status.runner = broken
    tasks.check_next()
    version.refresh_from_db()
    assert version.state == "building" and version.build_failures == 1 and version.build_due_at > now()
