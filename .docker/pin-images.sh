#!/bin/sh
# Fix the images of others by their digests, in .env: a tag can be moved, a digest can't.
#     sh .docker/pin-images.sh             ask the registries what the tags mean now, and write that into .env
#     sh .docker/pin-images.sh --check     fail where an image in .env isn't fixed; asks no registry
# Do it again for every upgrade: images that are fixed get no fixes either.
set -eu
cd "$(dirname "$0")/.."
defaults='DEBIAN_IMAGE=debian:bookworm-slim
UV_IMAGE=ghcr.io/astral-sh/uv:0.9
POSTGRES_CLIENT_IMAGE=postgres:17-bookworm
DATABASE_IMAGE=postgres:17-alpine
BROKER_IMAGE=redis:7-alpine'
is_digest='sha256:[0-9a-f]\{64\}$'

if [ "${1:-}" = --check ]; then
    missing=$(for line in $defaults; do
        grep -q "^${line%%=*}=[^@]*@$is_digest" .env 2>/dev/null || printf ' %s' "${line%%=*}"
    done)
    [ -z "$missing" ] || { echo "Not fixed by a digest in .env:$missing" >&2; exit 1; }
    exit 0
fi

pinned=$(for line in $defaults; do
    image=${line#*=}
    digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
    printf '%s\n' "$digest" | grep -q "^$is_digest" || { echo "No digest of $image: $digest" >&2; exit 1; }
    echo "$line@$digest"
done) || exit 1
umask 077
touch .env
others=$(grep -v "^\(DEBIAN\|UV\|POSTGRES_CLIENT\|DATABASE\|BROKER\)_IMAGE=" .env || true)
printf '%s\n%s\n' "$others" "$pinned" > .env.new
mv .env.new .env
printf '%s\n' "$pinned"
