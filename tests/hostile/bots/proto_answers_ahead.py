# attack: answers twice, the second time to what it will be asked next
# expect: malformed
# see: what nobody asked for is never an answer
# bare: same
import os
import sys

import trick

trick.sit_down()
os.write(1, b'{"action":"say 1"}\n{"action":"say 2"}\n')
sys.stdin.readline()
