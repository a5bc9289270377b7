# attack: answers by bytes that are no UTF-8
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import os

import trick

trick.sit_down()
os.write(1, b'{"action":"\xff\xfe\x80"}\n')
