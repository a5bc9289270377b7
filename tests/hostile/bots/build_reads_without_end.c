// attack: includes a device that never ends
// expect: not built
// see: it is over as soon as memory or time is
// bare: nothing, gcc stops at what is no text there too; the bounds are those of the arena
#include "/dev/urandom"
