"""Notify users and their webhooks of events: what they were told, and deliveries to addresses on the internet."""

import hmac
import logging
import secrets
import socket
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from queue import Empty, SimpleQueue
from ssl import SSLContext
from threading import Lock, Thread, current_thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpcore
import orjson
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F, QuerySet
from django.utils.timezone import now

from arena.core.errors import ArenaError, Conflict, first_line
from arena.people.accounts.models import User
from arena.people.accounts.names import list_staff
from arena.people.notices.models import WEBHOOK_KEY_PREFIX, Delivery, Event, Notice, Webhook
from engine.message import Message, MessageError, gettext_noop, literal, message

# Check where a webhook may lead: to the internet, and never into the arena's own network.
#
# What is allowed is decided by address, not by name, and the address that was looked at is the one that is called: a
# name may have another address a moment later.

Network = IPv4Network | IPv6Network
NETWORKS_EMBEDDING_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16"), IPv6Network("2001::/32"))
"""NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380): an IPv6 address that leads to any IPv4 address."""
SITE_LOCAL_IPV6_NETWORK = IPv6Network("fec0::/10")
"""Addresses of a site, deprecated by RFC 3879 but still routed by some."""
LOOK_UP_TIMEOUT_S = 5.0
MAX_ANSWER_HEAD_BYTES = 32 * 1024
"""Most that is read of an answer: status and headers, and all responses of the kind 1xx before them."""
WRITTEN_AT_ONCE_BYTES = 1024


class BadAddress(ArenaError):
    """An address that the arena doesn't call; the message says why."""


