// attack: has the assembler put a file of the arena's machine into the program
// expect: not built
// see: the secret of the file is neither in the log nor in what was built
// bare: leaks
__asm__(".section .rodata\n.incbin \"@SECRET@\"\n.text\n");

int main(void) { return 0; }
