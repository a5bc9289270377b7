# attack: answers for ever
# expect: malformed or output
# see: the arena doesn't grow, and no line is taken for the next answer
# bare: same
import sys

import trick

trick.sit_down()
while True:
    sys.stdout.write('{"action":"say 2"}\n')
    sys.stdout.flush()
