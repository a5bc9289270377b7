import os
import threading
from collections.abc import Iterator

import pytest

from arena.runner.channel import MAX_MESSAGE_BYTES, Channel, ChannelClosedError, ChannelTimeoutError
from arena.runner.leg import LegProgress
from arena.runner.program import Program
from arena.runner.wire import BadMessageError, Build, Examine, Failed, Progress

PROGRESS = Progress(LegProgress(1, [{"seat": 0, "action": "pass"}], (0, 1)))


@pytest.fixture
def pipes() -> Iterator[list[int]]:
    """Two pipes: the ends to read and to write of one, then of the other."""
    ends = [*os.pipe(), *os.pipe()]
    yield ends
    for end in ends:
        if end >= 0:
            os.close(end)


@pytest.fixture
def here(pipes: list[int]) -> Channel:
    return Channel(pipes[0], pipes[3])


@pytest.fixture
def there(pipes: list[int]) -> Channel:
    return Channel(pipes[2], pipes[1])


def test_messages_arrive_in_order(here: Channel, there: Channel) -> None:
    for message in (Examine(), PROGRESS, Failed("no")):
        there.send(message)
    assert [here.receive(1.0) for _ in range(3)] == [Examine(), PROGRESS, Failed("no")]


def test_a_message_larger_than_a_pipe_arrives(here: Channel, there: Channel) -> None:
    large = Build(Program("large", 1, {"bot.py": os.urandom(5_000_000)}))
    writer = threading.Thread(target=there.send, args=(large,))
    writer.start()
    assert here.receive(20.0) == large
    writer.join()


def test_a_message_in_pieces_is_waited_for(pipes: list[int], here: Channel) -> None:
    os.write(pipes[1], b"\0\0")
    with pytest.raises(ChannelTimeoutError):
        here.receive(0.01)
    os.write(pipes[1], b"\0\x12" + b'{"type":"Examine"}'[:5])
    with pytest.raises(ChannelTimeoutError):
        here.receive(0.01)
    os.write(pipes[1], b'{"type":"Examine"}'[5:])
    assert here.receive(1.0) == Examine()


def test_a_message_that_is_not_read_times_out(there: Channel) -> None:
    with pytest.raises(ChannelTimeoutError):
        there.send(Build(Program("large", 1, {"bot.py": bytes(1_000_000)})), 0.05)


def test_the_end_is_told_on_both_ways(pipes: list[int], here: Channel) -> None:
    for end in (1, 2):
        os.close(pipes[end])
        pipes[end] = -1
    with pytest.raises(ChannelClosedError):
        here.receive(1.0)
    with pytest.raises(ChannelClosedError):
        here.send(PROGRESS)


def test_a_message_or_the_end_makes_a_channel_readable(pipes: list[int], here: Channel, there: Channel) -> None:
    assert not here.is_readable(0)
    there.send(PROGRESS)
    there.send(PROGRESS)
    assert here.is_readable(0)
    here.receive(1.0)
    assert here.is_readable(0)
    here.receive(1.0)
    assert not here.is_readable(0)
    os.close(pipes[1])
    pipes[1] = -1
    assert here.is_readable(0)


def test_an_impossible_length_is_refused_at_once(pipes: list[int], here: Channel) -> None:
    os.write(pipes[1], (MAX_MESSAGE_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(BadMessageError):
        here.receive(1.0)
