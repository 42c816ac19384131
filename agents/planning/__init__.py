"""From a goal to a proposed plan: rules first, then understanding, a model, a person."""
