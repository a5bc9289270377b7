// attack: sets up io_uring, whose calls no filter sees
// expect: ok
// see: it is refused
// bare: leaks
#include "trick.h"
#include <linux/io_uring.h>

int main(void) {
    sit_down();
    struct io_uring_params params = {0};
    leak_if(syscall(SYS_io_uring_setup, 4, &params) >= 0, "io_uring");
    leak_if(syscall(206 /* io_setup */, 1, &(unsigned long){0}) >= 0, "asynchronous input and output");
    return play();
}
