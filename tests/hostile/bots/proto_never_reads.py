# attack: never reads a question that is longer than a pipe
# expect: timeout
# see: the arena neither hangs nor grows
# bare: same
# padding: 300000
import sys
import time

import trick

sys.stdin.readline()
trick.say(trick.READY)
time.sleep(60)
