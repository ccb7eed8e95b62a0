"""Three kinds of trouble: misuse raises, remote garbage is rejected, broken invariants assert."""


class TransisError(Exception):
    """The root of what this project raises on purpose."""


class MisuseError(TransisError):
    """A local caller asked for something that cannot be."""


class WireError(TransisError):
    """Bytes from the network that are not a frame of ours. The only thing decoding may raise."""
