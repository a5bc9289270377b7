// attack: sets the clocks of the machine, to the time they show
// expect: ok
// see: no clock can be set
// bare: leaks
#include "trick.h"
#include <sys/timex.h>

int main(void) {
    sit_down();
    struct timex nothing = {0};
    leak_if(adjtimex(&nothing) >= 0, "how the clock is kept");
    leak_if(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &nothing) >= 0, "how the clock is kept, by name");
    return play();
}
