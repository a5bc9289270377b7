"""Both transports read urgent queues first, and know which tasks wait."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection, Queue
from kombu.transport.virtual import Channel

from arena.core.brokers import QUEUES, RedisOrMemoryCache, sort_queues
from arena.operations import tasks
from arena.operations.tasks import tell_news
from tests.servers import NoServer, free_port, redis_server


@pytest.fixture(params=["files", "redis"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connection]:
    if request.param == "files":
        folders = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path), "control_folder": str(tmp_path)}
        with Connection(
            "filesystem://", transport="arena.core.brokers:FileTransport", transport_options=folders
        ) as found:
            yield found
        return
    try:
        with (
            redis_server() as url,
            Connection(
                f"{url}/0",
                transport="arena.core.brokers:RedisTransport",
                transport_options={"queue_order_strategy": "priority"},
            ) as found,
        ):
            yield found
    except NoServer as missing:
        pytest.skip(str(missing))


def send(channel: Channel, queue: str, task: str) -> None:
    channel.connection.client.Producer(channel).publish(
        task, routing_key=queue, headers={"task": task}, declare=[Queue(queue)]
    )


def test_urgent_queues_are_read_first_whatever_came_when(connection: Connection) -> None:
    channel = connection.channel()
    for queue in reversed(QUEUES):
        for number in (1, 2):
            send(channel, queue, f"{queue} {number}")
    taken: list[str] = []
    queues = [Queue(name) for name in ("celery", "control", "deliveries", "analysis", "live")]
    with connection.Consumer(
        queues, channel=channel, callbacks=[lambda body, message: taken.append(body)], no_ack=True
    ):
        while len(taken) < 2 * len(QUEUES):
            connection.drain_events(timeout=5)
    assert taken == [f"{queue} {number}" for queue in QUEUES for number in (1, 2)]


def test_tasks_that_wait_are_listed(connection: Connection) -> None:
    channel = connection.channel()
    assert channel.list_waiting_tasks("control") == []
    for task in ("arena.tasks.sweep", "arena.tasks.settle_match", "arena.tasks.sweep"):
        send(channel, "control", task)
    send(channel, "celery", "arena.tasks.play_next")
    assert sorted(channel.list_waiting_tasks("control")) == [
        "arena.tasks.settle_match",
        "arena.tasks.sweep",
        "arena.tasks.sweep",
    ]


def test_unknown_queues_come_last() -> None:
    assert sort_queues(["own", "celery", "live"]) == ["live", "celery", "own"]


def test_a_periodic_task_never_waits_twice(messages) -> None:
    for _ in range(3):
        tell_news.delay()
        tasks.sweep.delay()
    assert tell_news.count_waiting() == tasks.sweep.count_waiting() == 1


def test_no_more_messages_for_matches_wait_than_there_are_slots(messages, settings) -> None:
    for _ in range(5):
        tasks.play_next.delay()
    assert tasks.play_next.count_waiting() == settings.CELERY_WORKER_CONCURRENCY


def test_every_periodic_task_waits_once(settings) -> None:
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        task = tasks.sweep.app.tasks[entry["task"]]
        assert task.max_waiting == 1, task.name


def test_every_method_of_the_cache_works_without_redis() -> None:
    cache = RedisOrMemoryCache(f"redis://127.0.0.1:{free_port()}", {"KEY_PREFIX": "without"})
    assert cache.add("count", 1) and not cache.add("count", 5) and cache.touch("count", 60)
    assert cache.incr("count") == 2 and cache.decr("count") == 1
    assert cache.set_many({"one": 1, "two": 2}) == [] and cache.get_many(["one", "two"]) == {"one": 1, "two": 2}
    cache.delete_many(["one"])
    assert not cache.has_key("one") and "two" in cache and cache.get_or_set("three", 3) == 3
    assert cache.delete("two") and not cache.delete("two")
    with pytest.raises(ValueError):
        cache.incr("two")
    cache.clear()
    assert cache.get("three", "gone") == "gone"
