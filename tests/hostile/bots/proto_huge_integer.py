# attack: answers with an integer of 60,000 digits
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('{"action":"say 1","eval":' + "9" * 60000 + "}")
