"""The web page over a store: what was held, what it saved, what the model has read of it. Looking changes nothing.

``app``       the ASGI application: who may come in, and which path is answered by what
``guard``     the one-time token and the cookie; ``penstock.web`` checks Host and Origin
``request``   one request and its reply, with the headers that keep a page safe
``api``       the paths below ``/api``, each a function of what it is asked for; ``held_api`` those of one result
``display``   rows and answers as the API sends them
``overview``  figures for the first page, by day, server and tool
``rules``     settings as they are, and what another limit would have held
``downloads`` files that a page asks for, each by a ticket that is good once
``static``    the files of the page, which are in ``page/`` as they are written: there is no build
``server``    uvicorn around the application
"""
