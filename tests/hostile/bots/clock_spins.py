# attack: never answers
# expect: timeout
# see: it is over when its processor time is
# bare: same
import trick

trick.sit_down()
while True:
    pass
