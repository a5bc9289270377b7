# What the hostile bots in shell share: they sit down, try something, and tell what came of it. Builtins only: a bot
# can't start anything, and $(…) would.
IFS= read -r hello
printf '{"type":"ready"}\n'
IFS= read -r turn

# A text that the harness told, into $value.
text() {
    value=${hello#*\"$1\":\"}
    value=${value%%\"*}
}

# A number that the harness told, into $value.
number() {
    value=${hello#*\"$1\":}
    value=${value%%[!0-9]*}
}

# From a turn that has been read to the end.
play() {
    printf '{"action":"say 1","note":"%s"}\n' "$1"
    while IFS= read -r turn; do
        case $turn in *'"type":"turn"'*) printf '{"action":"say 1","note":"%s"}\n' "$1" ;; esac
    done
}
