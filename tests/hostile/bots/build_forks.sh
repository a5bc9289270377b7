#!/bin/sh
# attack: a compiler that leaves a daemon behind
# expect: built or not built
# see: no process is left
# bare: leaks
setsid sleep 20 >/dev/null 2>&1 </dev/null 3>&- &
sleep 0.3
echo done > "$TMPDIR/artefact"
