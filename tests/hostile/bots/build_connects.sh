#!/bin/sh
# attack: a compiler that calls home
# expect: built
# see: nothing reached the tcp socket
# bare: leaks
bash -c 'exec 4<>/dev/tcp/127.0.0.1/@PORT@' 2>/dev/null && leak=LEAK
echo "nothing $leak" > "$TMPDIR/artefact"
