// attack: starts a thread that gives a descriptor of a process, whose number comes from a counter of the whole kernel
// expect: ok
// see: no flags of clone but those of plain threads pass, so there is no descriptor to read a number from
// bare: leaks
#include "trick.h"
#include <sched.h>

static int rest(void *nothing) { pause(); return 0; }

int main(void) {
    sit_down();
    static char stack[2][65536];
    int pidfd = -1;
    int thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    leak_if(clone(rest, stack[0] + 65536, thread | 0x1000, 0, &pidfd) > 0, "a descriptor of a thread");
    leak_if(clone(rest, stack[1] + 65536, CLONE_VM | 0x1000 | SIGCHLD, 0, &pidfd) > 0, "a descriptor of a process");
    return play();
}
