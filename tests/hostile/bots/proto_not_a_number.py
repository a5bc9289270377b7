# attack: answers with a number that is none
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('{"action":"say 1","eval":NaN}')
