// attack: never answers, and blocks whatever Node would do in between
// expect: timeout
// see: it is over when its processor time is
// bare: same
require("./trick.js").run(() => {
    for (;;);
});
