# attack: answers by a line of 64 KiB and a byte
# expect: output
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('{"action":"say 1","note":"' + "x" * 65510 + '"}')
