"""A model for tests that costs nothing: it serves the endpoint of a language model on this machine, by a script.

`python3 scripted_model.py right` always plays a legal action; `python3 scripted_model.py illegal right` takes turns.
"""

import argparse
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LATE_S = 3600


def answer_right(prompt):
    """Play the first claim, or else the first legal action."""
    legal = prompt.rpartition("Legal actions:\n")[2].splitlines()
    action = next((one for one in legal if one.startswith("claim ")), legal[0])
    return f"I'll do that.\n```json\n{json.dumps({'action': action, 'note': 'as scripted', 'eval': 0.25})}\n```"


def answer_illegal(prompt):
    """Play what isn't legal."""
    legal = prompt.rpartition("Legal actions:\n")[2].splitlines()
    return json.dumps({"action": next(one for one in ("claim 1", "claim 2", "pass") if one not in legal)})


def answer_broken(prompt):
    """Write JSON that breaks off."""
    return 'My answer:\n{"action": "pla'


def answer_refusing(prompt):
    """Refuse to play."""
    return "I'm sorry, but I can't help with that."


def answer_late(prompt):
    """Take an hour."""
    time.sleep(LATE_S)
    return ""


def answer_failing(prompt):
    """Return an error of the endpoint."""
    return None


BEHAVIOURS = {
    "right": answer_right,
    "illegal": answer_illegal,
    "broken": answer_broken,
    "refusing": answer_refusing,
    "late": answer_late,
    "failing": answer_failing,
}


def find_position(messages):
    """Return the text of the latest message that lists legal actions, or None."""
    return next((one["content"] for one in reversed(messages) if "Legal actions:" in one["content"]), None)


class Endpoint(BaseHTTPRequestHandler):
    script = ["right"]
    number = 0

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        position = find_position(asked["messages"])
        if position is None:
            text = "Hello. I only follow my script when I'm asked for an action."
        else:
            behaviour = Endpoint.script[Endpoint.number % len(Endpoint.script)]
            Endpoint.number += 1
            text = BEHAVIOURS[behaviour](position)
        if text is None:
            self.reply(500, {"error": {"message": "as scripted"}})
            return
        prompt_tokens = sum(len(one["content"]) for one in asked["messages"]) // 4
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": len(text) // 4}
        message = {"role": "assistant", "content": text}
        self.reply(200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    def reply(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(script, port=0):
    """Return a server with this script. Its address is `server.server_port` on 127.0.0.1."""
    Endpoint.script, Endpoint.number = script, 0
    return ThreadingHTTPServer(("127.0.0.1", port), Endpoint)


def main():
    parser = argparse.ArgumentParser(description="Serve a scripted model.")
    parser.add_argument("script", nargs="+", choices=BEHAVIOURS, help="behaviours, which take turns")
    parser.add_argument("--port", type=int, default=8080)
    asked = parser.parse_args()
    server = serve(asked.script, asked.port)
    print(f"http://127.0.0.1:{server.server_port}/v1/chat/completions", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
