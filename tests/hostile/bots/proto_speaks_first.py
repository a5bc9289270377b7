# attack: says that it is ready before anybody asked, and then half of its first answer
# expect: start or malformed
# see: what nobody asked for is never an answer
# bare: same
import os
import time

os.write(1, b'{"type":"ready"}\n{"action":"say 1"}\n')
time.sleep(60)
