#!/bin/sh
# Write the passwords of the database's roles into .env, where they are missing. Those that are there stay.
set -eu
cd "$(dirname "$0")/.."
umask 077
touch .env
chmod 600 .env
for name in POSTGRES_PASSWORD POSTGRES_WORKER_PASSWORD; do
    if ! grep -q "^$name=." .env; then
        printf '%s=%s\n' "$name" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')" >> .env
        echo "$name was written to .env."
    fi
done
