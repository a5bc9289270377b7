# Exit with 0 where the web answers, as a container's health check wants it: without curl, and without starting Python.
host="${ALLOWED_HOSTS%%,*}"
host="${host#.}"
[ "$host" != "*" ] || host=localhost
exec 3<>"/dev/tcp/127.0.0.1/${1:-8000}" || exit 1
printf 'GET /health/ HTTP/1.0\r\nHost: %s\r\n\r\n' "$host" >&3
read -r -t 8 _ status _ <&3
[ "$status" = 200 ]
