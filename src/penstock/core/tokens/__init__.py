"""How many tokens a text costs: count estimates from byte_classes and weights; calibrate learns from true counts."""
