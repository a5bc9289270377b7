// attack: maps memory that it may only read, which counts for nobody, and makes it writable when it has it
// expect: ok or memory or crash or timeout
// see: no more than the limit can be written to
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    size_t size = number("memory_mb") * 2 << 20;
    char *got = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int writable = got != MAP_FAILED && !mprotect(got, size, PROT_READ | PROT_WRITE);
    leak_if(writable, "memory made writable");
    char *grown = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    leak_if(mremap(grown, 4096, size, MREMAP_MAYMOVE) != MAP_FAILED, "memory grown");
    leak_if(brk((char *)sbrk(0) + size) == 0, "a grown heap");
    int memory = open("/proc/self/mem", O_RDWR);
    leak_if(memory >= 0 && pwrite(memory, "x", 1, (off_t)got) > 0, "memory written through a file");
    return play();
}
