"""Run queries and parsers in worker processes, within limits.

``sandbox``  the way in: sends one job to a worker, and says in words why it failed.
``turns``    which owner's job runs next.  ``pool``  which worker runs it: workers keep the tables of their owner.
``process``  one worker process, seen from outside.  ``worker/``  the same, from inside.
``jobs``     what a job is, and ``frames`` how it and its output cross the pipe: all that both sides know.
"""
