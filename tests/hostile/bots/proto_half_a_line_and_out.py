# attack: writes half an answer, and ends
# expect: crash
# see: half a line is never an answer
# bare: same
import os

import trick

trick.sit_down()
os.write(1, b'{"action":"say 1"}')
os._exit(0)
