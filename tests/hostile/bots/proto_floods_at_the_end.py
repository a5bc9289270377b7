# attack: waits until the leg is over, and floods both of its pipes then
# expect: ok
# see: no process is left, and the arena doesn't grow
# bare: same
import os
import sys

import trick

trick.sit_down()
trick.answer("nothing")
for line in sys.stdin:
    if '"type":"turn"' in line:
        trick.answer("nothing")
    else:
        break
while True:
    os.write(2, b"x" * 65536)
    os.write(1, b"x" * 65536)
