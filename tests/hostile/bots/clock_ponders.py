# attack: thinks in a thread of its own while its opponent is to move
# expect: ok
# see: its processor clock stands still from its answer to the next question
# bare: leaks
# opponent: slow
import sys
import threading
import time

import trick


def spin() -> None:
    while True:
        pass


trick.sit_down()
threading.Thread(target=spin, daemon=True).start()
trick.answer("nothing")
used = 0.0
before = time.process_time()
for line in sys.stdin:
    if '"type":"turn"' in line:
        used += time.process_time() - before
        trick.answer(f"LEAK {used:.3f} s" if used > 0.1 else f"nothing: {used:.3f} s")
        before = time.process_time()
