# attack: ends with every exit code and message that might pass for a fault of the arena's
# expect: crash
# see: it loses, and the leg is not played again
# bare: same
import os
import sys

import trick

trick.sit_down()
sys.stderr.write("bwrap: Creating new namespace failed\nSandboxFailure: the launcher did not get as far as the bot\n")
sys.stderr.flush()
os._exit(70)
