# attack: answers with a NUL, which no database takes
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('{"action":"say 1\\u0000"}')
