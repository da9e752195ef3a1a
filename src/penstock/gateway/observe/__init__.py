"""Report to operators on the HTTP gateway, without a word of a result or of arguments.

``request_record``  what happened to one request, as the exchange and the gate decided
``logs``            a line of JSON for each record, and one line for what libraries complain of
``traces``          a span for each record, where OpenTelemetry is set up
``metrics``         figures for Prometheus
"""
