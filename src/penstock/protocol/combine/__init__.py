"""Several upstreams behind one connection. Read ``router`` first.

``router``   requests go to the upstream that has what they name; responses and notifications come back under its name
``routes``   which upstream has which tool, prompt or resource
``fan_out``  one request to all upstreams
``merge``    their responses put together
"""
