"""The bot kit: one file, standard library only. Write `choose(message)`, hand it to `run`, and you have a bot.

import random
from pennant_kit import run

run(lambda message: random.choice(message["legal"]))
"""

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # Bots start sooner without the typing module.
    from collections.abc import Callable
    from typing import Any

    Message = dict[str, Any]


def run(
    choose: "Callable[[Message], str | Message]",
    ready: "Message | None" = None,
    hello: "Callable[[Message], object] | None" = None,
    end: "Callable[[Message], object] | None" = None,
) -> None:
    """Answer the arena until it hangs up.

    `choose(message)` is called with each `turn` message and returns the action, a string, or a whole answer, a dict
    with "action" and, if you like, "note" and "eval". `hello(message)` and `end(message)` are called with those
    messages, if given. `ready` holds more fields for the answer to `hello`: `{"legal": False}` if you need no lists
    of legal actions.
    An exception in your code is written to stderr, your bot's log, and ends the bot.
    """
    read, write, flush = sys.stdin.readline, sys.stdout.write, sys.stdout.flush
    while True:
        line = read()
        if not line:
            return
        message = json.loads(line)
        kind = message.get("type")
        if kind == "turn":
            chosen = choose(message)
            answer = {"action": chosen} if isinstance(chosen, str) else chosen
        elif kind == "hello":
            if hello is not None:
                hello(message)
            answer = {"type": "ready", **(ready or {})}
        else:
            if kind == "end" and end is not None:
                end(message)
            continue
        write(json.dumps(answer) + "\n")
        flush()
