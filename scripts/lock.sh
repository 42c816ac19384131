#!/usr/bin/env bash
# Write requirements.txt and those of tests, benchmarks, agents, training, interop and ScienceWorld anew from the .in files. Run it by hand
# after changing one of those. Training names torch's build for processors: UV_FIND_LINKS or UV_EXTRA_INDEX_URL says where
# it is.
#
# Versions that are already locked stay; `scripts/lock.sh --upgrade` moves what the .in files do not pin.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
python3 -m venv "$tool/venv"
"$tool/venv/bin/pip" install --quiet uv==0.13.8

# Left out although other packages name them: torch and its friends belong to a way of loading the embedding model
# that we do not use, and tokenizers needs the hub only to download what we already have.
printf '%s\n' "sentence-transformers; python_version < '3'" "huggingface-hub; python_version < '3'" > "$tool/left-out"

lock() {
    "$tool/venv/bin/uv" pip compile "$1" --output-file "$2" "${@:3}" \
        --override "$tool/left-out" --generate-hashes --python-version 3.11 --python-platform linux \
        --no-emit-index-url --no-emit-find-links --no-annotate --quiet \
        --custom-compile-command "scripts/lock.sh"
}
lock requirements.in requirements.txt "$@"
lock requirements-test.in requirements-test.txt --constraint requirements.txt "$@"
lock requirements-bench.in requirements-bench.txt --constraint requirements.txt "$@"
lock requirements-agents.in requirements-agents.txt --constraint requirements-test.txt "$@"
lock requirements-openai-agents.in requirements-openai-agents.txt "$@"
lock requirements-train.in requirements-train.txt --constraint requirements.txt "$@"
lock requirements-scienceworld.in requirements-scienceworld.txt "$@"
lock requirements-interop.in requirements-interop.txt --constraint requirements.txt "$@"
