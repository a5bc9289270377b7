# attack: writes for ever without a newline
# expect: output
# see: the arena doesn't grow
# bare: same
import sys

import trick

trick.sit_down()
while True:
    sys.stdout.write("x" * 65536)
