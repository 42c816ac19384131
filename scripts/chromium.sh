#!/usr/bin/env bash
# See to it that the browser tests have Debian's Chromium.
set -euo pipefail

if [ -x /usr/bin/chromium ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing chromium for the browser tests"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null
    exit 0
fi
cat >&2 <<'MESSAGE'
The browser tests need /usr/bin/chromium. Install it as root:  apt-get install chromium
To run everything else:  make test PYTEST='-m "not browser"'
MESSAGE
exit 1
