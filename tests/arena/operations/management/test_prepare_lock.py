"""Two processes that start at the same time don't migrate together."""

from queue import SimpleQueue
from threading import Event, Thread

import pytest
from django.db import connection

from arena.operations.management.prepare import WAITING, hold_prepare_lock

WAIT_S = 20.0


@pytest.mark.django_db
def test_who_comes_second_says_so_and_waits_for_the_first() -> None:
    said: SimpleQueue[str] = SimpleQueue()
    began = Event()

    def come_second() -> None:
        try:
            with hold_prepare_lock(said.put):
                began.set()
        finally:
            connection.close()

    second = Thread(target=come_second)
    with hold_prepare_lock(said.put):
        second.start()
        assert said.get(timeout=WAIT_S) == WAITING
        assert not began.wait(0.1)
    second.join(WAIT_S)
    assert began.is_set() and said.empty()
    with hold_prepare_lock(said.put):
        assert said.empty()
