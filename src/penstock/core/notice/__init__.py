"""The text that a model reads instead of a large result: facts, sample rows, the next call, and their wording."""
