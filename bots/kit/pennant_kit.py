"""Run a bot: a single file that needs only the standard library. Pass a function that chooses an action to `run`.

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


def seed_random(seed: "int | None", message: "Message", refusals: int = 0) -> None:
    """Have the module `random` draw the same numbers for the same question, if the bot has imported it.

    After a refused answer it draws others.
    """
    if seed is not None and "random" in sys.modules:
        sys.modules["random"].seed(f"{seed} {message['n']}" + (f" {refusals}" if refusals else ""))


def run(
    choose: "Callable[[Message], str | Message]",
    ready: "Message | None" = None,
    hello: "Callable[[Message], object] | None" = None,
    end: "Callable[[Message], object] | None" = None,
    refused: "Callable[[Message], object] | None" = None,
) -> None:
    """Answer the requests of the arena until it closes the connection.

    `choose(message)` is called with each `turn` message and returns either the action, a string, or the whole answer, a
    dict with "action" and optionally "note" and "eval". `hello(message)`, `refused(message)` and `end(message)` are
    called with those messages, if given. After `refused`, which only remote bots get, `choose` is called again with the
    same turn. `ready` has additional fields for the answer to `hello`, such as `{"legal": False}` if you need no lists
    of legal actions.

    If you have imported `random`, it is seeded before each turn with the leg's seed and the number of the decision, so
    that the same questions have the same answers, also in a fresh process. An exception in your code is written to
    stderr, which is your bot's log, and ends the bot.
    """
    read, write, flush = sys.stdin.readline, sys.stdout.write, sys.stdout.flush
    listeners = {"hello": hello, "refused": refused, "end": end}
    seed = None
    refusals: dict[int, int] = {}
    while True:
        line = read()
        if not line:
            return
        message = json.loads(line)
        kind = message.get("type")
        listen = listeners.get(kind)
        if listen is not None:
            listen(message)
        if kind == "turn":
            seed_random(seed, message, refusals.get(message.get("n"), 0))
            chosen = choose(message)
            answer = {"action": chosen} if isinstance(chosen, str) else chosen
            if not isinstance(answer, dict) or not isinstance(answer.get("action"), str):
                raise TypeError(f"return an action, such as 'play R7 3', or a dict with \"action\", not {chosen!r}")
        elif kind == "hello":
            seed = message.get("seed")
            answer = {"type": "ready", **(ready or {})}
        else:
            if kind == "refused":
                refusals[message.get("n")] = refusals.get(message.get("n"), 0) + 1
            continue
        write(json.dumps(answer) + "\n")
        flush()
