"""The bounds and the times of one engine: two small frozen values, validated once."""

from dataclasses import dataclass

from node.errors import MisuseError

MIN_DATAGRAM = 576  # what every IPv4 host must accept
MAX_DATAGRAM = 60 * 1024  # below UDP's 65,507 with room for headers to come
DEFAULT_DATAGRAM = 1472  # 1500-byte MTU less IPv4 and UDP headers

MESSAGES_PER_FRAME = 1024  # more than fit, unless they are tiny

MICROSECOND = 1_000
MILLISECOND = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """A bound on everything that can grow, with its reason."""

    datagram_bytes: int = DEFAULT_DATAGRAM
    window_frames: int = 64
    """The network sliding window: payload frames from all senders not yet followed by all."""
    message_bytes: int = 64 * 1024 * 1024
    """The largest application message."""
    backlog_bytes: int = 64 * 1024 * 1024
    """What applications may have waiting in this node before a submit is refused."""
    backlog_messages: int = 100_000
    messages_per_frame: int = MESSAGES_PER_FRAME
    """1 switches packing off."""

    def __post_init__(self) -> None:
        _require(
            MIN_DATAGRAM <= self.datagram_bytes <= MAX_DATAGRAM,
            f"datagram_bytes between {MIN_DATAGRAM} and {MAX_DATAGRAM}, not {self.datagram_bytes}",
        )
        _require(
            1 <= self.window_frames <= 16_384,
            f"window_frames between 1 and 16384, not {self.window_frames}",
        )
        _require(
            1 <= self.message_bytes < 2**32,
            f"message_bytes between 1 and 2^32-1, not {self.message_bytes}",
        )
        _require(
            self.backlog_bytes >= self.message_bytes,
            "backlog_bytes at least message_bytes, or the largest message could never be sent",
        )
        _require(self.backlog_messages >= 1, "backlog_messages at least 1")
        _require(1 <= self.messages_per_frame <= 4096, "messages_per_frame between 1 and 4096")

    @property
    def unheld_frames(self) -> int:
        """How many frames of one sender, payload or not, may be not yet held by all.

        Twice the window: a full window of payload and as many acknowledgements in between. A
        receiver never lags a sender by more, so this also bounds what it must buffer per sender.
        """
        return 2 * self.window_frames

    @property
    def open_messages(self) -> int:
        """How many large messages of one sender may be incomplete: a frame touches at most two."""
        return 2 * self.unheld_frames + 1

    @property
    def assembly_bytes(self) -> int:
        """What the pieces of one sender may take: a largest message in the smallest pieces, and
        what its window holds besides."""
        return 3 * self.message_bytes + self.unheld_frames * (self.datagram_bytes + 128)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long to wait before what. All in nanoseconds of the pump's clock."""

    heartbeat_ns: int = 100 * MILLISECOND
    """How often an idle node says that it is alive."""
    heartbeat_soon_ns: int = 10 * MILLISECOND
    """The first heartbeat after activity comes sooner: it reveals the loss of a last frame."""
    acknowledge_ns: int = 1 * MILLISECOND
    """How long an acknowledgement waits for a payload frame to ride on."""
    pack_ns: int = 1 * MILLISECOND
    """How long a busy sender waits for a frame to fill."""
    slowest_ns: int = 5 * MILLISECOND
    """The delay between frames just before the window blocks."""
    nack_ns: int = 2 * MILLISECOND
    """Upper end of the random wait before asking for a missing frame."""
    nack_again_ns: int = 20 * MILLISECOND
    """How long to wait for an answer before asking again; doubles up to nack_slowest_ns."""
    nack_slowest_ns: int = 160 * MILLISECOND
    repair_ns: int = 2 * MILLISECOND
    """The origin answers within this; other holders take their chance in the three times after."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            _require(getattr(self, name) > 0, f"{name} positive")
        _require(
            self.heartbeat_soon_ns <= self.heartbeat_ns, "heartbeat_soon_ns at most heartbeat_ns"
        )
        _require(
            self.nack_again_ns <= self.nack_slowest_ns, "nack_again_ns at most nack_slowest_ns"
        )


def _require(condition: bool, expected: str) -> None:
    if not condition:
        raise MisuseError(f"expected {expected}")
