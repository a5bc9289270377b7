// attack: a storm of timers: signals every 10 microseconds, and sleeps of one, to keep the kernel busy at little cost
// expect: ok
// see: its timer is refused, and a hundred sleeps take as long as a hundred coarse ones
// bare: leaks
#include "trick.h"
#include <sys/time.h>

static volatile long signals;
static void count(int unused) { signals++; }

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(void) {
    sit_down();
    struct itimerval often = {{0, 10}, {0, 10}};
    struct timespec moment = {0, 1000};
    signal(SIGALRM, count);
    int refused = setitimer(ITIMER_REAL, &often, 0);
    for (double end = now_s() + 0.05; now_s() < end;);
    struct itimerval never = {{0, 0}, {0, 0}};  // else a slow machine does nothing but take signals from here on
    setitimer(ITIMER_REAL, &never, 0);
    leak_if(!refused && signals > 100, "a signal every few microseconds");
    double start = now_s();
    for (int i = 0; i < 100; i++) nanosleep(&moment, 0);
    leak_if(now_s() - start < 0.02, "sleeps of microseconds");
    return play();
}
