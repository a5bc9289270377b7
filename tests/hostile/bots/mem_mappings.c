// attack: takes memory by every kind of mapping: growing down, huge, locked, private ones of files, moved ones
// expect: ok or memory or crash or timeout
// see: all of them together get no more than the limit and a little
// bare: leaks
#include "trick.h"

static const struct { const char *name; int flags; const char *file; } KINDS[] = {
    {"private", MAP_PRIVATE | MAP_ANONYMOUS, 0},
    {"growing down", MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, 0},
    {"stack", MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, 0},
    {"locked", MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, 0},
    {"huge", MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, 0},
    {"shared", MAP_SHARED | MAP_ANONYMOUS, 0},
    {"of a file", MAP_PRIVATE, "/usr/bin/python3"},
};

int main(void) {
    sit_down();
    long limit = number("memory_mb"), got = 0, size = 4 << 20;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        long got_so = 0;
        int file = KINDS[i].file ? open(KINDS[i].file, O_RDONLY) : -1;
        while (got_so < limit) {
            char *part = mmap(0, size, PROT_READ | PROT_WRITE, KINDS[i].flags, file, 0);
            if (part == MAP_FAILED) break;
            memset(part, 1, size);
            got += size >> 20, got_so += size >> 20;
        }
        if (got > limit + 8) {
            leak(KINDS[i].name);
            got = 0;
        }
    }
    return play();
}
