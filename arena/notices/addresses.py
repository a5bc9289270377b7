"""Check where a webhook may lead: to the internet, and never into the arena's own network.

What is allowed is decided by address, not by name, and the address that was looked at is the one that is called: a
name may have another address a moment later.
"""

import socket
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpcore

from arena.errors import ArenaError
from engine.message import gettext_noop, message

Network = IPv4Network | IPv6Network
NETWORKS_EMBEDDING_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16"), IPv6Network("2001::/32"))
"""NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380): an IPv6 address that leads to any IPv4 address."""
SITE_LOCAL_IPV6_NETWORK = IPv6Network("fec0::/10")
"""Addresses of a site, deprecated by RFC 3879 but still routed by some."""


class BadAddress(ArenaError):
    """An address that the arena doesn't call; the message says why."""


def check_webhook_url(url: str, allowed: Iterable[str] = ()) -> None:
    """Check whether a webhook may lead there at present. Raises BadAddress."""
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise BadAddress(message(gettext_noop("The port of this address is not a number from 1 to 65535."))) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadAddress(message(gettext_noop("An address begins with https:// or http:// and the name of a host.")))
    if parts.username or parts.password:
        problem = gettext_noop("Leave name and password out of the address: what is sent is signed.")
        raise BadAddress(message(problem))
    resolve_callable_addresses(parts.hostname, port, allowed)


def resolve_callable_addresses(host: str, port: int, allowed: Iterable[str] = ()) -> list[str]:
    """Return the addresses of a host. Raises BadAddress unless all of them may be called."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadAddress(message(gettext_noop("There is no host called %(host)s."), host=host)) from None
    addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
    networks = [ip_network(one) for one in allowed]
    own = list_own_networks()
    for address in addresses:
        is_allowed = any(ip_address(address.partition("%")[0]) in network for network in networks)
        if not is_allowed and (not is_on_internet(address, own) or _is_own_address(address)):
            problem = gettext_noop("%(host)s is in the arena's own network (%(address)s), where no webhooks are sent.")
            raise BadAddress(message(problem, host=host, address=address))
    return addresses


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
    """A network backend that connects to hosts outside only."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = tuple(allowed)

    def connect_tcp(self, host: str, port: int, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        """Connect to the first address of the host that answers. Raises BadAddress, or what httpcore raises."""
        *others, last = resolve_callable_addresses(host, port, self.allowed)
        for address in others:
            try:
                return super().connect_tcp(address, port, *args, **kwargs)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return super().connect_tcp(last, port, *args, **kwargs)
