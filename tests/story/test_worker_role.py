"""Workers with a role of their own in the database play all there is, and can do little else."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlsplit

import psycopg
import pytest

from arena.core.schedule import PERIODIC_TASKS
from arena.operations.management.supervisor import CELERY_COMMAND, WORKER_TRAFFIC_OPTIONS
from tests.story.installation import COMMAND_TIMEOUT_S, ROOT, SCHEDULER_COMMAND, Installation

ROLE = "pennant-worker"
PLAYED = 6
FORBIDDEN = (
    "create table beside (id int)",
    "alter table matches_match add column more int",
    "drop table matches_match",
    "truncate matches_match",
    "create rule more as on update to matches_match do nothing",
    "select session_key from django_session",
    "select digest from bots_token",
    "select data from mfa_authenticator",
    "update accounts_user set is_staff = true",
    "update accounts_user set password = ''",
    "insert into accounts_user_groups (user_id, group_id) values (1, 1)",
    "delete from audit_auditentry",
    "update audit_auditentry set reason = ''",
    "create role another",
    "copy matches_match to program 'id'",
    f'alter table matches_match owner to "{ROLE}"',
)

pytestmark = [pytest.mark.full, pytest.mark.servers]


@pytest.fixture
def owned(served: Installation) -> Iterator[Installation]:
    """An installation whose database belongs to a role that is no superuser, with a role for workers."""
    assert served.database is not None
    name = urlsplit(served.database).path[1:]
    with psycopg.connect(served.database, autocommit=True) as superuser:
        superuser.execute("create role arena login")
        superuser.execute(f'create role "{ROLE}" login')
        superuser.execute(f"alter database {name} owner to arena")
    owner = served.database.replace("pennant@", "arena@")
    yield replace(served, database=owner, more={"PENNANT_WORKER_ROLE": ROLE})
    with psycopg.connect(served.database, autocommit=True) as superuser:
        superuser.execute(f'drop owned by "{ROLE}"')
        superuser.execute("reassign owned by arena to pennant")
        superuser.execute(f"alter database {name} owner to pennant")
        superuser.execute(f'drop role arena, "{ROLE}"')


def as_worker(owned: Installation, data: Path) -> Installation:
    assert owned.database is not None
    return replace(owned, data=data, database=owned.database.replace("arena@", f"{ROLE}@"), more={})


def wait_until(happened: Callable[[], object]) -> None:
    deadline = monotonic() + COMMAND_TIMEOUT_S
    while not happened():
        assert monotonic() < deadline
        sleep(0.2)


def serve_queues(queues: str) -> list[str]:
    return [*CELERY_COMMAND, "worker", "--queues", queues, "--concurrency", "1", *WORKER_TRAFFIC_OPTIONS]


def test_workers_play_with_a_role_that_can_do_little_else(owned: Installation, tmp_path_factory) -> None:
    owned.manage("prepare")
    worker = as_worker(owned, tmp_path_factory.mktemp("worker"))
    owned.run("tests.story.author", "bot", "ana", "battleline", str(ROOT / "bots/samples/random/bot.py"))
    logs = {}
    with (
        worker.running("matches", serve_queues("live,control,deliveries,celery")),
        owned.running("analysis", serve_queues("analysis")),
        worker.running("scheduler", SCHEDULER_COMMAND),
    ):
        tried = "select state from bots_botversion where bot_id in (select id from bots_bot where name = 'ana')"
        wait_until(lambda: owned.query(tried) == [("accepted",)])
        wait_until(lambda: len(owned.rated()) >= PLAYED)
        for entry in PERIODIC_TASKS.values():
            worker.deliver(entry["task"])
        more = len(owned.rated()) + 2
        wait_until(lambda: len(owned.rated()) >= more)
        owned.manage("prepare")  # again, while they play
        wait_until(lambda: len(owned.rated()) >= more + 2)
    for folder in (worker.data, owned.data):
        logs |= {path.name: path.read_text() for path in folder.glob("*.log")}
    assert set(logs) == {"matches.log", "analysis.log", "scheduler.log"}
    assert not [line for text in logs.values() for line in text.splitlines() if "permission denied" in line]
    assert not [name for name, text in logs.items() if "Traceback" in text]
    assert worker.database is not None
    with psycopg.connect(worker.database, autocommit=True) as connection:
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
        for table in ("django_session", "mfa_authenticator", "bots_token"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"select from {table}")


def test_a_role_that_is_missing_or_the_sites_own_is_refused(owned: Installation) -> None:
    unknown = replace(owned, more={"PENNANT_WORKER_ROLE": "nobody-of-this-name"})
    assert "has no role nobody-of-this-name. Create it" in unknown.refuses("prepare")
    own = replace(owned, more={"PENNANT_WORKER_ROLE": "arena"})
    assert "Workers need another role" in own.refuses("prepare")
