"""CSV, JSON and YAML: reading, writing and answering simple questions. Lives in the jail."""
