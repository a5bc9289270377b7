#!/bin/sh
# attack: a compiler that fills its scratch, as one file and as many
# expect: built or not built
# see: 64 MiB is all there is
# bare: leaks
dd if=/dev/urandom of="$TMPDIR/large" bs=1M count=100 2>/dev/null && leak=LEAK
rm -f "$TMPDIR/large"
mkdir "$TMPDIR/many"
dd if=/dev/urandom of="$TMPDIR/many/1" bs=1M count=50 2>/dev/null
dd if=/dev/urandom of="$TMPDIR/many/2" bs=1M count=50 2>/dev/null && leak=LEAK
rm -r "$TMPDIR/many"
echo "nothing $leak" > "$TMPDIR/artefact"
