# attack: opens a file of the arena's machine that any user there may read
# expect: ok
# see: the secret of the file is told nowhere
# bare: leaks
import trick

trick.run(lambda aim: trick.read(aim["secret"]))
