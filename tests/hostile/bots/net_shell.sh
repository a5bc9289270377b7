#!/bin/bash
# attack: connects to this machine with a redirection, as bash can
# expect: ok
# see: nothing reached the tcp or the udp socket
# bare: leaks
. "${0%/*}/trick.sh"
number port
{ exec 4<>"/dev/tcp/127.0.0.1/$value"; } 2>/dev/null && got="tcp"
number udp
{ echo secrets > "/dev/udp/127.0.0.1/$value"; } 2>/dev/null && got="$got udp"
play "${got:+LEAK }${got:-refused}"
