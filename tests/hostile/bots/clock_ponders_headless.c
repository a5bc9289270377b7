// attack: thinks while its opponent is to move, when its first thread, by which it is known, has long ended
// expect: ok or timeout
// see: its processor clock stands still from its answer to the next question
// bare: leaks
// opponent: slow
#include "trick.h"

static void *spin(void *unused) {
    for (volatile long i = 0;; i++);
}

static void *go_on(void *first) {
    pthread_t thread;
    pthread_join(*(pthread_t *)first, 0);
    pthread_create(&thread, 0, spin, 0);
    answer();
    double used = 0;
    for (double before = cpu_s(); hear(); before = cpu_s()) {
        if (!strstr(line, "\"type\":\"turn\"")) continue;
        used += cpu_s() - before;
        snprintf(note, sizeof note, used > 0.1 ? "LEAK %.3f s" : "nothing: %.3f s", used);
        answer();
    }
    exit(0);
}

int main(void) {
    sit_down();
    static pthread_t first, second;
    first = pthread_self();
    pthread_create(&second, 0, go_on, &first);
    pthread_exit(0);
}
