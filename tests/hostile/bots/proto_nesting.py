# attack: answers by JSON nested 10,000 deep
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('{"action":"say 1","note":' + "[" * 10000 + "]" * 10000 + "}")
