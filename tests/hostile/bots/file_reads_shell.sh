#!/bin/sh
# attack: reads a file of the arena's machine with a redirection
# expect: ok
# see: the secret of the file is told nowhere
# bare: leaks
. "${0%/*}/trick.sh"
text secret
if { read -r got < "$value"; } 2>/dev/null || [ -n "$got" ]; then play "LEAK $got"; else play "refused"; fi
