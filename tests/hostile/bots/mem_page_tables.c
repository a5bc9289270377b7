// attack: touches a page in each two megabytes of a huge read-only mapping: the tables for it count in no limit
// expect: ok or memory or crash or timeout
// see: no mapping of 64 GiB can be had, whose tables would take as much as the bot itself
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    size_t size = 64ul << 30, step = 2ul << 20;
    volatile char *got = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    leak_if(got != MAP_FAILED, "64 GiB of address space");
    long touched = 0;
    if (got != MAP_FAILED)
        for (size_t at = 0; at < size && touched < 4000; at += step) touched += 1 + got[at];
    return play();
}
