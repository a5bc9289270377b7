// attack: thinks in a worker of Node's and in timers while its opponent is to move
// expect: ok or timeout
// see: its processor clock stands still from its answer to the next question
// bare: leaks
// opponent: slow
const { Worker } = require("worker_threads");
const { say } = require("./trick.js");

let before;
let more = 0;
const used = () => process.cpuUsage().user / 1e6;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { type } = JSON.parse(line);
    if (type === "hello") {
        new Worker("for (;;);", { eval: true });
        setInterval(() => {}, 1);
        process.stdout.write('{"type":"ready"}\n');
    } else if (type === "turn") {
        more += before === undefined ? 0 : used() - before;
        say(more > 0.25 ? `LEAK ${more} s` : `nothing: ${more} s`);
        before = used();
    } else {
        process.exit(0);
    }
});
