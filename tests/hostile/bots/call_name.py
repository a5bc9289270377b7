# attack: asks what the machine is called
# expect: ok
# see: the name is not the machine's
# bare: leaks
# open: C D, the name is another only in a namespace
import os

import trick

trick.run(lambda aim: os.uname().nodename if os.uname().nodename != "bot" else "")
