"""The pages on which operators tune: settings, recovery, what people taught, and evolution. Thin views."""
