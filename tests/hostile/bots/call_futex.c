// attack: wakes its opponent by a futex on a page of a file that both may read
// expect: ok
// see: only private ones can be used to wake: they belong to one process
// bare: leaks
// opponent: self
#include "trick.h"
#include <linux/futex.h>

int main(void) {
    sit_down();
    int *page = mmap(0, 4096, PROT_READ, MAP_SHARED, open("/usr/bin/env", O_RDONLY), 0);
    leak_if(syscall(SYS_futex, page, FUTEX_WAKE, 1, 0, 0, 0) >= 0, "a wake that is shared");
    leak_if(syscall(SYS_futex, page, FUTEX_REQUEUE, 1, 1, page + 1, 0) >= 0, "a requeue that is shared");
    leak_if(syscall(SYS_futex, page, FUTEX_WAKE_BITSET, 1, 0, 0, 1) >= 0, "a wake by bits that is shared");
    return play();
}
