"""Estimate the tokens of a text: count works from byte_classes and weights; calibrate learns from true counts."""
