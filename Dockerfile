# One image for web, worker and scheduler. Bots run on Debian's own Python, which a sandbox can mount read-only
# without exposing the application in /app.
FROM debian:bookworm-slim

# Languages besides Python. A worker offers those it finds; remove those that you don't need.
ARG TOOLCHAINS="nodejs gcc g++ libc6-dev rustc golang-go default-jdk-headless"

COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /usr/local/bin/uv

RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 ca-certificates util-linux $TOOLCHAINS \
 && rm -rf /var/lib/apt/lists/*

ENV UV_PYTHON=/usr/bin/python3 \
    UV_PYTHON_DOWNLOADS=never \
    UV_LINK_MODE=copy \
    UV_COMPILE_BYTECODE=1

WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN uv sync --frozen --no-dev --no-install-project --no-cache
COPY . .
RUN uv sync --frozen --no-dev --no-cache

RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin pennant \
 && install -d -m 0700 -o pennant -g pennant /data
USER pennant
VOLUME /data

ENV PATH=/app/.venv/bin:/usr/bin:/bin \
    PENNANT_DATA=/data \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
EXPOSE 8000
CMD ["gunicorn", "arena.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "4", "--preload", "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
