"""A bot that asks a language model for its actions in Battle Line and Battalion. It needs only the standard library.

`pennant remote` runs it on your machine. It writes one answer a line to stdout; stderr is its log in the terminal.
"""

import json
import random
import re
import sys
from pathlib import Path

from model import LimitReached, Model, NoAnswer

FOLDER = Path(__file__).parent
SYSTEM = """\
You play {game} (edition: {edition}) against another bot. You are seat {seat} of seats 0 to {last}. Play to win.

{rules}

Rule options: {options}

You are asked for one action at a time. Think briefly. Then write your answer in the last line, as one JSON object:
{{"action": "one of the legal actions, exactly as listed", "note": "why, in up to 150 characters", "eval": 0.2}}
`eval` is your chance of winning, from -1 (lost) to 1 (won).
"""
RESIGNATION = "resign"
"""Not an action of any game, so that the arena refuses it: the leg is lost by a fault, and its log says why."""
KEPT_EVENTS = 40
"""Latest events that are told to the model."""
MAX_ACTION, MAX_NOTE = 1000, 200

leg = {}
"""The state of this leg: the system prompt, events, notes, and what was refused."""
model = Model(FOLDER)


def start(hello):
    """Begin a leg."""
    rules = FOLDER / "rules" / f"{hello['game']}-{hello['edition']}.md"
    text = rules.read_text(encoding="utf-8") if rules.exists() else "(You know the rules.)"
    system = SYSTEM.format(**{**hello, "options": to_json(hello["options"]), "last": hello["seats"] - 1, "rules": text})
    leg.clear()
    leg.update(system=system, events=[], note="", n=None, answer="", refusal="")
    model.begin(f"{hello['deal_hash'][:12]}-{hello['seat']}", hello["limits"])


def refuse(message):
    """Remember why the last answer was refused. The same turn comes again."""
    leg["refusal"] = message.get("reason", "")


def choose(message):
    """Return the answer to a turn, or None if the model hasn't answered in time: then the arena's clock decides."""
    if message["n"] != leg["n"]:
        leg.update(n=message["n"], answer="", refusal="")
        leg["events"] = (leg["events"] + message["events"])[-KEPT_EVENTS:]
        model.begin_decision(message["n"], message["bank_ms"])
    try:
        text = model.ask(build_prompt(message))
    except LimitReached as reached:
        return stop_asking(message, str(reached))
    except NoAnswer as problem:
        log(f"no answer: {problem}")
        return None
    answer = read_answer(text, message["legal"])
    leg.update(answer=text, note=answer.get("note", leg["note"]))
    return answer


def stop_asking(message, reason):
    """Return a simple action if the author has turned that on, or else give the leg up."""
    log(reason)
    if model.config["fallback"]:
        return {"action": random.choice(message["legal"]), "note": f"By chance, not by the model: {reason}"[:MAX_NOTE]}
    return {"action": f"{RESIGNATION}: {reason}", "note": reason[:MAX_NOTE]}


# The prompt. Change it to make the bot better.


def build_prompt(message):
    """Return the messages for the model: the rules, the position, and after a refusal, its answer and the reason."""
    messages = [{"role": "system", "content": leg["system"]}, {"role": "user", "content": describe(message)}]
    if leg["refusal"]:
        refusal = f"Your answer was refused: {leg['refusal']}\nChoose a legal action. End with the JSON object."
        messages.append({"role": "assistant", "content": leg["answer"] or "(no answer)"})
        messages.append({"role": "user", "content": refusal})
    return messages


def describe(message):
    """Return the position, what happened lately, and the legal actions, as text."""
    view = message["view"]
    parts = [f"Decision: {view['decision']}"]
    if leg["note"]:
        parts.append(f"Your last note to yourself: {leg['note']}")
    if leg["events"]:
        parts.append("Latest events:\n" + "\n".join(map(to_json, leg["events"])))
    parts.append(describe_flags(view, message["seat"]) if "flags" in view else "Position:\n" + to_json(view))
    if "open" in message:
        parts.append(f"More actions are allowed than those listed: {message['open']}")
    parts.append("Legal actions:\n" + "\n".join(message["legal"]))
    return "\n\n".join(parts)


def describe_flags(view, seat):
    """Return a position of Battle Line: a line for each flag, and everything else as JSON."""
    lines = ["Flags (your cards | the other side's cards):"]
    for flag in view["flags"]:
        mine, theirs = (" ".join(flag["cards"][one]) or "-" for one in (seat, 1 - seat))
        owner = {None: "", seat: ", yours"}.get(flag["owner"], ", lost")
        marks = [name for name in ("fog", "mud", "tile") if flag[name]]
        needs = f"{flag['needs'][seat]}/{flag['needs'][1 - seat]}"
        lines.append(f"{flag['flag']}{owner}: {mine} | {theirs} (places {needs}) {' '.join(marks)}".rstrip())
    rest = {key: value for key, value in view.items() if key not in ("flags", "decision")}
    return "\n".join([*lines, f"Your hand: {' '.join(view['hand'])}", "Everything else: " + to_json(rest)])


def to_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# The answer. Models don't always keep to a format, so it is read tolerantly. What isn't an action is sent as it is: the
# arena refuses it and says why.


def read_answer(text, legal):
    """Return the answer in a model's text: its last JSON object with an action, or a legal action in its last lines."""
    found = find_object(text)
    if found is None:
        return {"action": find_action(text, legal)}
    answer = {"action": fit(found["action"], legal)}
    note, chance = found.get("note"), found.get("eval")
    if isinstance(note, str) and note.strip():
        answer["note"] = " ".join(note.split())[:MAX_NOTE]
    if isinstance(chance, (int, float)) and not isinstance(chance, bool) and -1 <= chance <= 1:
        answer["eval"] = chance
    return answer


def find_object(text):
    """Return the last JSON object in a text that has an action, or None."""
    decoder = json.JSONDecoder()
    for match in reversed(list(re.finditer(r"\{", text))):
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        if isinstance(found, dict) and isinstance(found.get("action"), str):
            return found
    return None


def find_action(text, legal):
    """Return the legal action in the last lines of a text, or the last line as it is."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["(nothing)"]
    for line in lines[:-4:-1]:
        bare = line.strip("`*\"'. ").removeprefix("Action:").strip("`*\"' ")
        if fit(bare, legal) in legal:
            return fit(bare, legal)
    return clean(lines[-1])


def fit(action, legal):
    """Return the legal action that differs only in case and spaces, or the action as it is."""
    words = " ".join(action.split())
    return next((one for one in legal if one.lower() == words.lower()), clean(words))


def clean(text):
    return "".join(char for char in text if char.isprintable())[:MAX_ACTION]


def log(text):
    print(text, file=sys.stderr, flush=True)


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            start(message)
            print(json.dumps({"type": "ready"}), flush=True)
        elif message["type"] == "turn":
            answer = choose(message)
            if answer is not None:
                print(json.dumps(answer), flush=True)
        elif message["type"] == "refused":
            refuse(message)
        elif message["type"] == "end":
            log(f"{message['reason']}: places {message['places']}; {model.describe_spending()}")
            break


if __name__ == "__main__":
    main()
