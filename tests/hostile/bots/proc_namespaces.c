// attack: makes namespaces of its own, by which an ordinary user becomes root in a world of its own
// expect: ok
// see: not one is made
// bare: leaks
#include "trick.h"

static const int KINDS[] = {CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWCGROUP,
                            CLONE_FILES, CLONE_FS};

int main(void) {
    sit_down();
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) leak_if(!unshare(KINDS[i]), "a namespace");
    pid_t child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (!child) _exit(0);
    leak_if(child > 0, "a process in a namespace");
    return play();
}
