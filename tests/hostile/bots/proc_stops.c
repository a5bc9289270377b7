// attack: stops itself, for an arena that waits for it to go on or to end
// expect: timeout
// see: no process is left
// bare: same
#include "trick.h"

int main(void) {
    sit_down();
    raise(SIGSTOP);
    for (;;) syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
}
