// attack: starts as many processes as it can, by each of the calls there are for it
// expect: ok
// see: not one is started, and none is left
// bare: leaks
#include "trick.h"
#include <linux/sched.h>

static void wait_and_end(void) {
    sleep(3);
    _exit(0);
}

int main(void) {
    sit_down();
    int made = 0;
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (!child) wait_and_end();
        made += child > 0;
        child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (!child) wait_and_end();
        made += child > 0;
        child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (!child) wait_and_end();
        made += child > 0;
        child = syscall(SYS_clone3, &arguments, sizeof arguments);
        if (!child) wait_and_end();
        made += child > 0;
        child = vfork();
        if (!child) _exit(0);
        made += child > 0;
    }
    char told[60];
    snprintf(told, sizeof told, "%d processes", made);
    leak_if(made > 0, told);
    return play();
}
