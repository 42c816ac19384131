# Sourced by scripts that may take minutes, so that nobody takes them for stuck.

# speak COMMAND…: let the command say how far we are, every four seconds until `hush`.
speak() {
    {
        # A read that never gets anything waits without a child, which would outlive us and hold our output open.
        exec {nothing}<> <(:)
        until read -r -t 4 -u "$nothing" || ! kill -0 $$ 2>/dev/null; do
            "$@"
        done
    } 9>&- & # setup.sh holds its lock as 9
    speaker=$!
    disown "$speaker" # else bash reports that it was killed
}

hush() {
    kill "${speaker:-}" 2>/dev/null || true
    speaker=
}

# still STAGE: the sentence that the supervisor uses as well.
still() {
    echo "still: $1, $SECONDS s"
}
