"""What one ordinary goal costs the running application, part by part: the figures behind docs/scale.md."""
