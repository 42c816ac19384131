"""The files that goals work on: snapshots, history, uploads and the store they live in."""
