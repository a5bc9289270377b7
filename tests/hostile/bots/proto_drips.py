# attack: answers a byte at a time, each a little before one might lose patience
# expect: timeout
# see: there is one deadline for the whole line
# bare: same
import os
import time

import trick

trick.sit_down()
for byte in '{"action":"say 1","note":"one by one"}\n':
    os.write(1, byte.encode())
    time.sleep(0.05)
