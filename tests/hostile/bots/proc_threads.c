// attack: starts two thousand threads
// expect: ok or memory or crash
// see: there are as many as the limit says at most
// bare: leaks
#include "trick.h"

static void *wait_on(void *unused) {
    for (;;) pause();
}

int main(void) {
    sit_down();
    int made = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 32768);
    for (int i = 0; i < 2000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, wait_on, 0)) break;
        made++;
    }
    char told[60];
    snprintf(told, sizeof told, "%d threads", made);
    leak_if(made > 32, told);
    return play();
}
