"""Is ready, and then answers with what is not JSON."""

import sys

for line in sys.stdin:
    print('{"type": "ready"}' if '"hello"' in line else "I play the red ten on flag four!", flush=True)
