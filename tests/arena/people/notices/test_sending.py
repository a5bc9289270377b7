from base64 import b64decode
from collections.abc import Iterable
from datetime import timedelta
from itertools import islice, repeat
from time import monotonic, sleep, thread_time

import orjson
import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.core.errors import Conflict
from arena.matches.runner_process import RunnerProcess
from arena.matches.workers import SandboxStatus
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.people.notices import services
from arena.people.notices.models import Delivery, Event, Notice, Webhook, new_key
from arena.people.notices.services import (
    MAX_CONSECUTIVE_FAILED_DELIVERIES,
    MAX_DELIVERIES_AT_ONCE_PER_OWNER,
    MAX_DELIVERY_ATTEMPTS,
    Courier,
    attempt_delivery,
    find_due_deliveries,
    notify_user,
    queue_test_delivery,
    sign_request,
)
from tests.arena.people.notices.listener import Listener, listening, wasting
from tests.bots.test_readme import program_with

PAYLOAD = {"bot": "k", "version": 2}


@pytest.fixture
def listener(settings: Settings):
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    with listening() as server:
        yield server


@pytest.fixture
def webhook(ana: User, listener: Listener) -> Webhook:
    return Webhook.objects.create(owner=ana, url=listener.url, events=[Event.TRIAL_FINISHED])


@pytest.fixture
def delivery(webhook: Webhook) -> Delivery:
    return Delivery.objects.create(webhook=webhook, event=Event.TRIAL_FINISHED, payload=PAYLOAD)


def due_again(delivery: Delivery) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(next_at=now() - timedelta(seconds=1))


def test_the_signature_is_that_of_the_published_example() -> None:
    """The example of the scheme's own specification."""
    key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    signature = sign_request(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_an_event_arrives_signed(listener: Listener, delivery: Delivery) -> None:
    assert attempt_delivery(delivery_id=delivery.pk)
    ((headers, body),) = listener.got
    assert orjson.loads(body) == {
        "type": "trial.finished",
        "timestamp": delivery.created_at.isoformat(),
        "data": PAYLOAD,
    }
    key, timestamp = delivery.webhook.key, int(headers["webhook-timestamp"])
    assert len(b64decode(key.removeprefix("whsec_"))) == 32
    assert headers["webhook-signature"] == sign_request(key, headers["webhook-id"], timestamp, body)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status, delivery.attempts) == (Delivery.State.DELIVERED, 204, 1)


def test_the_guide_tells_how_to_check_a_signature(listener: Listener, delivery: Delivery) -> None:
    attempt_delivery(delivery_id=delivery.pk)
    ((headers, body),) = listener.got
    names: dict = {}
    exec(program_with("def is_from_the_arena"), names)
    is_from_the_arena = names["is_from_the_arena"]
    assert is_from_the_arena(delivery.webhook.key, headers, body)
    assert not is_from_the_arena(new_key(), headers, body)
    assert not is_from_the_arena(delivery.webhook.key, headers, body + b" ")
    assert not is_from_the_arena(delivery.webhook.key, headers | {"webhook-timestamp": "1614265330"}, body)


def test_what_was_delivered_is_not_sent_again(listener: Listener, delivery: Delivery) -> None:
    attempt_delivery(delivery_id=delivery.pk)
    assert not attempt_delivery(delivery_id=delivery.pk)
    assert len(listener.got) == 1 and not find_due_deliveries().exists()


def test_who_refuses_is_asked_again_ever_later_until_it_is_given_up(listener: Listener, delivery: Delivery) -> None:
    listener.status = 500
    pauses = []
    for attempt in range(1, MAX_DELIVERY_ATTEMPTS + 1):
        assert find_due_deliveries().get() == delivery
        began = now()
        assert not attempt_delivery(delivery_id=delivery.pk)
        delivery.refresh_from_db()
        assert (delivery.attempts, delivery.status) == (attempt, 500)
        pauses.append((delivery.next_at - began).total_seconds())
        assert not find_due_deliveries().exists()
        due_again(delivery)
    assert delivery.state == Delivery.State.GAVE_UP and len(listener.got) == MAX_DELIVERY_ATTEMPTS
    waited = pauses[:-1]
    assert waited == sorted(waited) and 5 <= waited[0] <= 15
    assert not attempt_delivery(delivery_id=delivery.pk)


def test_a_redirect_is_not_followed(listener: Listener, delivery: Delivery) -> None:
    listener.status, listener.location = 302, listener.url
    assert not attempt_delivery(delivery_id=delivery.pk)
    assert len(listener.got) == 1


def test_nobody_at_the_address_is_no_fault_of_ours(delivery: Delivery) -> None:
    Webhook.objects.update(url="http://127.0.0.1:1/")
    assert not attempt_delivery(delivery_id=delivery.pk)
    delivery.refresh_from_db()
    assert delivery.error and delivery.status is None and delivery.state == Delivery.State.WAITING


def test_an_address_that_leads_inside_by_now_is_not_called(
    listener: Listener, delivery: Delivery, settings: Settings
) -> None:
    settings.WEBHOOK_NETWORKS = []
    assert not attempt_delivery(delivery_id=delivery.pk)
    delivery.refresh_from_db()
    assert "arena's own network" in str(delivery.error) and listener.got == []


