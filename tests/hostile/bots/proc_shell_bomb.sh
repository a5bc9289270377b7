#!/bin/sh
# attack: the fork bomb that everybody knows, bounded here
# expect: ok or crash
# see: no process is left
# bare: leaks
. "${0%/*}/trick.sh"
bomb() { [ "$1" -gt 0 ] && { bomb $(($1 - 1)) | bomb $(($1 - 1)) & } ; setsid sleep 5; }
bomb 3 >/dev/null 2>&1 </dev/null &
play "nothing"
