// attack: attaches to another process, reads its memory and takes its open file
// expect: ok
// see: the secrets of the process and of the file are told nowhere, and nobody traces the target process
// bare: leaks
#include "trick.h"
#include <sys/ptrace.h>
#include <sys/uio.h>

int main(void) {
    sit_down();
    pid_t target = number("target");
    char got[60] = {0};
    struct iovec here = {got, 24}, there = {(void *)number("address"), 24};
    leak_if(process_vm_readv(target, &here, 1, &there, 1, 0) > 0, got);
    int taken = syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, target, 0), 0, 0);
    if (taken >= 0 && pread(taken, got, 24, 0) > 0) leak(got);
    leak_if(!ptrace(PTRACE_SEIZE, target, 0, 0), "a process traced");
    leak_if(syscall(SYS_kcmp, getpid(), target, 0, 0, 0) >= 0, "a comparison");
    return play();
}
