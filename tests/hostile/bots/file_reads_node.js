// attack: reads a file of the arena's machine, and lists folders around itself
// expect: ok
// see: the secret of the file is told nowhere
// bare: leaks
require("./trick.js").run((aim) => require("fs").readFileSync(aim.secret, "utf8"));
