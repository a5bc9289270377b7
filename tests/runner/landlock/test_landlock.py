"""Rulesets for every version of Landlock."""

import ctypes
import os

import pytest

from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.landlock import (
    CREATE_RULESET,
    NEWEST_KNOWN_ABI,
    RUN_RIGHTS,
    LandlockSandbox,
    Restrictions,
    find_restrictions,
    kernel_abi,
)

NET, SCOPES = 3, 3
HANDLED = {
    1: Restrictions(0x1FFF, 0, 0),
    2: Restrictions(0x3FFF, 0, 0),
    3: Restrictions(0x7FFF, 0, 0),
    4: Restrictions(0x7FFF, NET, 0),
    5: Restrictions(0xFFFF, NET, 0),
    6: Restrictions(0xFFFF, NET, SCOPES),
    7: Restrictions(0xFFFF, NET, SCOPES),
}
"""From the table of ABI versions in the kernel's Documentation/userspace-api/landlock.rst."""


@pytest.fixture
def abi() -> int:
    if kernel_abi() < 1:
        pytest.skip("this kernel has no Landlock")
    return kernel_abi()


def created(attribute: bytes) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(CREATE_RULESET, attribute, ctypes.c_size_t(len(attribute)), 0))


def test_all_that_a_version_can_take_away_is_taken_away() -> None:
    assert {version: find_restrictions(version) for version in HANDLED} == HANDLED
    assert NEWEST_KNOWN_ABI == max(HANDLED) and find_restrictions(NEWEST_KNOWN_ABI + 1) == HANDLED[NEWEST_KNOWN_ABI]


def test_an_attribute_is_as_long_as_its_kernel_knows() -> None:
    assert {version: len(taken.attribute) for version, taken in HANDLED.items()} == {
        **dict.fromkeys((1, 2, 3), 8),
        **dict.fromkeys((4, 5), 16),
        **dict.fromkeys((6, 7), 24),
    }


def test_the_kernel_takes_what_it_knows_and_no_more(abi: int) -> None:
    for version in range(1, min(abi, NEWEST_KNOWN_ABI) + 1):
        ruleset = created(find_restrictions(version).attribute)
        assert ruleset >= 0
        os.close(ruleset)
    unknown = (1 << 63).to_bytes(8, "little")
    assert created(unknown) == -1


def test_what_may_be_kept_is_among_what_every_version_takes_away() -> None:
    assert RUN_RIGHTS & find_restrictions(1).files == RUN_RIGHTS


def test_without_landlock_there_is_no_sandbox_of_it() -> None:
    with pytest.raises(ValueError):
        find_restrictions(0)
    with pytest.raises(NoSandboxError, match="no Landlock"):
        LandlockSandbox("/nowhere/stage/library", {}, 0)
