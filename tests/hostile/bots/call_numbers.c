// attack: makes objects that the kernel numbers for the whole machine, in all ways there are: pipes and pairs of sockets
// expect: ok
// see: none is made, so a leg can't move the counter that the next leg could read
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    int ends[2];
    leak_if(!syscall(SYS_pipe, ends), "a pipe");
    leak_if(!syscall(SYS_pipe2, ends, O_NONBLOCK | O_CLOEXEC), "a pipe that is not waited for");
    leak_if(!syscall(SYS_pipe2, ends, 040000), "a pipe of packets");
    leak_if(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "a pair of sockets");
    leak_if(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "a pair of sockets for packets");
    leak_if(syscall(SYS_memfd_create, "x", 0) >= 0, "a file in memory");
    leak_if(syscall(SYS_inotify_init1, 0) >= 0, "a watch on files");
    leak_if(syscall(SYS_timerfd_create, 0, 0) >= 0, "a timer");
    return play();
}
