"""Time, memory and error of a fit, each in a process of its own.

``families``   methods that are compared on the same rows     ``models``    the methods by name
``process``    starts a process for a case                    ``child``     what runs in it
``machine``    hardware, software and the load of others      ``page``      rows to Markdown
"""
