"""Run a bot in Python that no process of the warm pool waited for. The first two arguments are its pair of sockets."""

import sys

SCRIPT = "/bot/bot.py"

if __name__ == "__main__":
    start = __import__("pennant_start")
    _, one, other, *arguments = sys.argv
    start.keep_pair(int(one), int(other))
    sys.orig_argv[-len(sys.argv) :] = [SCRIPT, *arguments]
    names = start.set_up_main_module(SCRIPT, "/bot", arguments)
    start.prepare_interpreter(SCRIPT)
    with open(SCRIPT, "rb") as file:
        source = file.read()
    start.run_bot(source, SCRIPT, names)
