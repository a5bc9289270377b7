# attack: answers for ever
# expect: malformed or output or ok
# see: the arena doesn't grow, and no line from before a question is its answer; stopped after each, it may be in time
# bare: same
import sys

import trick

trick.sit_down()
while True:
    sys.stdout.write('{"action":"say 2"}\n')
    sys.stdout.flush()
