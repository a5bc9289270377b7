// attack: holds a little more write-protected memory at each turn, always before its clock is looked at
// expect: memory
// see: it never holds twice its limit
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    long limit = number("memory_mb"), size = 48 << 20, held = 0;
    do {
        char *part = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (part == MAP_FAILED) break;
        memset(part, 1, size);
        mprotect(part, size, PROT_READ);
        held += size >> 20;
        if (held > 2 * limit) leak("twice the limit held");
        answer();
    } while (hear());
    return play();
}
