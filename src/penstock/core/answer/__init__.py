"""Parse a result, stand in for a held one: result reads it, notice and preview say, stand_in puts together."""
