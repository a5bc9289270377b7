"""Tell whose request it is where nobody is signed in: the one place that reads the headers of proxies."""

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest

IPV6_NETWORK_BITS = 64
"""A provider gives each customer such a network, or more."""


def find_client_address(request: HttpRequest) -> str:
    """Return the address that a request came from.

    Only the last PROXIES entries of X-Forwarded-For were written by proxies of ours; the first of these is the client.
    """
    forwarded = [entry.strip() for entry in str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")]
    if settings.PROXIES and any(forwarded):
        return forwarded[-min(settings.PROXIES, len(forwarded))]
    return str(request.META.get("REMOTE_ADDR", ""))


def find_client_network(request: HttpRequest) -> str:
    """Return what requests of one client are counted by: an IPv4 address, or the /64 of an IPv6 address."""
    address = find_client_address(request)
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    host_bits = ip.max_prefixlen - IPV6_NETWORK_BITS
    return f"{IPv6Address(int(ip) >> host_bits << host_bits)}/{IPV6_NETWORK_BITS}"


def is_from_private_network(request: HttpRequest) -> bool:
    """Return whether a request came from this machine or a private network, and through no proxy that isn't counted.

    Where PROXIES is 0 and a proxy is there after all, all requests would seem to come from its own address.
    """
    if "HTTP_X_FORWARDED_FOR" in request.META and not settings.PROXIES:
        return False
    try:
        ip = ip_address(find_client_address(request).partition("%")[0])
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return (mapped or ip).is_private
