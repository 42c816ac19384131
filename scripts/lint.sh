#!/usr/bin/env bash
# Everything that can be said about the code without running it. Runs all checks, then fails if one did.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
failed=()

check() {
    echo "--- $1"
    "${@:2}" || failed+=("$1")
}

data=$(mktemp -d)
in_production=(env MINDX_DATA="$data" MINDX_PUBLIC_URL=https://mindx.example.org
    MINDX_SECRET_KEY="$($bin/python -c 'import secrets; print(secrets.token_urlsafe(64))')"
    DATABASE_URL=postgres://mindx_app@localhost/mindx REDIS_URL=redis://localhost/0)

# Types take several times as long as everything else, in one process: they are checked beside the others.
types=$(mktemp)
"${in_production[@]}" $bin/python -m mypy mindx_web review agents library people sandbox benchmarks tests >"$types" 2>&1 &
mypy=$!
trap 'kill $mypy 2>/dev/null; rm -rf "$data" "$types"' EXIT
end_of_types() {
    wait $mypy
    local result=$?
    cat "$types"
    return $result
}

check "ruff check" $bin/python -m ruff check .
check "ruff format" $bin/python -m ruff format --check .
check "import contracts" $bin/python -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
check "templates" $bin/python -m djlint --lint --quiet templates
check "deployment" "${in_production[@]}" $bin/python manage.py check --deploy --fail-level WARNING
check "migrations" "${in_production[@]}" $bin/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
check "types" end_of_types

if [ ${#failed[@]} -gt 0 ]; then
    echo "Failed: ${failed[*]}" >&2
    exit 1
fi
