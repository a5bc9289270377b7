// attack: fills memory and gives up the permission to write to it, so that the kernel's limits no longer count it
// expect: memory
// see: it never holds four times its limit
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    long limit = number("memory_mb"), size = 1 << 20;
    for (long held = 0; held <= 4 * limit; held++) {
        char *part = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (part == MAP_FAILED) return play();
        memset(part, 1, size);
        mprotect(part, size, held % 2 ? PROT_READ : PROT_NONE);
    }
    leak("four times the limit held");
    return play();
}
