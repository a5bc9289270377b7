# attack: writes half an answer, and waits
# expect: timeout
# see: its author reads what came
# bare: same
import os
import time

import trick

trick.sit_down()
os.write(1, b'{"action":"sa')
time.sleep(60)
