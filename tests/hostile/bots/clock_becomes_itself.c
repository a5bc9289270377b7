// attack: becomes its own program in a second thread just as it answers: a thread that does so forgets a stop
// expect: ok or timeout or crash or malformed
// see: its processor clock hardly moves from its answer to the next question
// bare: leaks
// opponent: slow
#include "trick.h"

extern char **environ;
static char **words;
static volatile int answered;

static void *spin(void *unused) {
    for (volatile long i = 0;; i++);
}

static void *become(void *unused) {
    while (!answered);
    for (volatile int i = 0; i < 2000; i++);
    execve(words[0], words, environ);
    return 0;
}

// What was asked and used before is in its words: NAME HELLO CPU.
int main(int count, char **given) {
    char used[40], *next[] = {given[0], 0, used, 0};
    words = next;
    setvbuf(stdin, 0, _IONBF, 0);
    if (count < 3) {
        sit_down();
        next[1] = hello;
    } else {
        pthread_t thread;
        pthread_create(&thread, 0, spin, 0);
        pthread_create(&thread, 0, spin, 0);
        hello = next[1] = given[1];
        if (!hear() || !strstr(line, "\"type\":\"turn\"")) return 0;
        double more = cpu_s() - atof(given[2]);
        snprintf(note, sizeof note, more > 0.1 ? "LEAK %.3f s" : "nothing: %.3f s", more);
    }
    pthread_t thread;
    for (int i = 0; i < 3; i++) pthread_create(&thread, 0, spin, 0);
    pthread_create(&thread, 0, become, 0);
    snprintf(used, sizeof used, "%f", cpu_s());
    answered = 1;
    answer();
    for (;;) pause();
}
