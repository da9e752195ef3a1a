"""The parts that the scripts in ``bench/examples`` share: ``calls`` talks to a server as a real client does."""
