"""What the tests of the rooms share."""

from tests.agents.shared import _word_vectors, goal_about  # noqa: F401  # fixtures
