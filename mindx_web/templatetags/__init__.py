"""The one template library of mindX, built into every template by the settings."""
