// attack: sleeps, but is at work for a moment whenever it is looked at, as if it had waited for a processor since
// expect: timeout
// see: it doesn't live on for seconds after its time is over: its log says nothing
// bare: same
#include "trick.h"

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(void) {
    sit_down();
    double limit = now_s() + 2 * number("move_ms") / 1e3, period = 0.0515, around = 0.0035;
    for (int look = 0; look < 50; look++) {
        double at = limit + 0.0022 + look * period, pause = at - around - now_s();
        if (pause > 0) usleep(pause * 1e6);
        while (now_s() < at + around);
    }
    fputs("LEAK it is still waited for\n", stderr);
    return 1;
}
