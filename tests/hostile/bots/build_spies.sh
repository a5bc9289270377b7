#!/bin/sh
# attack: a compiler that looks at the arena's processes and reads what they are given
# expect: built or not built
# see: there is no /proc, and so nothing to tell
# bare: leaks
for process in @TARGET@ @ARENA@ 1; do
    tr '\0' '\n' < /proc/$process/environ 2>/dev/null | grep . && leak=LEAK
done
echo "nothing $leak" > "$TMPDIR/artefact"
