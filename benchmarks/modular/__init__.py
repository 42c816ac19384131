"""What a step of a modular agent costs beside LangGraph, and what is left of a run whose workers are killed."""
