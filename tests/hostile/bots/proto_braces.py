# attack: answers by 64 KiB of braces, which a careless reader takes milliseconds for
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say("{}" * 32768)
