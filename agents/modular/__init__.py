"""Runs of modular agents as rows: started, stepped under a lease, answered, branched and replayed."""
