// attack: starts programs and daemons with what Node brings, and a worker process of its own
// expect: ok or crash
// see: no process is left
// bare: leaks
require("./trick.js").run((aim) => {
    const { spawn, spawnSync } = require("child_process");
    const said = spawnSync("/bin/cat", [aim.secret]).stdout?.toString() ?? "";
    const child = spawn("/bin/sleep", ["20"], { detached: true, stdio: "ignore" });
    child.on("error", () => {});
    return said + (child.pid ? " a daemon" : "");
});
