// attack: blocks and ignores every signal, lets its first thread end and lives on in others
// expect: timeout
// see: no process is left
// bare: same
#include "trick.h"

static void *live_on(void *unused) {
    for (;;) sleep(1);
}

int main(void) {
    sit_down();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    pthread_t thread;
    for (int i = 0; i < 4; i++) pthread_create(&thread, 0, live_on, 0);
    pthread_exit(0);
}
