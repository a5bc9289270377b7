# attack: closes its standard output and lives on
# expect: crash or timeout
# see: no process is left
# bare: same
import os
import time

import trick

trick.sit_down()
os.close(1)
time.sleep(60)
