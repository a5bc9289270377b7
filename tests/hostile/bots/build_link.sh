#!/bin/sh
# attack: a compiler whose program is a link to a file of the arena's machine
# expect: not built
# see: the secret of the file is told nowhere: links are followed inside
# bare: leaks
ln -s "@SECRET@" "$TMPDIR/artefact"
