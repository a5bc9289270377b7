// attack: makes system calls by the numbers of x32, which look like others with a bit set
// expect: crash or ok
// see: the first of them ends it
// bare: nothing, few kernels have them; the filter's own tests show that they end a bot
#include "trick.h"

int main(void) {
    sit_down();
#ifdef __x86_64__
    leak_if(syscall(0x40000000 | 41 /* socket */, AF_INET, SOCK_STREAM, 0) >= 0, "a socket by x32");
#endif
    return play();
}
