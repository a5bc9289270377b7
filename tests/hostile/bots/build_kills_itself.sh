#!/bin/sh
# attack: a compiler that ends everything in its sandbox, so that the arena might take it for a fault of its own
# expect: not built
# see: it is the author's to mend, and not tried again for ever
# bare: unsafe, it would end everything here
kill -9 -1
kill -9 $$
