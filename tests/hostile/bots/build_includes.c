// attack: includes a file of the arena's machine where a value is expected: compilers quote what they don't understand
// expect: not built
// see: the secret of the file is told nowhere, least of all in the log
// bare: leaks
int quoted =
#include "@SECRET@"
    ;
