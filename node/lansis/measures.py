"""What an engine counts: frames by kind, peaks of everything that can grow, and their bounds."""

from dataclasses import dataclass, fields


@dataclass(slots=True)
class Measures:
    payload_frames: int = 0
    acknowledgement_frames: int = 0
    heartbeats: int = 0
    nacks: int = 0
    repairs: int = 0
    duplicate_frames: int = 0
    peak_store: int = 0
    peak_waiting: int = 0
    peak_requests: int = 0
    peak_window: int = 0
    peak_vertices: int = 0
    peak_undelivered: int = 0
    peak_backlog_messages: int = 0

    def note_peaks(
        self,
        *,
        store: int,
        waiting: int,
        requests: int,
        window: int,
        vertices: int,
        undelivered: int,
    ) -> None:
        """Comparisons rather than max(): this runs for every frame."""
        if store > self.peak_store:
            self.peak_store = store
        if waiting > self.peak_waiting:
            self.peak_waiting = waiting
        if requests > self.peak_requests:
            self.peak_requests = requests
        if window > self.peak_window:
            self.peak_window = window
        if vertices > self.peak_vertices:
            self.peak_vertices = vertices
        if undelivered > self.peak_undelivered:
            self.peak_undelivered = undelivered

    def as_dict(self) -> dict[str, int]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def bounds(members: int, unheld_frames: int, backlog_messages: int) -> dict[str, int]:
    """The bound of each peak: `bound_x` for `peak_x`. Why they hold: docs/protocols/lansis.md."""
    frames = members * unheld_frames
    return {
        "bound_store": frames,
        "bound_waiting": frames,
        "bound_requests": frames,
        "bound_window": 2 * frames,
        "bound_vertices": members * frames,
        "bound_undelivered": members * frames,
        "bound_backlog_messages": backlog_messages,
    }
