// attack: asks which pages of a shared file are in memory, drops them and merges its own with others': channels all
// expect: ok
// see: all of it is refused
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    unsigned char there;
    int file = open("/usr/bin/env", O_RDONLY);
    void *page = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    void *own = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    leak_if(!mincore(page, 4096, &there), "which pages are in memory");
    struct { uint64_t from, length; } range = {0, 4096};
    uint64_t found[5];
    leak_if(!syscall(451 /* cachestat */, file, &range, found, 0), "how many pages are");
    leak_if(!posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), "pages dropped");
    leak_if(!madvise(own, 4096, MADV_MERGEABLE), "pages merged");
    leak_if(!madvise(page, 4096, 21 /* MADV_PAGEOUT */), "pages sent away");
    leak_if(!readahead(file, 0, 4096), "pages fetched");
    struct iovec into = {own, 1};
    leak_if(syscall(SYS_preadv2, file, &into, 1, 0, 0, 8 /* RWF_NOWAIT */) >= 0, "whether a page can be had at once");
    return play();
}
