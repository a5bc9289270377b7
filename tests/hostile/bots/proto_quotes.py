# attack: answers by 64 KiB of quotation marks, on which patterns run for minutes
# expect: malformed
# see: its author reads a sentence, and nothing else comes of it
# bare: same
import trick

trick.sit_down()
trick.say('"\\\\"' * 16384)
