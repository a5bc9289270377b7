#!/bin/sh
# attack: a compiler that writes outside of its scratch, and over the sources
# expect: built
# see: nothing with the mark in its name is anywhere
# bare: leaks
for place in /var/tmp /dev/shm /run / /bot /tmp/../var/tmp "@FOLDER@"; do
    { echo LEAK > "$place/@MARK@"; } 2>/dev/null && leak="$leak LEAK in $place"
done
{ echo LEAK >> "@SECRET@"; } 2>/dev/null && leak="$leak LEAK into the secret"
{ echo LEAK >> bot.c; } 2>/dev/null && leak="$leak LEAK into the source"
echo "nothing $leak" > "$TMPDIR/artefact"
