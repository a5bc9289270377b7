// attack: takes four times its memory in shared anonymous pages, which RLIMIT_DATA doesn't count
// expect: ok
// see: the bot got less than twice its limit
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    size_t size = number("memory_mb") * 4 << 20;
    char *got = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (got != MAP_FAILED) memset(got, 1, size);
    leak_if(got != MAP_FAILED, "shared memory");
    return play();
}
