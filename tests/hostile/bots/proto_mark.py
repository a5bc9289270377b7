# attack: begins its answer with a byte order mark
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('\ufeff{"action":"say 1"}')
