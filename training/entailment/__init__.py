"""The cross-encoder for entailment: its pairs, its training, its calibration and its measures (docs/entailment.md)."""
