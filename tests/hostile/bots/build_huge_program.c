// attack: a few words that become a program of 48 MiB
// expect: not built
// see: no more than 16 MiB are taken from a build
// bare: same
char huge[48 << 20] = {1};

int main(void) { return huge[1]; }
