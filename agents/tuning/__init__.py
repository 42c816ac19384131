"""What operators tune, in one shape: saved versions of which the newest counts, with checks, history and a trial."""
