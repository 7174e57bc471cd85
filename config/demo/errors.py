class DemoError(Exception):
    """The demo cannot go on; the message is a sentence for the person at the terminal."""


class Stopped(Exception):
    """Somebody asked the demo to stop while it was still coming up."""
