"""Define the verdicts on a participant's behaviour in a leg, which are separate from its score."""

from enum import StrEnum

from engine.message import Message, gettext_noop, message


class Verdict(StrEnum):
    """The runner's judgement of a participant in a leg: `ok`, or the kind of its fault."""

    OK = "ok"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    OUTPUT = "output"
    START = "start"


FAULT_NAMES: dict[Verdict, Message] = {
    Verdict.ILLEGAL: message(gettext_noop("Illegal action")),
    Verdict.MALFORMED: message(gettext_noop("Unreadable answer")),
    Verdict.TIMEOUT: message(gettext_noop("Timeout")),
    Verdict.CRASH: message(gettext_noop("Crash")),
    Verdict.MEMORY: message(gettext_noop("Out of memory")),
    Verdict.OUTPUT: message(gettext_noop("Too much output")),
    Verdict.START: message(gettext_noop("Failed start")),
}
"""Names of the faults, as they begin a sentence: "Crash in leg 1 of its trial."."""
