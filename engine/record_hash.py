"""The hash of a record: what binds a record to what was published of it."""

import hashlib
import json
import math
from decimal import Decimal
from json.encoder import encode_basestring_ascii as write_text
from typing import Any

from engine.core import Json

MIN_PLAIN_EXPONENT = -6
"""Smaller numbers are written with an exponent, as JavaScript does."""


def record_hash(record: Json) -> str:
    """Return the lower-case hex SHA-256 of a record's canonical JSON, without names of seats and notes.

    Both can be changed or deleted later, and the hash stays.
    """
    bound = record | {
        "seats": [leave_out(seat, "name") for seat in record["seats"]],
        "actions": [leave_out(entry, "note") for entry in record["actions"]],
    }
    return hashlib.sha256(write_canonical(bound).encode()).hexdigest()


def leave_out(part: Json, name: str) -> Json:
    """Return an object without one of its fields."""
    return {key: value for key, value in part.items() if key != name}


def write_canonical(value: Any) -> str:
    """Return a value as canonical JSON: sorted keys, no spaces, ASCII escapes, numbers as JavaScript writes them."""
    if isinstance(value, dict):
        return "{" + ",".join([f"{write_text(key)}:{write_canonical(value[key])}" for key in sorted(value)]) + "}"
    if isinstance(value, str):
        return write_text(value)
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(write_canonical, value)) + "]"
    return write_float(value) if isinstance(value, float) else json.dumps(value)


def write_float(value: float) -> str:
    """Return a number as JavaScript writes it: whole ones without a point, small ones as 0.00001 and 1e-7."""
    if not math.isfinite(value):
        raise ValueError(f"JSON has no number {value}")
    if value == int(value):
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    return f"{Decimal(repr(value)):f}" if int(exponent) >= MIN_PLAIN_EXPONENT else f"{digits}e{int(exponent)}"
