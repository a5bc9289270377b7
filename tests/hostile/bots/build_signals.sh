#!/bin/sh
# attack: a compiler that signals all it can reach, the sentinel and the arena first
# expect: built or not built
# see: the sentinel has no signal pending
# bare: leaks
kill -URG @SENTINEL@ @ARENA@ 2>/dev/null && leak=LEAK
kill -CONT 1 2>/dev/null
echo "nothing $leak" > "$TMPDIR/artefact"
