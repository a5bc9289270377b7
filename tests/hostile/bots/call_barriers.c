// attack: interrupts every processor of the machine, as often as it can
// expect: ok
// see: only barriers among its own threads are left
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    for (int command = 1; command <= 4; command <<= 1)
        leak_if(syscall(SYS_membarrier, command, 0, 0) >= 0, "a barrier for all");
    leak_if(!sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){{1}}), "a processor of its choice");
    return play();
}
