import socket

import httpcore
import pytest

from arena.people.notices.services import (
    BadAddress,
    Guard,
    check_webhook_url,
    is_on_internet,
    list_own_networks,
    resolve_callable_addresses,
)
from tests.arena.people.notices.listener import listening

INSIDE = """127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1
192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 ::1 :: fe80::1 fe80::1%eth0 fd00::1 fc00::1 ff02::1
::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2002:0a00:0001:: 2001:0:1::1 2001:db8::1
fec0::1""".split()
OUTSIDE = ["8.8.8.8", "1.1.1.1", "2001:4860:4860::8888", "::ffff:8.8.8.8"]


def test_what_is_not_on_the_internet_is_inside() -> None:
    assert [address for address in INSIDE if is_on_internet(address)] == []


def test_what_is_on_the_internet_is_outside_unless_the_machine_is_in_that_network() -> None:
    for address in OUTSIDE:
        assert is_on_internet(address), address
        assert is_on_internet(address, list_own_networks()), address


def test_a_public_network_that_the_machine_is_in_is_inside() -> None:
    networks = list_own_networks()
    assert all(network.prefixlen > 0 for network in networks)
    for network in networks:
        assert not is_on_internet(str(network[0]), networks)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "0", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_however_this_machine_is_written_it_is_not_called(host: str) -> None:
    with pytest.raises(BadAddress, match="arena's own network"):
        check_webhook_url(f"http://{host}:6379/")


def test_the_addresses_of_this_machine_are_not_called() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("8.8.8.8", 9))
        except OSError:
            pytest.skip("this machine has no way out")
        own = probe.getsockname()[0]
    with pytest.raises(BadAddress):
        check_webhook_url(f"http://{own}/")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://8.8.8.8/", "starts with https"),
        ("file:///etc/passwd", "starts with https"),
        ("//8.8.8.8/", "starts with https"),
        ("https:///path", "starts with https"),
        ("https://8.8.8.8:99999/", "port"),
        ("https://me:secret@8.8.8.8/", "name and password"),
        ("https://no-such-host.invalid/", "couldn't be found"),
    ],
)
def test_what_is_no_address_is_told(url: str, words: str) -> None:
    with pytest.raises(BadAddress, match=words):
        check_webhook_url(url)


def test_an_address_on_the_internet_is_taken_and_so_is_an_allowed_network() -> None:
    check_webhook_url("https://8.8.8.8/hook?a=b")
    check_webhook_url("http://127.0.0.1:8080/", ["127.0.0.0/8"])
    assert resolve_callable_addresses("127.0.0.1", 80, ["127.0.0.0/8"]) == ["127.0.0.1"]
    with pytest.raises(BadAddress):
        check_webhook_url("http://127.0.0.1:8080/", ["10.0.0.0/8"])


def test_the_connection_itself_is_guarded_so_a_name_that_changes_gains_nothing() -> None:
    with listening() as listener:
        with httpcore.ConnectionPool(network_backend=Guard(seconds=5)) as pool, pytest.raises(BadAddress):
            pool.request("POST", listener.url, content=b"")
        assert listener.got == []
        with httpcore.ConnectionPool(network_backend=Guard(["127.0.0.0/8"], seconds=5)) as pool:
            assert pool.request("POST", listener.url, content=b"{}").status == 204
