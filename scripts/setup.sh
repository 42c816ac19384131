#!/usr/bin/env bash
# Make .venv (or another environment) from a lock, or leave it alone when it already holds exactly that.
# usage: scripts/setup.sh requirements.txt | requirements-test.txt | requirements-bench.txt .venv-bench | …
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/speak.sh
lock=$1
venv=${2:-.venv}
umask 022 # the embedded servers run under uids of their own and must be able to read their programs

trap hush EXIT
exec 9<"$lock"
flock 9 # two commands at once would install over each other

python=${PYTHON:-}
for candidate in /usr/bin/python3.11 python3.11 python3 python3.12 python3.13; do
    [ -n "$python" ] && break
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$candidate
    fi
done
if [ -z "$python" ]; then
    echo "mindX needs Python 3.11 or newer. On Debian: apt-get install python3 python3-venv" >&2
    exit 1
fi

# An environment does not survive being moved or its Python being replaced, so both belong to its identity.
identity=$("$python" -c 'import sys; print(sys.version, sys.base_prefix)')
wanted="$(sha256sum <"$lock" | cut -d' ' -f1) $lock $PWD $identity"
stamp=$venv/installed
if [ -x "$venv/bin/python" ] && grep -qxF -- "$wanted" "$stamp" 2>/dev/null; then
    exit 0
fi

if ! grep -qF -- " $PWD $identity" "$stamp" 2>/dev/null; then
    echo "Making $venv with $("$python" --version)"
    rm -rf "$venv"
    speak still "making $venv"
    if ! "$python" -m venv "$venv"; then
        echo "Python's venv module is missing. On Debian: apt-get install python3-venv" >&2
        exit 1
    fi
    hush
    echo "made in $PWD $identity" >"$stamp"
fi
packages=$(grep -c '==' "$lock")
echo "Installing $packages packages from $lock (the first time only)"

# Most of it is unpacking and compiling, which one pip does on one processor: each gets a share of the lock.
shares=$(mktemp -d)
pips=()
trap 'hush; kill "${pips[@]}" 2>/dev/null || true; rm -rf "$shares"' EXIT
awk -v folder="$shares" -v most="$(nproc)" '/^[^ #]/ { entry++ } entry { print > (folder "/" entry % most) }' "$lock"

# pip downloads all of its share before it installs the first package.
progress() {
    local installed
    installed=$(find "$venv"/lib/python3*/site-packages -maxdepth 1 -name '*.dist-info' -newer "$shares" | wc -l)
    echo "packages: $installed of $packages, $SECONDS s"
}
speak progress

for share in "$shares"/*; do
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes --no-deps -r "$share" &
    pips+=($!)
done
for pip in "${pips[@]}"; do
    wait "$pip" # each of them: the stamp says that all of it is there
done
pips=()

# What an older lock put there is no longer vouched for: its line goes, this one's stays.
{ grep -vF -- " $lock $PWD" "$stamp" || true; echo "$wanted"; } >"$stamp.new"
mv "$stamp.new" "$stamp"