def test_a_webhook_that_takes_nothing_is_switched_off_and_its_owner_told(ana: User, webhook: Webhook) -> None:
    Webhook.objects.update(url="http://127.0.0.1:1/", failures=MAX_CONSECUTIVE_FAILED_DELIVERIES - 1)
    last = Delivery.objects.create(
        webhook=webhook, event=Event.TRIAL_FINISHED, payload=PAYLOAD, attempts=MAX_DELIVERY_ATTEMPTS - 1
    )
    attempt_delivery(delivery_id=last.pk)
    webhook.refresh_from_db()
    assert not webhook.is_active
    assert "disabled" in str(Notice.objects.get(user=ana).text)
    notify_user(user=ana, event=Event.TRIAL_FINISHED, text="", payload=PAYLOAD)
    assert webhook.deliveries.filter(state=Delivery.State.WAITING).count() == 0


def test_a_test_is_tried_once_and_counts_for_nothing(listener: Listener, webhook: Webhook) -> None:
    listener.status = 404
    delivery = queue_test_delivery(webhook=webhook)
    attempt_delivery(delivery_id=delivery.pk)
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    assert (delivery.state, delivery.status, webhook.failures) == (Delivery.State.GAVE_UP, 404, 0)


DRIPPED = (bytes([letter]) for letter in b"HTTP/1.1 204 No Content\r\nx-padding: " + 3000 * b"x")
"""An answer that takes ever longer than any single read."""


@pytest.mark.parametrize(
    ("answer", "pause_s"),
    [(DRIPPED, 0.1), (repeat(b"HTTP/1.1 102 Processing\r\n\r\n"), 0.1), (repeat(b"HTTP/1.1 100 \r\n\r\n"), 0.0)],
    ids=["byte by byte", "102 without end", "100 as fast as it can"],
)
def test_an_answer_without_end_ends_at_the_deadline(
    delivery: Delivery, monkeypatch: pytest.MonkeyPatch, answer: Iterable[bytes], pause_s: float
) -> None:
    monkeypatch.setattr(services, "DELIVERY_DEADLINE_S", 1.0)
    with wasting(islice(answer, 600 if pause_s else None), pause_s) as url:
        Webhook.objects.update(url=url)
        began, used = monotonic(), thread_time()
        assert not attempt_delivery(delivery_id=delivery.pk)
        assert monotonic() - began < 5 and thread_time() - used < 0.8
    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.WAITING and delivery.status is None
    assert "No answer within 1 seconds" in str(delivery.error) or "No status within" in str(delivery.error)


def test_a_name_server_without_an_answer_holds_nothing(delivery: Delivery, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's own function is replaced: what it asks is not ours to slow down."""
    monkeypatch.setattr(services, "DELIVERY_DEADLINE_S", 0.3)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: sleep(5))
    began = monotonic()
    assert not attempt_delivery(delivery_id=delivery.pk)
    assert monotonic() - began < 3


@pytest.mark.django_db(transaction=True)
def test_slow_receivers_of_one_owner_delay_nobody_else(
    ana: User, ben: User, webhook: Webhook, listener: Listener
) -> None:
    with wasting(repeat(b"H"), 0.1) as url:
        slow = Webhook.objects.create(owner=ben, url=url)
        Delivery.objects.bulk_create(Delivery(webhook=slow, event=Event.PING, payload={}) for _ in range(40))
        Delivery.objects.bulk_create(Delivery(webhook=webhook, event=Event.PING, payload={}) for _ in range(5))
        courier = Courier()
        began = monotonic()
        courier.wake()
        assert monotonic() - began < 1, "who wakes it waits for nothing"
        while len(listener.got) < 5 and monotonic() - began < 60:
            sleep(0.05)
        assert len(listener.got) == 5
        most = MAX_DELIVERIES_AT_ONCE_PER_OWNER * (1 + (monotonic() - began) // services.DELIVERY_DEADLINE_S)
        assert 1 <= Delivery.objects.filter(webhook=slow, attempts__gt=0).count() <= most
    courier.close()


@pytest.mark.django_db(transaction=True)
def test_all_that_is_due_is_sent_once(webhook: Webhook, listener: Listener) -> None:
    Delivery.objects.bulk_create(Delivery(webhook=webhook, event=Event.PING, payload={}) for _ in range(30))
    courier = Courier()
    courier.wake()
    courier.wait()
    assert len(listener.got) == len({headers["webhook-id"] for headers, _ in listener.got}) == 30
    assert not find_due_deliveries().exists()


def test_more_than_a_queue_holds_is_given_up_at_once(
    ana: User, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_WAITING_DELIVERIES_PER_OWNER", 2)
    for number in range(3):
        notify_user(user=ana, event=Event.TRIAL_FINISHED, about=f"trial {number}", payload=PAYLOAD)
    given_up = webhook.deliveries.get(state=Delivery.State.GAVE_UP)
    assert given_up.about == "trial 2" and "2 events are already waiting" in str(given_up.error)
    with pytest.raises(Conflict):
        queue_test_delivery(webhook=webhook)


@pytest.mark.django_db(transaction=True)
def test_the_sweep_takes_up_what_is_due(
    delivery: Delivery, runner: RunnerProcess, monkeypatch: pytest.MonkeyPatch, messages
) -> None:
    monkeypatch.setattr(tasks, "sandbox_status", SandboxStatus(runner))
    tasks.sweep()
    sent = [orjson.loads(message.read_bytes())["headers"]["task"] for message in messages()]
    assert sent.count("arena.tasks.send_delivery") == 1
    tasks.send_delivery(delivery.pk)
    services.courier.wait()
    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.DELIVERED
