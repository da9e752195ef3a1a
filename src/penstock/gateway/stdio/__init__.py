"""The client on standard input and output: ``penstock run``.

``connection``  in front of a command: two reading threads, from the server's start to the exit code
``relay``       drives the exchange: reads lines, carries out commands, keeps large results off the reading threads
``workers``     the threads for large results, with a bound on the bytes in their hands
``bridge``      in front of a URL: a thread reads the client, all else is one event loop
"""
