#!/usr/bin/env bash
# Take one goal through a running mindX by its API alone: submit, refuse wrong digests, approve, achieve, remember.
# The address is MINDX_URL (else this machine and MINDX_PORT), the token MINDX_TOKEN (else one is made for admin).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/python ]; then
    echo "Start mindX first: make up" >&2
    exit 1
fi
url=${MINDX_URL:-http://127.0.0.1:${MINDX_PORT:-8000}}
if ! .venv/bin/python -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1] + "/api/v1/health", timeout=10)' \
    "${url%/}" 2>/dev/null; then
    echo "mindX does not answer at $url yet: wait until make up says that it is ready" >&2
    exit 1
fi
if [ -z "${MINDX_TOKEN:-}" ]; then
    scopes=(goals:read goals:write files:read review:read review:decide memory:read)
    MINDX_TOKEN=$(.venv/bin/python manage.py token admin --name "scripts/first_goal.sh" --days 1 \
        "${scopes[@]/#/--scope=}" | tail -n 1)
    export MINDX_TOKEN
fi
exec .venv/bin/python scripts/first_goal.py
