"""Where models that the product ships are trained. Never imported by the product; lives in .venv-train."""
