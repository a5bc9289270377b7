// attack: takes memory outside of the heap that Node's own option bounds
// expect: ok or memory or crash or timeout
// see: it gets no more than its limit and what Node itself is granted
// bare: leaks
require("./trick.js").run((aim) => {
    const got = [];
    try {
        while (got.length < aim.memory_mb + 256) got.push(Buffer.alloc(1 << 20, 1));
    } catch {
        return "";
    }
    return `${got.length} MiB`;
});
