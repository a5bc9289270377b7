# attack: answers with a number too large to be one
# expect: ok or malformed
# see: no infinity is in the record
# bare: same
import sys

import trick

trick.sit_down()
trick.say('{"action":"say 1","eval":1e999}')
for _ in sys.stdin:
    trick.say('{"action":"say 1","eval":1e999}')
