// attack: thirty threads that keep each other from the processors, so that it looks as if the machine were late
// expect: timeout
// see: what its own threads take from each other is nobody's lateness
// bare: same
#include "trick.h"

static void *spin(void *unused) {
    for (volatile long i = 0;; i++);
}

int main(void) {
    sit_down();
    pthread_t thread;
    for (int i = 0; i < 30; i++) pthread_create(&thread, 0, spin, 0);
    for (double start = cpu_s(); cpu_s() < start + 60;);
    return play();
}
