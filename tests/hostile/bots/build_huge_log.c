// attack: a few words that become megabytes of messages
// expect: not built
// see: the log is 64 KiB at most, and the arena doesn't grow
// bare: same
#define A int *q = "a", *r = 1.5 + &q;
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
E E E E E
