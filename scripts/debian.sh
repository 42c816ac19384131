#!/usr/bin/env bash
# Install a package of Debian's that only one command needs, unless what it brings is there: a command or a file.
# usage: scripts/debian.sh java default-jre-headless ScienceWorld
set -uo pipefail
brings=$1
package=$2
needed_by=$3

if [ -e "$brings" ] || command -v "$brings" >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "$needed_by needs $brings. On Debian: apt-get install $package" >&2
    exit 1
fi
echo "Installing $package"
export DEBIAN_FRONTEND=noninteractive
# Another apt may be at work, most often the machine's own daily one: it is waited for.
install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 "$package")
"${install[@]}" >/dev/null 2>&1 && exit 0
apt-get update -qq -o DPkg::Lock::Timeout=120 >/dev/null 2>&1
"${install[@]}" >/dev/null || exit 1
