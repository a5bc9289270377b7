#!/bin/sh
# attack: a compiler that forks as often as it can
# expect: built or not built
# see: no process is left, and 64 at once is the most
# bare: leaks
count=0
while [ $count -lt 200 ]; do
    sleep 3 3>&- &
    count=$((count + 1))
done 2>/dev/null
echo "LEAK $count processes" > "$TMPDIR/artefact"
