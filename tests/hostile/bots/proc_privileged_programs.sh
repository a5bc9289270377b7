#!/bin/sh
# attack: becomes a program that runs as root, no matter who starts it
# expect: ok or malformed or crash or timeout
# see: it has no more rights than before: there is nothing it can start beside itself, and no password to be asked for
# bare: nothing, a root arena's own bots are root there already
. "${0%/*}/trick.sh"
for program in su mount newgrp passwd sudo; do
    [ -u "/usr/bin/$program" ] && exec "/usr/bin/$program" -c id
done
play "nothing to become"
