"""A bot that writes down each answer before it gives it: to a file of its own in the folder CHAOS_ANSWERS."""

import json
import os
import sys
import time
from random import SystemRandom

MAX_THOUGHT_S = 0.1


def main() -> None:
    chance, hello, answers = SystemRandom(), {}, 0
    name = os.path.join(os.environ["CHAOS_ANSWERS"], f"{os.getpid()}-{time.time_ns()}.jsonl")
    with open(name, "w", buffering=1) as log:
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "hello":
                hello = message
                print('{"type": "ready"}', flush=True)
            elif message["type"] == "turn":
                claims = [action for action in message["legal"] if action.startswith("claim")]
                action = chance.choice(claims or message["legal"])
                answers += 1
                tag = f"{os.path.basename(name)} {answers}"
                about = {"deal_hash": hello["deal_hash"], "seat": hello["seat"], "n": message["n"]}
                log.write(json.dumps({**about, "action": action, "tag": tag}) + "\n")
                time.sleep(chance.random() * MAX_THOUGHT_S)
                print(json.dumps({"action": action, "note": tag}), flush=True)


if __name__ == "__main__":
    main()
