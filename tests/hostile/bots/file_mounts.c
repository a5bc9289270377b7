// attack: makes itself namespaces in which it is root, mounts a file system and goes back to the old root
// expect: ok
// see: all of it is refused, and the mounts of the machine are what they were
// bare: leaks
#include "trick.h"
#include <sys/mount.h>

int main(void) {
    sit_down();
    chdir("/");
    leak_if(!unshare(CLONE_NEWUSER | CLONE_NEWNS) || !unshare(CLONE_NEWNS), "namespaces of its own");
    // Without them, this would be the machine's own.
    if (!strncmp(note, "LEAK", 4)) {
        mount(0, "/", 0, MS_REC | MS_PRIVATE, 0);
        leak_if(!mount(text("mark"), "/mnt", "tmpfs", 0, 0), "a file system");
        leak_if(!chroot(".."), "another root");
        umount2("/mnt", MNT_DETACH);
    }
    leak_if(syscall(SYS_fsopen, "tmpfs", 0) >= 0, "a file system by the newer calls");
    leak_if(!setns(open("/proc/1/ns/mnt", O_RDONLY), 0), "another's namespace");
    return play();
}
