// attack: asks for what has broken kernels: BPF, performance counters, faults in user space, keys, new file systems
// expect: ok
// see: all of it is refused
// bare: leaks
#include "trick.h"

static const struct { const char *name; long call, arguments[5]; } CALLS[] = {
    {"bpf", SYS_bpf, {5, 0, 0}},
    {"userfaultfd", SYS_userfaultfd, {0}},
    {"perf_event_open", SYS_perf_event_open, {0, 0, -1, -1, 0}},
    {"keyctl", SYS_keyctl, {0, -3, 1}},
    {"fanotify", SYS_fanotify_init, {0, 0}},
    {"memfd_secret", 447, {0}},
    {"landlock", 444, {0, 0, 1}},
    {"personality", SYS_personality, {0xFFFFFFFF}},
    {"syslog", SYS_syslog, {10, 0, 0}},
    {"pkey_alloc", SYS_pkey_alloc, {0, 0}},
    {"process_mrelease", 448, {-1, 0}},
    {"seccomp", SYS_seccomp, {2, 0, 0}},
};

int main(void) {
    sit_down();
    char got[150] = "";
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        const long *a = CALLS[i].arguments;
        // What is there and only complains of its arguments can be had with better ones.
        long came = syscall(CALLS[i].call, a[0], a[1], a[2], a[3], a[4]);
        if (came >= 0 || errno == EFAULT || errno == EINVAL || errno == EBADF) {
            strcat(got, CALLS[i].name);
            strcat(got, " ");
        }
    }
    leak_if(*got, got);
    return play();
}
