# attack: allocates until it is ended
# expect: memory
# see: its author reads that it was memory
# bare: unsafe, nothing would stop it there
import trick

trick.sit_down()
got = []
while True:
    got.append(bytearray(1 << 20))
