# Two images: `site` for web, scheduler and courier, and `worker`, which has compilers and runtimes for bots besides.
# Bots run on Debian's own Python, which a sandbox can mount read-only without exposing the application in /app.
# Images of others: `sh .docker/pin-images.sh` writes their digests into .env, from which Compose takes them.
ARG DEBIAN_IMAGE=debian:bookworm-slim
ARG UV_IMAGE=ghcr.io/astral-sh/uv:0.9
# `manage.py backup` and `restore` need the client programs of the database's own version, which Debian doesn't have.
ARG POSTGRES_CLIENT_IMAGE=postgres:17-bookworm

FROM ${UV_IMAGE} AS uv

FROM ${POSTGRES_CLIENT_IMAGE} AS postgresql

FROM ${DEBIAN_IMAGE} AS system
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 ca-certificates util-linux \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin pennant \
 && install -d -m 0700 -o pennant -g pennant /data
WORKDIR /app
ENV PENNANT_DATA=/data \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1

# The application with its packages. It is copied on top of what changes less often.
FROM system AS application
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_PYTHON=/usr/bin/python3 \
    UV_PYTHON_DOWNLOADS=never \
    UV_LINK_MODE=copy \
    UV_COMPILE_BYTECODE=1
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN uv sync --frozen --no-dev --extra server --no-install-project --no-cache
COPY . .
RUN uv sync --frozen --no-dev --extra server --no-cache \
 && python3 -m compileall -q arena bots engine manage.py

# Packages that bots in Python can import, for Debian's Python. Another list, with hashes: --build-arg BOT_PACKAGES=…
FROM application AS packages
ARG BOT_PACKAGES=bots/packages.txt
RUN .venv/bin/python -m arena.runner.bot_packages ${BOT_PACKAGES} /packages

# The rules of the games, compiled beside their sources: some two times as fast. The compiler isn't in the images.
FROM application AS compiled
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev python3-dev \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
RUN UV_PROJECT_ENVIRONMENT=/compiler uv sync --frozen --only-group compile --no-cache \
 && HATCH_BUILD_HOOK_ENABLE_MYPYC=1 /compiler/bin/python -m hatchling build -t wheel -d /wheel \
 && .venv/bin/python -c "from engine.compiling import is_compiled; assert is_compiled()"

# Languages besides Python. A worker offers those it finds; remove those that you don't need. What is removed here are
# parts of the tools with which one changes Go itself or makes images of Java.
FROM system AS worker
ARG TOOLCHAINS="nodejs gcc g++ libc6-dev rustc golang-go default-jdk-headless"
RUN mkdir -p /usr/share/man/man1 \
 && apt-get update \
 && apt-get install -y --no-install-recommends $TOOLCHAINS \
 && apt-get clean && rm -rf /var/lib/apt/lists/* \
    /usr/lib/go-*/pkg/linux_*/cmd /usr/share/go-*/test /usr/lib/jvm/*/jmods
# A tmpfs that is mounted here has this mode at every start, also where a container is started again.
RUN install -d -m 1777 /run/pennant
COPY --from=packages /packages /packages
COPY --from=compiled /app /app
USER pennant
ENV PATH=/app/.venv/bin:/usr/bin:/bin
CMD ["celery", "--app", "arena.celery", "worker", "--without-gossip", "--without-mingle", "--without-heartbeat"]

FROM system AS site
RUN apt-get update \
 && apt-get install -y --no-install-recommends libpq5 liblz4-1 libzstd1 \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
COPY --from=postgresql /usr/lib/postgresql/17/bin/pg_dump /usr/lib/postgresql/17/bin/pg_restore /usr/local/bin/
COPY --from=postgresql /usr/lib/*-linux-gnu/libpq.so.5 /usr/local/lib/
RUN ldconfig && pg_dump --version && pg_restore --version
COPY --from=compiled /app /app
USER pennant
ENV PATH=/app/.venv/bin:/usr/local/bin:/usr/bin:/bin
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "arena.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "arena.core.web_worker.Worker", "--workers", "2", "--threads", "4", "--preload", "--keep-alive", "130", "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
