"""The ends of bench/streaming.py."""
