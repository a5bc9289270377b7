# attack: answers with half a character
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('{"action":"say 1\\ud800"}')
