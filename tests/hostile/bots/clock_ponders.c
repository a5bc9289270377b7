// attack: thinks in four threads while its opponent is to move
// expect: ok or timeout
// see: its processor clock stands still from its answer to the next question
// bare: leaks
// opponent: slow
#include "trick.h"

static void *spin(void *unused) {
    for (volatile long i = 0;; i++);
}

int main(void) {
    sit_down();
    pthread_t thread;
    for (int i = 0; i < 4; i++) pthread_create(&thread, 0, spin, 0);
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
