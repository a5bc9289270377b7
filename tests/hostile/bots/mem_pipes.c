// attack: fills as many pipes and sockets as it can open: what waits in them counts for nobody
// expect: ok
// see: there is room for no more than a few megabytes
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    static char full[1 << 16];
    long got = 0;
    for (int i = 0; i < 2000 && got < 64 << 20; i++) {
        int pair[2];
        if (i % 2 ? pipe2(pair, O_NONBLOCK) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) break;
        fcntl(pair[1], 1031 /* F_SETPIPE_SZ */, 1 << 20);
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
        for (long sent; (sent = write(pair[1], full, sizeof full)) > 0;) got += sent;
    }
    char told[60];
    snprintf(told, sizeof told, "%ld MiB in pipes", got >> 20);
    leak_if(got > 16 << 20, told);
    return play();
}
