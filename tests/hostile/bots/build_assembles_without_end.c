// attack: has the assembler read a device that never ends, as text and as bytes
// expect: not built
// see: it is over as soon as memory or time is
// bare: nothing, the assembler stops at what is no text there too; the bounds are those of the arena
__asm__(".incbin \"/dev/urandom\"\n.include \"/dev/random\"\n");

int main(void) { return 0; }
