"""Both transports read urgent queues first, and know which tasks wait. Nobody waits for a Redis that is lost."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest
from celery.worker.request import Request
from django.conf import settings as site_settings
from kombu import Connection, Queue
from kombu.transport.virtual import Channel
from redis import Redis

from arena.core import brokers
from arena.core.brokers import QUEUES, RedisOrMemoryCache, RedisTransport, connect_within, find_outage, sort_queues
from arena.core.wake import Work
from arena.operations import tasks
from arena.operations.health import find_broker_problem
from arena.operations.management.commands.serve_remote_bots import TASKS, build_message
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


def test_every_periodic_task_waits_once() -> None:
    for entry in tasks.sweep.app.conf.beat_schedule.values():
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


@pytest.fixture
def unknown_name(monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[str]:
    """An address of Redis whose name is looked up for ten seconds in vain, as where no server for names answers."""
    url, look_up, ends = "redis://redis.example.org:6379/0", socket.getaddrinfo, Event()

    def wait(host: object, *arguments: object, **more: object) -> object:
        if host != "redis.example.org":
            return look_up(host, *arguments, **more)
        ends.wait(10)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    settings.REDIS_URL = url
    yield url
    find_outage(url).is_on = False
    ends.set()


def test_nobody_waits_for_a_name_that_isnt_found(unknown_name: str, messages, caplog) -> None:
    cache = RedisOrMemoryCache(unknown_name, {"KEY_PREFIX": "lost", "OPTIONS": {"socket_connect_timeout": 0.5}})
    began = monotonic()
    cache.set("one", 1)
    assert 0.4 < monotonic() - began < 5  # the lookup takes ten
    began = monotonic()
    seen: list[object] = []
    others = [Thread(target=lambda: seen.append(cache.get("one"))) for _ in range(4)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    tasks.sweep.delay()
    assert monotonic() - began < 0.4 and seen == [1] * 4
    assert tasks.sweep.count_waiting() == 0
    assert [record.message for record in caplog.records].count("Redis answers again") == 0


def test_health_checks_dont_wait_for_a_name_either(unknown_name: str) -> None:
    began = monotonic()
    problem = find_broker_problem()
    assert problem is not None and problem.reason == "Redis doesn't answer."
    assert monotonic() - began < 5


def test_a_connection_that_comes_too_late_is_closed() -> None:
    late, other = socket.socketpair()
    may_come = Event()

    def connect() -> socket.socket:
        may_come.wait()
        return late

    with pytest.raises(TimeoutError):
        connect_within(0.05, connect)
    may_come.set()
    with other:
        assert other.recv(1) == b""


@pytest.mark.servers
def test_redis_is_used_again_once_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brokers, "RETRY_INTERVAL_S", 0.05)
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    cache, other = (RedisOrMemoryCache(url, {"KEY_PREFIX": "back"}) for _ in range(2))
    cache.set("one", 1)
    outage = find_outage(url)
    assert outage.is_on
    try:
        with redis_server(port):
            deadline = monotonic() + 20
            while outage.is_on and monotonic() < deadline:
                sleep(0.05)
            cache.set("two", 2)
            assert other.get("two") == 2 and other.get("one") is None
            for one in (cache, other):
                one._cache._client.get_client().connection_pool.disconnect()
    except NoServer as missing:
        pytest.skip(str(missing))
    finally:
        outage.is_on = False


@pytest.mark.servers
def test_celery_reads_messages_of_the_remote_bot_server_as_its_own() -> None:
    task, queue = TASKS[Work.LIVE_GAME]
    with redis_server() as url, Redis.from_url(url) as client:
        client.lpush(queue, build_message(task, queue, 7))
        app = tasks.sweep.app
        with app.connection(url, transport=RedisTransport) as connection:
            message = connection.channel().basic_get(queue)
            assert message is not None
            request = Request(message, app=app, task=app.tasks[task], decoded=False)
            assert (request.args, request.kwargs, request.name) == ([7], {}, task)
            message.ack()
        assert not client.llen(queue) and not client.hlen("unacked")
    routes = {name: route["queue"] for name, route in site_settings.CELERY_TASK_ROUTES.items()}
    assert all(queue == routes.get(task, routes["arena.*"]) for task, queue in TASKS.values())
