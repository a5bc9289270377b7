// attack: has the kernel keep things for it: signals, timers, events, watched descriptors, names of threads
// expect: ok
// see: nothing of it comes in thousands
// bare: leaks
#include "trick.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>

int main(void) {
    sit_down();
    int timers = 0, signals = 0, events = 0;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    timer_t timer;
    while (timers < 2000 && !timer_create(CLOCK_MONOTONIC, 0, &timer)) timers++;
    while (signals < 2000 && !sigqueue(getpid(), SIGRTMIN, (union sigval){0})) signals++;
    while (events < 900 && eventfd(0, 0) >= 0) events++;
    char told[80];
    snprintf(told, sizeof told, "%d timers, %d signals, %d events", timers, signals, events);
    leak_if(timers > 200 || signals > 200 || events > 200, told);
    return play();
}
