// attack: looks for descriptors of the arena that were left open in it, and tries to get hold of files through them
// expect: ok
// see: it has stdin, stdout and stderr, which are pipes
// bare: nothing, the arena hands on none in the first place
#include "trick.h"

int main(void) {
    struct stat found;
    for (int fd = 0; fd < 4096; fd++)
        if (!fstat(fd, &found)) leak_if(fd > 2 || !S_ISFIFO(found.st_mode), "a descriptor of the arena");
    char kept[200];
    strcpy(kept, note);
    sit_down();
    strcpy(note, kept);
    leak_if(openat(0, "..", O_RDONLY) >= 0 || openat(2, "..", O_RDONLY) >= 0, "a folder through a descriptor");
    return play();
}
