# attack: sleeps longer than it may, for which it uses no processor time
# expect: timeout
# see: the wall clock has a limit of its own
# bare: same
import time

import trick

trick.sit_down()
time.sleep(60)
