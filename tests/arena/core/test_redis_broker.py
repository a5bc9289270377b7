"""A worker takes messages again after Redis was away while it had its hands full."""

import random
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import redis
import yaml
from kombu import Connection, Queue
from kombu.transport.virtual import Channel

from arena.core.brokers import RedisOrMemoryCache
from tests.servers import NoServer, free_port, redis_server
from tests.test_container import ROOT

COMPOSE = ROOT / "docker-compose.yml"
TRANSPORT = "arena.core.brokers:RedisTransport"


class Broker:
    """A Redis server that comes and goes, at a port of its own."""

    def __init__(self) -> None:
        self.port = free_port()
        self.running = ExitStack()
        self.start()

    def start(self) -> None:
        self.running.enter_context(redis_server(self.port))

    def stop(self) -> None:
        self.running.close()


@pytest.fixture
def broker() -> Iterator[Broker]:
    try:
        server = Broker()
    except NoServer as missing:
        pytest.skip(str(missing))
    yield server
    server.stop()


@pytest.fixture
def channel(broker: Broker) -> Iterator[Channel]:
    """A channel that takes one message at a time."""
    with Connection(f"redis://127.0.0.1:{broker.port}/0", transport=TRANSPORT) as connection:
        channel = connection.channel()
        channel.basic_qos(0, 1, False)
        yield channel


@pytest.mark.parametrize("answer", ["ack", "reject", "requeue"])
def test_what_could_not_be_answered_while_redis_was_away_holds_up_nothing(
    answer: str, broker: Broker, channel: Channel
) -> None:
    producer, queue = channel.connection.client.Producer(), Queue("work")(channel)
    producer.publish("first", routing_key="work", declare=[queue])
    first = queue.get()
    assert first is not None and not channel.qos.can_consume()
    broker.stop()
    with pytest.raises(channel.connection_errors):
        {"ack": first.ack, "reject": first.reject, "requeue": first.requeue}[answer]()
    assert channel.qos.can_consume()
    broker.start()
    producer.publish("second", routing_key="work", declare=[queue])
    second = queue.get()
    assert second is not None and second.payload == "second"
    second.ack()
    assert channel.qos.can_consume()


def test_a_full_redis_drops_what_is_cached_and_no_message(broker: Broker) -> None:
    """As Compose starts it, with less memory."""
    options = yaml.safe_load(COMPOSE.read_text())["services"]["broker"]["command"]
    policy = options[options.index("--maxmemory-policy") + 1]
    url = f"redis://127.0.0.1:{broker.port}/0"
    with redis.Redis(port=broker.port) as server, Connection(url, transport=TRANSPORT) as connection:
        channel = connection.channel()
        producer, queue = connection.Producer(), Queue("work")(channel)
        for number in range(100):
            producer.publish(number, routing_key="work", declare=[queue])
        taken = queue.get()
        assert taken is not None
        server.config_set("maxmemory", "5mb")
        server.config_set("maxmemory-policy", policy)
        cache = RedisOrMemoryCache(url, {"KEY_PREFIX": "pennant"})
        for number in range(200):
            cache.set(f"preview:{number}", random.randbytes(75_000), 3600)
        assert cache.get("preview:199") is not None and server.info("stats")["evicted_keys"] > 100
        taken.reject(requeue=True)
        found = []
        while (message := queue.get()) is not None:
            message.ack()
            found.append(message.payload)
        assert sorted(found) == list(range(100))
