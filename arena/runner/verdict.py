"""What became of a participant in a leg. Never mixed with the score."""

from enum import StrEnum


class Verdict(StrEnum):
    OK = "ok"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    OUTPUT = "output"
    START = "start"
