#!/bin/sh
# attack: a compiler whose processes touch little of much: the tables for it count as nobody's memory
# expect: not built
# see: they count here, and a gigabyte is all that a build may have
# bare: unsafe, it would take gigabytes of the machine's memory if the arena didn't stop it in time
cat > "$TMPDIR/tables.c" <<'END'
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    unsigned long size = 30ul << 30, touched = 0;
    for (int i = 0; i < 5; i++) fork();
    volatile char *got = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got != MAP_FAILED)
        for (unsigned long at = 0; at < size; at += 2 << 20) touched += 1 + got[at];
    sleep(9);
    return 0;
}
END
gcc -O1 -o "$TMPDIR/tables" "$TMPDIR/tables.c"
"$TMPDIR/tables"
echo done > "$TMPDIR/artefact"
