// attack: dies of a fault with as large a core as it may leave
// expect: crash
// see: there is no core file, and no program for cores was started
// bare: same
#include "trick.h"

int main(void) {
    sit_down();
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &most);
    *(volatile int *)0 = 1;
}
