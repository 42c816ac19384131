#!/usr/bin/env bash
# See to it that bubblewrap, the jail of everything agents run, is there. Never fails: without it mindX starts, reports
# the sandbox as unavailable and runs nothing.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/speak.sh
data=${MINDX_DATA:-.mindx}
home=$data/bwrap
why=

if command -v bwrap >/dev/null || "$home/usr/bin/bwrap" --version >/dev/null 2>&1; then
    exit 0
fi

# Another apt may be at work, most often the machine's own daily one: it is waited for.
install_as_root() {
    export DEBIAN_FRONTEND=noninteractive
    local install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 bubblewrap)
    "${install[@]}" >/dev/null 2>&1 && return
    apt-get update -qq -o DPkg::Lock::Timeout=120 >/dev/null 2>&1
    why=$("${install[@]}" 2>&1 >/dev/null)
}

# Debian's own package, checked by apt against Debian's signatures, unpacked where nothing else looks.
unpack_as_user() {
    local work options
    work=$(mktemp -d) || return 1
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$home"
    options=(-qq -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache")
    (cd "$work" && { apt-get -qq download bubblewrap ||
        { apt-get "${options[@]}" update && apt-get "${options[@]}" download bubblewrap; }; }) >/dev/null 2>&1
    dpkg-deb -x "$work"/bubblewrap_*.deb "$home" 2>/dev/null
    local done=$?
    rm -rf "$work"
    return $done
}

if command -v apt-get >/dev/null; then
    trap hush EXIT
    speak still bubblewrap
    if [ "$(id -u)" = 0 ]; then
        echo "Installing bubblewrap"
        install_as_root && exit 0
    else
        echo "Unpacking bubblewrap into $home"
        (umask 077 && mkdir -p "$data") && unpack_as_user && "$home/usr/bin/bwrap" --version >/dev/null 2>&1 && exit 0
    fi
fi
cat >&2 <<'MESSAGE'
bubblewrap could not be installed, so nothing can run in a jail: mindX starts, but reports the sandbox as unavailable.
Install it (on Debian: apt-get install bubblewrap) and start again.
MESSAGE
if [ -n "$why" ]; then
    echo "apt-get said: $why" >&2
fi
exit 0
