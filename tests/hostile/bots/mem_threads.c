// attack: takes memory in thirty threads, each in an arena and on a stack of its own
// expect: ok or memory or crash or timeout
// see: all of them together get no more than the limit and a little
// bare: leaks
#include "trick.h"

static long got_mb;

static void *take(void *limit) {
    for (int i = 0; i < 8; i++) {
        char *part = malloc(1 << 20);
        if (part) {
            memset(part, 1, 1 << 20);
            __sync_fetch_and_add(&got_mb, 1);
        }
    }
    return 0;
}

int main(void) {
    sit_down();
    pthread_t threads[30];
    int made = 0;
    while (made < 30 && !pthread_create(&threads[made], 0, take, 0)) made++;
    for (int i = 0; i < made; i++) pthread_join(threads[i], 0);
    char told[60];
    snprintf(told, sizeof told, "%ld MiB in %d threads", got_mb, made);
    leak_if(got_mb > number("memory_mb"), told);
    return play();
}
