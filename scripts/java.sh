#!/usr/bin/env bash
# See to it that Java is there, which the simulator of ScienceWorld runs on. Nothing else in mindX needs it.
set -uo pipefail

if command -v java >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "ScienceWorld needs Java. On Debian: apt-get install default-jre-headless" >&2
    exit 1
fi
echo "Installing default-jre-headless"
export DEBIAN_FRONTEND=noninteractive
# Another apt may be at work, most often the machine's own daily one: it is waited for.
install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 default-jre-headless)
"${install[@]}" >/dev/null 2>&1 && exit 0
apt-get update -qq -o DPkg::Lock::Timeout=120 >/dev/null 2>&1
"${install[@]}" >/dev/null || exit 1
