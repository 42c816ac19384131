# One image for web and worker; compose.yaml says which is which. Debian's own Python, because the jail shows
# the system's Python to what runs in it.
FROM debian:12-slim

RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        bubblewrap ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin mindx \
    && install -d -o mindx -g mindx -m 700 /data

WORKDIR /app
COPY requirements.txt ./
RUN python3 -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --require-hashes --no-deps -r requirements.txt
COPY . .

ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 MINDX_DATA=/data
USER mindx
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "uvicorn", "mindx_web.serve:application", "--host", "0.0.0.0", "--port", "8000", \
     "--lifespan", "off", "--no-server-header", "--no-proxy-headers", "--timeout-graceful-shutdown", "3", \
     "--ws-max-size", "65536", "--ws-per-message-deflate", "false"]
