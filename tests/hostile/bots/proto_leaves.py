# attack: ends in the middle of a leg, by a signal of its own
# expect: crash
# see: its opponent wins, and there is no core file
# bare: same
import os

import trick

trick.sit_down()
os.abort()
