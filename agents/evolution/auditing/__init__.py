"""What the past says should change: facts read once, findings (pure), and the proposals that people decide on."""
