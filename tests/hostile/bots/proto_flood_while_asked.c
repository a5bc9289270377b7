// attack: fills its pipes from eight threads, and never reads what it is asked
// expect: output or malformed
// see: the arena neither grows nor waits for it
// bare: same
// padding: 300000
#include "trick.h"

static char flood[65536];

static void *write_on(void *to) {
    for (;;) write((int)(intptr_t)to, flood, sizeof flood);
}

int main(void) {
    memset(flood, 'x', sizeof flood);
    hear();
    puts("{\"type\":\"ready\"}");
    fflush(stdout);
    pthread_t thread;
    for (int i = 0; i < 8; i++) pthread_create(&thread, 0, write_on, (void *)(intptr_t)(1 + i % 2));
    write_on((void *)1);
}
