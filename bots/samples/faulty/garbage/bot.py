"""Answers with text that is not JSON."""

import sys

for line in sys.stdin:
    print('{"type": "ready"}' if '"hello"' in line else "I play the red ten on flag four!", flush=True)
