// attack: goes on by itself when it was stopped: signals, timers and messages that say so
// expect: ok or timeout
// see: its processor clock stands still from its answer to the next question
// bare: leaks
// opponent: slow
#include "trick.h"

static void *wake(void *unused) {
    for (;;) {
        syscall(SYS_tgkill, getpid(), gettid(), SIGCONT);
        kill(getpid(), SIGCONT);
        kill(0, SIGCONT);
        syscall(SYS_tkill, gettid(), SIGCONT);
        sigqueue(getpid(), SIGCONT, (union sigval){0});
    }
}

static void set_timers(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    timer_t timer;
    if (!timer_create(CLOCK_MONOTONIC, &event, &timer)) timer_settime(timer, 0, &often, 0);
    int ends[2];
    pipe(ends);
    fcntl(ends[0], F_SETOWN, getpid());
    fcntl(ends[0], F_SETSIG, SIGCONT);
    fcntl(ends[0], F_SETFL, O_ASYNC);
}

int main(void) {
    sit_down();
    signal(SIGCONT, SIG_IGN);
    pthread_t thread;
    set_timers();
    pthread_create(&thread, 0, wake, 0);
    answer();
    double used = 0;
    for (double before = cpu_s(); hear(); before = cpu_s()) {
        if (!strstr(line, "\"type\":\"turn\"")) continue;
        used += cpu_s() - before;
        snprintf(note, sizeof note, used > 0.1 ? "LEAK %.3f s" : "nothing: %.3f s", used);
        answer();
    }
    return 0;
}
