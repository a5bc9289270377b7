// attack: moves pages between files and pipes, which is how the page cache of others was written to
// expect: ok
// see: all of it is refused
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    int ends[2], others[2], file = open("/usr/bin/env", O_RDONLY);
    pipe(ends);
    pipe(others);
    char bytes[16] = "bytes";
    struct iovec from = {bytes, sizeof bytes};
    leak_if(splice(file, 0, ends[1], 0, 16, 0) > 0, "splice");
    leak_if(vmsplice(ends[1], &from, 1, 0) > 0, "vmsplice");
    leak_if(tee(ends[0], others[1], 16, 1) > 0, "tee");
    leak_if(syscall(SYS_sendfile, ends[1], file, 0, 16) > 0, "sendfile");
    leak_if(socket(38 /* AF_ALG */, SOCK_SEQPACKET, 0) >= 0, "AF_ALG");
    return play();
}
