"""Tables and their columns: what each column is for, and how much it tells a reader."""
