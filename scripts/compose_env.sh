#!/usr/bin/env bash
# Make .env with a new secret for everything in compose.yaml that needs one. Never touches an existing .env.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -e .env ]; then
    echo ".env exists and is left as it is"
    exit 0
fi
umask 077
for name in MINDX_SUPERUSER_PASSWORD MINDX_OWNER_PASSWORD MINDX_APP_PASSWORD MINDX_REDIS_PASSWORD \
    MINDX_SECRET_KEY MINDX_APPROVAL_KEY; do
    printf '%s=%s\n' "$name" "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"
done >.env.new
mv .env.new .env
echo "Made .env. Set MINDX_PUBLIC_URL there when people reach mindX by another address than http://127.0.0.1:8000"
