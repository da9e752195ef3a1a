"""The gateway: a client on one side, a real server on the other, and Penstock between them.

``stdio``    one connection over standard input and output, from start to exit code
``greeting`` the two reading threads, and the first question and answer before all else is imported
``process``  the server's process: started in a group of its own, ended with all its children
``relay``    drives an exchange: reads lines, carries out commands, lets the gate work off the relay threads
``large``    a large line, judged by one thread while others go on; ``memory`` gives back what is freed
``workers``  the threads for that, with a bound on the bytes in their hands
``output``   one writer for several threads
``pipes``    reading and writing file descriptors, some of which do not block
``rules``    what the exchange asks of the configuration, read beside the relay
``gather``   several servers as one
``desk``     the gate, opened when it is first needed, and what it needs
``log``      one line each, on stderr

The small path imports neither the gate nor the core: a server is relayed some ten milliseconds after the start.
"""
