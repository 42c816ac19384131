#!/usr/bin/env bash
# See to it that Debian's Chromium is there: for tests the one without a window (the same engine for two thirds of the
# processor time; the whole one does where that cannot be had), for a benchmark the whole one.
# usage: scripts/chromium.sh [chromium]
set -euo pipefail
wanted=${1:-chromium-headless-shell}

is_there() {
    [ -x "/usr/lib/chromium/$1" ] || { [ "$1" = chromium ] && [ -x /usr/bin/chromium ]; }
}

# Nothing that is there is removed for it, and a machine without network waits for seconds only. Another apt
# at work is waited for.
install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-remove -o Acquire::Retries=0 \
        -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 -o DPkg::Lock::Timeout=120 "$wanted" >/dev/null
}

is_there "$wanted" && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing $wanted for the browser tests"
    install 2>/dev/null && exit 0
    if ! is_there chromium; then
        apt-get update -qq -o DPkg::Lock::Timeout=120 >/dev/null
        install && exit 0
        wanted=chromium # a distribution may have the whole one only
        install && exit 0
    fi
fi
is_there chromium && exit 0
cat >&2 <<MESSAGE
The browser tests need Chromium. Install it as root:  apt-get install $wanted
To run everything else:  make test PYTEST='-m "not browser"'
MESSAGE
exit 1
