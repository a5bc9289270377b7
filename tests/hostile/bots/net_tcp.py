# attack: connects to a port of this machine, as Redis would listen on one
# expect: ok
# see: nothing reached the tcp socket
# bare: leaks
import socket

import trick

trick.run(lambda aim: socket.create_connection(("127.0.0.1", aim["port"]), 1).getpeername())
