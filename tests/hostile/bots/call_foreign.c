// attack: makes system calls by the numbers of another architecture, for which a filter must be written anew
// expect: crash or ok
// see: the first of them ends it
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
#ifdef __x86_64__
    long came;
    __asm__ volatile("int $0x80" : "=a"(came) : "a"(20 /* getpid */) : "memory");
    leak_if(came == getpid(), "a call of 32 bits");
#endif
    return play();
}
