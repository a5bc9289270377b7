# attack: writes its log for ever
# expect: output
# see: the arena doesn't grow
# bare: same
import sys

import trick

trick.sit_down()
while True:
    sys.stderr.write("x" * 65536)
