// attack: opens files by handle, relative to what it has, and by calls that filters forget
// expect: ok
// see: the secret of the file is told nowhere
// bare: leaks
#include "trick.h"
#include <linux/openat2.h>

static void tell(int fd) {
    char got[60] = {0};
    if (fd >= 0 && read(fd, got, sizeof got - 1) > 0) leak(got);
}

int main(void) {
    sit_down();
    const char *path = text("secret");
    struct open_how how = {.flags = O_RDONLY};
    tell(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
    struct { struct file_handle head; char room[128]; } handle = {.head.handle_bytes = 128};
    int mount;
    leak_if(!name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0), "a handle");
    tell(open_by_handle_at(AT_FDCWD, &handle.head, O_RDONLY));
    tell(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY));
    tell(syscall(SYS_open_tree, AT_FDCWD, path, 0));
    return play();
}