class Deadline:
    """The end of a time that everything about one request shares."""

    def __init__(self, seconds: float) -> None:
        self.at = monotonic() + seconds

    def limit(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
        """Return the seconds for the next step, no more than `timeout`. Raises the error when no time is left."""
        left = self.at - monotonic()
        if left <= 0:
            raise error("The request took too long.")
        return left if timeout is None else min(left, timeout)


def check_webhook_url(url: str, allowed: Iterable[str] = ()) -> None:
    """Check whether a webhook may lead there at present. Raises BadAddress."""
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise BadAddress(message(gettext_noop("The port isn't a number from 1 to 65535."))) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadAddress(message(gettext_noop("An address starts with https:// or http:// and a host name.")))
    if parts.username or parts.password:
        problem = gettext_noop("Leave the username and password out of the address: requests are signed.")
        raise BadAddress(message(problem))
    resolve_callable_addresses(parts.hostname, port, allowed)


def resolve_callable_addresses(
    host: str, port: int, allowed: Iterable[str] = (), deadline: Deadline | None = None
) -> list[str]:
    """Return the addresses of a host. Raises BadAddress unless all of them may be called."""
    try:
        found = _look_up(host, port, deadline or Deadline(LOOK_UP_TIMEOUT_S))
    except (OSError, UnicodeError):
        raise BadAddress(message(gettext_noop("The host %(host)s couldn't be found."), host=host)) from None
    addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
    networks = [ip_network(one) for one in allowed]
    own = list_own_networks()
    for address in addresses:
        is_allowed = any(ip_address(address.partition("%")[0]) in network for network in networks)
        if not is_allowed and (not is_on_internet(address, own) or _is_own_address(address)):
            problem = gettext_noop(
                "%(host)s is in the arena's own network (%(address)s), so webhooks can't be sent there."
            )
            raise BadAddress(message(problem, host=host, address=address))
    return addresses


def _look_up(host: str, port: int, deadline: Deadline) -> list[Any]:
    """Return what getaddrinfo finds by the deadline. Raises what it raises, or TimeoutError.

    Nothing stops a look-up, which a slow name server holds for half a minute, so it is left to a thread of its own.
    """
    answers: SimpleQueue[list[Any] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    Thread(target=look_up, daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.limit(None, httpcore.ConnectTimeout))
    except Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def is_on_internet(address: str, own_networks: Sequence[Network] = ()) -> bool:
    """Return whether an address is on the internet, and in none of these networks."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    if (
        not ip.is_global
        or ip.is_multicast
        or ip.is_reserved
        or any(ip in network for network in (*NETWORKS_EMBEDDING_IPV4, SITE_LOCAL_IPV6_NETWORK))
    ):
        return False
    return not any(ip in network for network in own_networks)


def list_own_networks() -> list[Network]:
    """Return the networks this machine is in itself, public ones too: what it reaches without a router."""
    networks: list[Network] = []
    for line in _read_lines("/proc/net/route")[1:]:
        _, target, gateway, _, _, _, _, mask, *_ = line.split()
        if int(gateway, 16) == 0 and int(mask, 16) != 0:
            networks.append(
                IPv4Network(
                    (_parse_swapped_address(target), str(ip_address(_parse_swapped_address(mask)))), strict=False
                )
            )
    for line in _read_lines("/proc/net/ipv6_route"):
        target, length, _, _, gateway, *_ = line.split()
        if int(gateway, 16) == 0 and int(length, 16) != 0:
            networks.append(IPv6Network((int(target, 16), int(length, 16)), strict=False))
    return networks


def _is_own_address(address: str) -> bool:
    """Return whether an address is this machine's: packets to it would come from it. Nothing is sent."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError:  # no way there
            return False
        return str(probe.getsockname()[0]) == address


def _read_lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:  # no such protocol, or no /proc here
        return []


def _parse_swapped_address(word: str) -> int:
    """Return an IPv4 address that /proc/net/route writes in the machine's order of bytes."""
    return socket.ntohl(int(word, 16))


class Guard(httpcore.SyncBackend):
    """A network backend that connects to hosts outside only, and for a limited time."""

    def __init__(self, allowed: Iterable[str] = (), *, seconds: float) -> None:
        self.allowed = tuple(allowed)
        self.deadline = Deadline(seconds)

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *args: Any, **kwargs: Any
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host that answers. Raises BadAddress, or what httpcore raises."""
        *others, last = resolve_callable_addresses(host, port, self.allowed, self.deadline)
        for address in others:
            try:
                return self._connect(address, port, timeout, *args, **kwargs)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._connect(last, port, timeout, *args, **kwargs)

    def _connect(
        self, address: str, port: int, timeout: float | None, *args: Any, **kwargs: Any
    ) -> httpcore.NetworkStream:
        limited = self.deadline.limit(timeout, httpcore.ConnectTimeout)
        return _LimitedStream(super().connect_tcp(address, port, limited, *args, **kwargs), self.deadline)


class _LimitedStream(httpcore.NetworkStream):
    """A connection that ends at the deadline, and reads no more than a status and its headers need.

    A timeout of httpcore is one for each read, so that a server which sends a byte at a time never meets it. Nor does
    one that sends responses of the kind 1xx without end, as each of them is read and forgotten.
    """

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline, read_bytes: int = 0) -> None:
        self._stream = stream
        self._deadline = deadline
        self._read_bytes = read_bytes

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has arrived. Raises ReadTimeout, ReadError or RemoteProtocolError."""
        left = MAX_ANSWER_HEAD_BYTES - self._read_bytes
        if left <= 0:
            raise httpcore.RemoteProtocolError(f"No status within {MAX_ANSWER_HEAD_BYTES} bytes.")
        data = self._stream.read(min(max_bytes, left), self._deadline.limit(timeout, httpcore.ReadTimeout))
        self._read_bytes += len(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send the bytes, some at a time: a receiver that takes them one by one meets the deadline, too."""
        for start in range(0, len(buffer), WRITTEN_AT_ONCE_BYTES):
            piece = buffer[start : start + WRITTEN_AT_ONCE_BYTES]
            self._stream.write(piece, self._deadline.limit(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Return the same connection with TLS, whose handshake counts in the deadline, too."""
        limited = self._deadline.limit(timeout, httpcore.ConnectTimeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, limited)
        return _LimitedStream(stream, self._deadline, self._read_bytes)

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks of a connection."""
        return self._stream.get_extra_info(info)


# Notify users and their webhooks of events.

MAX_WEBHOOKS_PER_USER = 5
MAX_WAITING_DELIVERIES_PER_OWNER = 1000
"""Further events are given up at once, and shown so: a slow receiver would never catch up with them."""
SITE_ONLY_EVENTS = (
    Event.NAME_CONFUSABLE,
    Event.ACCOUNT_WAITING,
    Event.ACCOUNT_APPROVED,
    Event.ACCOUNT_SUSPENDED,
    Event.ACCOUNT_REINSTATED,
    Event.ACCOUNT_LINK,
    Event.LUCK_SUSPENDED,
    Event.VERSION_HELD_BACK,
)
UNSUBSCRIBABLE_EVENTS = (
    Event.WEBHOOK_DISABLED,
    Event.FOLLOWED_NEWS,
    Event.PING,
    Event.GROUP_INVITATION,
    Event.ANNOUNCEMENT,
    *SITE_ONLY_EVENTS,
)
SUBSCRIBABLE_EVENTS = tuple(event for event in Event if event not in UNSUBSCRIBABLE_EVENTS)
"""The events a webhook may subscribe to; a ping is sent when its owner asks for one."""


@transaction.atomic
def notify_user(
    *,
    user: User,
    event: Event,
    text: Message | str | None = None,
    url: str = "",
    about: str = "",
    payload: dict[str, Any] | None = None,
) -> None:
    """Leave a notice for a user, and a delivery for each of the user's webhooks that subscribe to the event.

    `payload` is JSON. Without one only the notice is left; without `text` only the webhooks are notified. With `about`,
    the subject of the event, further calls for the same subject change nothing.
    """
    if text:
        content = literal(text) if isinstance(text, str) else text
        notice = Notice(user=user, event=event, text=content, url=url, about=about)
        Notice.objects.bulk_create([notice], ignore_conflicts=True)
    if payload is None:
        return
    wanting = [hook for hook in Webhook.objects.filter(owner=user, is_active=True) if event in hook.events]
    if wanting:
        left: dict[str, Any] = {}
        if _count_waiting_deliveries(user) >= MAX_WAITING_DELIVERIES_PER_OWNER:
            left = {"state": Delivery.State.GAVE_UP, "error": _describe_full_queue()}
        deliveries = [Delivery(webhook=hook, event=event, about=about, payload=payload, **left) for hook in wanting]
        Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)


def _count_waiting_deliveries(owner: User) -> int:
    return Delivery.objects.filter(webhook__owner=owner, state=Delivery.State.WAITING).count()


def _describe_full_queue() -> Message:
    problem = gettext_noop("%(most)s events are already waiting for your webhooks, the maximum.")
    return message(problem, most=MAX_WAITING_DELIVERIES_PER_OWNER)


@transaction.atomic
def renew_notice(*, user: User, event: Event, about: str, text: Message, url: str) -> None:
    """Leave a notice that takes the place of the user's last one on the same subject, unless that was seen."""
    same = Notice.objects.filter(user=user, event=event, about=about)
    same.unseen().delete()
    same.update(about="")
    notify_user(user=user, event=event, text=text, url=url, about=about)


def notify_staff(*, event: Event, text: Message, url: str, about: str) -> None:
    """Leave a notice for everybody of the staff. Further calls for the same subject change nothing."""
    for user in list_staff():
        notify_user(user=user, event=event, text=text, url=url, about=about)


def mark_notices_read(*, user: User) -> int:
    """Mark all notices of a user as seen and return how many were not."""
    return Notice.objects.unseen().filter(user=user).update(seen_at=now())


def add_webhook(*, owner: User, url: str, events: Collection[str]) -> Webhook:
    """Add a webhook.

    Raises BadAddress if the arena may not call the address, Conflict if the owner has enough of them, or ArenaError.
    """
    unknown = set(events) - set(SUBSCRIBABLE_EVENTS)
    if unknown or not events:
        raise ArenaError(
            message(
                gettext_noop("Choose at least one of these events: %(events)s."), events=", ".join(SUBSCRIBABLE_EVENTS)
            )
        )
    _check_webhook_count(owner)
    check_webhook_url(url, settings.WEBHOOK_NETWORKS)  # before the transaction: a name server may take seconds
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        _check_webhook_count(owner)
        return Webhook.objects.create(owner=owner, url=url, events=sorted(set(events)))


def _check_webhook_count(owner: User) -> None:
    if Webhook.objects.filter(owner=owner).count() >= MAX_WEBHOOKS_PER_USER:
        problem = gettext_noop("You already have %(most)s webhooks, the maximum. Delete one first.")
        raise Conflict(message(problem, most=MAX_WEBHOOKS_PER_USER))


def delete_webhook(*, webhook: Webhook) -> None:
    """Delete a webhook and all its deliveries."""
    webhook.delete()


def enable_webhook(*, webhook: Webhook) -> None:
    """Send events to a webhook again after it was disabled."""
    Webhook.objects.filter(pk=webhook.pk).update(is_active=True, failures=0)


def queue_test_delivery(*, webhook: Webhook) -> Delivery:
    """Queue a test delivery, so that the owner sees whether it arrives. Raises Conflict if too many events wait."""
    if _count_waiting_deliveries(webhook.owner) >= MAX_WAITING_DELIVERIES_PER_OWNER:
        raise Conflict(_describe_full_queue())
    return Delivery.objects.create(webhook=webhook, event=Event.PING, payload={"webhook": webhook.pk})


@transaction.atomic
def delete_followed_news(*, about: Collection[str]) -> None:
    """Delete the notices by which users were told of news of these subjects."""
    Notice.objects.filter(event=Event.FOLLOWED_NEWS, about__in=about).delete()


# List the notices and webhooks of a user.


def list_notices(user: User, *, only_unread: bool = False) -> QuerySet[Notice]:
    """List the notices of a user."""
    notices = Notice.objects.filter(user=user)
    return notices.unseen() if only_unread else notices


def list_webhooks(owner: User) -> QuerySet[Webhook]:
    """List the webhooks of a user."""
    return Webhook.objects.filter(owner=owner)


def find_webhook(owner: User, pk: int) -> Webhook | None:
    """Return the webhook if it is this user's, or None."""
    return list_webhooks(owner).filter(pk=pk).first()


def list_deliveries(webhook: Webhook) -> QuerySet[Delivery]:
    """List what was sent, or is to be sent, to a webhook."""
    return Delivery.objects.filter(webhook=webhook)


# Sign what is sent by the scheme of standardwebhooks.com; any library for that scheme can check it.


def sign_request(key: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the header `webhook-signature`: HMAC-SHA256 over id, seconds since 1970 and body, joined by points."""
    secret = b64decode(key.removeprefix(WEBHOOK_KEY_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, sha256)).decode()


DELIVERY_DEADLINE_S = 10.0
"""Time for one attempt: look-up, connection, request, and status and headers of the answer together."""
COURIER_THREADS = 8
MAX_DELIVERIES_AT_ONCE_PER_OWNER = 2
"""The rest of COURIER_THREADS is for other owners, however slow the receivers of one are."""
DELIVERY_LEASE = timedelta(minutes=2)
"""A worker that attempts a delivery holds it this long; no other worker attempts it meanwhile."""
FIRST_RETRY_DELAY_S = 10.0
RETRY_DELAY_GROWTH_FACTOR = 4.0
MAX_RETRY_DELAY_S = 8 * 3600.0
MAX_DELIVERY_ATTEMPTS = 8
"""With these delays the last attempt is made some 12 hours after the first."""
MAX_CONSECUTIVE_FAILED_DELIVERIES = 10
"""After this many events given up in a row a webhook is disabled."""

logger = logging.getLogger(__name__)


def find_due_deliveries() -> QuerySet[Delivery]:
    """Find the deliveries due now, the longest due first."""
    return Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now()).order_by("next_at", "pk")


class Courier:
    """Threads of this process that send what is due: a worker's slot that announces it never waits for a receiver.

    They end when nothing is due any more. Should the process end before, other couriers make the attempts again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads: set[Thread] = set()
        self._was_woken = False
        self._is_closed = False
        self._sending: Counter[int] = Counter()
        """Number of deliveries being sent, by owner."""

    def wake(self) -> None:
        """Have another thread look for what is due, unless enough of them are at it: one of these looks again."""
        with self._lock:
            self._was_woken = True
            if len(self._threads) < COURIER_THREADS and not self._is_closed:
                thread = Thread(target=self._work, name="courier", daemon=True)
                thread.start()
                self._threads.add(thread)  # once it has started, so that it can be waited for

    def close(self) -> None:
        """Begin nothing more, and wait for what is being sent."""
        with self._lock:
            self._is_closed = True
        self.wait()

    def wait(self) -> None:
        """Wait until nothing is due that may be sent."""
        while threads := list(self._threads):
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        try:
            while self._send_next() or not self._is_done():
                pass
        except (DatabaseError, InterfaceError) as error:
            logger.warning("Deliveries stopped, and are taken up later: %s", first_line(error))
        finally:
            connection.close()
            with self._lock:
                self._threads.discard(current_thread())

    def _is_done(self) -> bool:
        with self._lock:
            if self._was_woken and not self._is_closed:
                self._was_woken = False
                return False
            self._threads.discard(current_thread())
            return True

    def _send_next(self) -> bool:
        """Attempt the delivery that is due longest, of an owner who has least of them in work. Return whether it did.

        Where more of them are due another thread is woken.
        """
        with self._lock:
            due = [] if self._is_closed else self._list_next()
            if not due:
                return False
            owner = due[0].webhook.owner_id
            self._sending[owner] += 1
        try:
            if len(due) > 1:
                self.wake()
            attempt_delivery(delivery_id=due[0].pk)
        finally:
            with self._lock:
                self._sending -= Counter({owner: 1})
        return True

    def _list_next(self) -> list[Delivery]:
        due = find_due_deliveries().select_related("webhook")
        for limit in range(1, MAX_DELIVERIES_AT_ONCE_PER_OWNER + 1):
            busy = [owner for owner, count in self._sending.items() if count >= limit]
            if found := list(due.exclude(webhook__owner__in=busy)[:2]):
                return found
        return []


courier = Courier()


def attempt_delivery(*, delivery_id: int) -> bool:
    """Attempt a delivery that is due, once even if called twice at the same time. Return whether it was accepted."""
    due = Delivery.objects.filter(pk=delivery_id, state=Delivery.State.WAITING, next_at__lte=now())
    if due.update(attempts=F("attempts") + 1, next_at=now() + DELIVERY_LEASE) != 1:
        return False
    delivery = Delivery.objects.select_related("webhook__owner").get(pk=delivery_id)
    try:
        status = _send_request(delivery)
    except (BadAddress, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        _schedule_retry(delivery, None, _describe_error(error))
        return False
    if not 200 <= status < 300:
        _schedule_retry(delivery, status, message(gettext_noop("It answered %(status)s."), status=status))
        return False
    _settle_delivery(delivery, Delivery.State.DELIVERED, status=status, error=None)
    Webhook.objects.filter(pk=delivery.webhook_id).update(failures=0)
    return True


def _send_request(delivery: Delivery) -> int:
    """Send the event and return the status of the answer, of which nothing else is read. Redirects are not followed."""
    message_id, timestamp = f"msg_{delivery.pk}", int(now().timestamp())
    body = orjson.dumps(
        {"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": delivery.payload}
    )
    headers: dict[bytes | str, bytes | str] = {
        "content-type": "application/json",
        "user-agent": "pennant-webhooks",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign_request(delivery.webhook.key, message_id, timestamp, body),
    }
    guard = Guard(settings.WEBHOOK_NETWORKS, seconds=DELIVERY_DEADLINE_S)
    with httpcore.ConnectionPool(network_backend=guard) as pool:
        with pool.stream("POST", delivery.webhook.url, headers=headers, content=body) as response:
            return response.status


def _describe_error(error: Exception) -> Message:
    if isinstance(error, httpcore.TimeoutException):
        return message(gettext_noop("No answer within %(seconds)s seconds."), seconds=int(DELIVERY_DEADLINE_S))
    return error.message if isinstance(error, MessageError) else literal(str(error) or type(error).__name__)


def _schedule_retry(delivery: Delivery, status: int | None, error: Message) -> None:
    if delivery.attempts < MAX_DELIVERY_ATTEMPTS and delivery.event != Event.PING:
        delay_s = min(FIRST_RETRY_DELAY_S * RETRY_DELAY_GROWTH_FACTOR ** (delivery.attempts - 1), MAX_RETRY_DELAY_S)
        jitter = 0.75 + secrets.randbelow(501) / 1000
        Delivery.objects.filter(pk=delivery.pk).update(
            status=status, error=error, next_at=now() + timedelta(seconds=delay_s * jitter)
        )
    else:
        _settle_delivery(delivery, Delivery.State.GAVE_UP, status=status, error=error)
        if delivery.event != Event.PING:
            _count_webhook_failure(delivery.webhook)


def _settle_delivery(delivery: Delivery, state: Delivery.State, **fields: object) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(state=state, **fields)


@transaction.atomic
def _count_webhook_failure(webhook: Webhook) -> None:
    """Count an event given up; after too many in a row disable the webhook and notify its owner."""
    active = Webhook.objects.filter(pk=webhook.pk, is_active=True)
    active.update(failures=F("failures") + 1)
    if active.filter(failures__gte=MAX_CONSECUTIVE_FAILED_DELIVERIES).update(is_active=False) == 1:
        text = message(
            gettext_noop("Your webhook %(url)s was disabled: %(count)s deliveries in a row failed."),
            url=webhook.url,
            count=MAX_CONSECUTIVE_FAILED_DELIVERIES,
        )
        notify_user(user=webhook.owner, event=Event.WEBHOOK_DISABLED, text=text, url="/webhooks/")
