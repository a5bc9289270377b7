#!/bin/sh
# attack: a compiler that signals all it can reach, the target process and the arena first
# expect: built or not built
# see: the target process has no signal pending
# bare: leaks
kill -URG @TARGET@ @ARENA@ 2>/dev/null && leak=LEAK
kill -CONT 1 2>/dev/null
echo "nothing $leak" > "$TMPDIR/artefact"
