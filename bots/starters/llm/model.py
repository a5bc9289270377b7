"""Ask a language model at an endpoint of the chat-completions form, within limits of time and cost.

`config.json` has the settings. A variable of the environment such as LLM_URL, LLM_MODEL or LLM_MAX_DAY_COST goes before
the setting of its name. The key comes from LLM_API_KEY alone, and is written nowhere.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from datetime import date
from pathlib import Path

KEY_VARIABLE = "LLM_API_KEY"
CHARACTERS_PER_TOKEN = 3
"""A cautious estimate, for what isn't known: the size of a request before it's sent, or an answer without `usage`."""
MARGIN_S, MARGIN_SHARE = 3.0, 0.2
"""Time to spare for the way to the arena: so long, or this share of the limit if that's less."""
MIN_TRY_S = 0.2
RETRY_PAUSE_S = 1.0
TRIES = 2
WORDS_FOR_TRUE = ("1", "true", "yes", "on")


class NoAnswer(Exception):
    """The model can't be asked, or hasn't answered in time."""


class LimitReached(Exception):
    """Another request could cost more than the author allows."""


def read_config(folder):
    """Return the settings of config.json, with those of the environment in their place."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    for name, default in config.items():
        text = os.environ.get(f"LLM_{name.upper()}")
        if text is None:
            continue
        if isinstance(default, bool):
            config[name] = text.lower() in WORDS_FOR_TRUE
        else:
            config[name] = text if isinstance(default, str) else float(text)
    return config


class Model:
    """A model, with its spending and its log."""

    def __init__(self, folder):
        self.config = read_config(folder)
        self.key = os.environ.get(KEY_VARIABLE, "")
        self.folder = Path(os.environ.get("LLM_LOG") or folder / "log")
        self.leg, self.n, self.move_s, self.deadline = "", None, 0.0, 0.0

    def begin(self, leg, limits):
        """Begin a leg with these limits of time."""
        self.leg, self.move_s = leg, limits["move_ms"] / 1000

    def begin_decision(self, n, bank_ms):
        """Begin a decision. All its requests have to end before the arena's clock does."""
        limit = min(self.move_s, bank_ms / 1000)
        self.n, self.deadline = n, time.monotonic() + limit - min(MARGIN_S, MARGIN_SHARE * limit)

    def ask(self, messages):
        """Return the model's text. Raises NoAnswer and LimitReached."""
        self.check_limits(messages)
        problem = "no time is left"
        for number in range(TRIES):
            left = self.deadline - time.monotonic()
            if left < MIN_TRY_S:
                break
            try:
                return self.request(messages, min(left, self.config["timeout_s"]))
            except urllib.error.HTTPError as error:
                problem = self.hide_key(f"status {error.code}: {error.read(300).decode(errors='replace')}")
                if error.code < 500 and error.code not in (408, 429):
                    break
            except (OSError, ValueError, LookupError, TypeError) as error:
                problem = f"{type(error).__name__}: {error}"
            self.write("requests", problem=problem, prompt=messages)
            if number + 1 < TRIES:
                time.sleep(max(0.0, min(RETRY_PAUSE_S, self.deadline - time.monotonic())))
        raise NoAnswer(problem)

    def request(self, messages, timeout_s):
        """Return the text of the answer to one request. Raises OSError, ValueError, LookupError and TypeError."""
        content = {"messages": messages, "max_tokens": int(self.config["max_answer_tokens"])}
        content["temperature"] = self.config["temperature"]
        if self.config["model"]:
            content["model"] = self.config["model"]
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        asked = time.monotonic()
        request = urllib.request.Request(self.config["url"], json.dumps(content).encode(), headers)
        try:
            told = read_whole(request, asked + timeout_s)
        except urllib.error.HTTPError:
            raise
        except (OSError, ValueError):
            self.count(messages, "", {})  # it may have been paid for
            raise
        text = told["choices"][0]["message"].get("content") or ""
        usage = told.get("usage") or {}
        self.count(messages, text, usage)
        self.write("requests", ms=round(1000 * (time.monotonic() - asked)), usage=usage, prompt=messages, answer=text)
        return text

    # What it costs. Each request is a line in today's file, which all processes of the bot share.

    def count(self, messages, text, usage):
        """Add a request to today's spending."""
        given = usage.get("prompt_tokens")
        made = usage.get("completion_tokens")
        given = estimate(messages) if given is None else given
        made = len(text) // CHARACTERS_PER_TOKEN if made is None else made
        self.write("spent", tokens=given + made, cost=self.find_cost(given, made))

    def find_cost(self, given, made):
        return (given * self.config["price_in"] + made * self.config["price_out"]) / 1e6

    def sum_spending(self):
        """Return tokens and cost of this leg, and of today."""
        leg, day = [0, 0.0], [0, 0.0]
        path = self.find_file("spent")
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            one = json.loads(line)
            for total in (leg, day) if one["leg"] == self.leg else (day,):
                total[0] += one["tokens"]
                total[1] += one["cost"]
        return leg, day

    def check_limits(self, messages):
        """Raise LimitReached if the next request could go beyond a limit. A limit of 0 doesn't count."""
        given, made = estimate(messages), self.config["max_answer_tokens"]
        next_one = (given + made, self.find_cost(given, made))
        leg, day = self.sum_spending()
        for period, spent in (("leg", leg), ("day", day)):
            for number, unit in enumerate(("tokens", "cost")):
                limit = self.config[f"max_{period}_{unit}"]
                if limit and spent[number] + next_one[number] > limit:
                    raise LimitReached(f"limit of {limit:.10g} {unit} a {period} reached ({spent[number]:.6g} spent)")

    def describe_spending(self):
        (tokens, cost), (day_tokens, day_cost) = self.sum_spending()
        return f"{tokens} tokens, cost {cost:.4f}; today {day_tokens} tokens, cost {day_cost:.4f}"

    # Logs: log/requests-DATE.jsonl has prompts and answers, log/spent-DATE.jsonl the spending.

    def find_file(self, kind):
        return self.folder / f"{kind}-{date.today().isoformat()}.jsonl"

    def write(self, kind, **facts):
        """Append a line to a log."""
        self.folder.mkdir(parents=True, exist_ok=True)
        line = {"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "leg": self.leg, "n": self.n, **facts}
        with self.find_file(kind).open("a", encoding="utf-8") as file:
            file.write(self.hide_key(json.dumps(line, ensure_ascii=False)) + "\n")

    def hide_key(self, text):
        """Return a text without the key, which an endpoint may have repeated."""
        return text.replace(self.key, "(key)") if self.key else text


def estimate(messages):
    """Return about how many tokens a prompt has."""
    return sum(len(message["content"]) for message in messages) // CHARACTERS_PER_TOKEN


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else, so that the key doesn't either."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def read_whole(request, deadline):
    """Return the JSON of an answer that arrives before the deadline. Raises OSError and ValueError."""
    parts = []
    with OPENER.open(request, timeout=max(0.01, deadline - time.monotonic())) as answer:
        while part := answer.read1(65536):
            parts.append(part)
            if time.monotonic() > deadline:
                raise TimeoutError("the answer took too long")
    told = json.loads(b"".join(parts))
    if not isinstance(told, dict):
        raise ValueError("the answer isn't a JSON object")
    return told


def main():
    """Send one prompt, to see whether the endpoint, the model and the key are right."""
    model = Model(Path(__file__).parent)
    model.begin("trial", {"move_ms": 60000})
    model.begin_decision(0, 60000)
    try:
        print(model.ask([{"role": "user", "content": " ".join(sys.argv[1:]) or "Say hello."}]))
    except (NoAnswer, LimitReached) as problem:
        sys.exit(f"No answer from {model.config['url']}: {problem}")


if __name__ == "__main__":
    main()
