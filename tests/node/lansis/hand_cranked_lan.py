"""Engines joined by a wire that is turned by hand: the test hands frames over, or loses them.

Time stands still unless the test waits, and nothing arrives unless the test hands it over. Frames
are named by what they are: `a1` is a's first data frame, `a1/c` the same sent again by c, `a!1` is
a's first heartbeat ("I am alive!") and `a?1` its first request ("who has …?").
"""

from node.codec import decode, encode
from node.contract import (
    Accepted,
    Broadcast,
    DeadlinePassed,
    Deliver,
    Effect,
    Input,
    InstallView,
    Received,
    Refused,
    Reject,
    Started,
    Submit,
    Transition,
)
from node.frames import Content, Data, Fragment, Frame, Heartbeat, Service
from node.identity import Processor
from node.lansis.engine import Agreed, Lansis
from node.limits import Limits, Timing
from node.views import regular_view

MS = 1_000_000
LONGEST_TEXT = 30  # what is longer is told by its size
ONCE_IN_A_BLUE_MOON = 10_000  # wake-ups in one wait: more means that an engine never rests


class Luck:
    """Randomness of one engine: every draw gives this value until the test says otherwise."""

    def __init__(self) -> None:
        self.value = 0.5

    def random(self) -> float:
        return self.value


class Lan:
    def __init__(
        self,
        *names: str,
        agreed: Agreed = "allack",
        limits: Limits | None = None,
        timing: Timing | None = None,
    ) -> None:
        self.names = names
        self.now_ns = 0
        self.told: list[str] = []
        """What happened, a line each."""
        self.luck = {name: Luck() for name in names}
        self.frames: dict[str, Frame] = {}
        """Everything that was ever sent, by name."""
        self.delivered: dict[str, list[Deliver]] = {name: [] for name in names}
        self._on_the_wire: dict[str, list[str]] = {}
        self._stamp = ""  # before each line, while time passes
        processors = [Processor(number, 1) for number in range(len(names))]
        self.view = regular_view(processors)
        self.engines = {
            name: Lansis(
                processor,
                self.view,
                agreed,
                limits or Limits(),
                timing or Timing(),
                self.luck[name],
            )
            for name, processor in zip(names, processors, strict=True)
        }
        for name in names:
            self.step(name, Started())

    # -- what a test does

    def submit(self, name: str, service: Service, *texts: str) -> Effect:
        """Returns the engine's answer."""
        payloads = tuple(text.encode() for text in texts)
        return self.step(name, Submit(service, payloads))[0]

    def hand(self, frame: str, *receivers: str) -> None:
        """The frame arrives at these, or at all that it has not reached."""
        for receiver in receivers or tuple(self._on_the_wire.get(frame, ())):
            self._take_off(frame, receiver)
            self.step(receiver, Received(decode(encode(self.frames[frame]))))

    def lose(self, frame: str, *receivers: str) -> None:
        """The frame never arrives at these, or at none that it has not reached."""
        for receiver in receivers or tuple(self._on_the_wire.get(frame, ())):
            self._take_off(frame, receiver)

    def crank(self) -> None:
        """Whatever is on the wire arrives, and whatever is sent because of that."""
        while self._on_the_wire:
            self.hand(next(iter(self._on_the_wire)))

    def wait(self, duration_ns: int, *, cranking: bool = False) -> None:
        """Time passes; unless cranking, nothing arrives meanwhile."""
        end_ns = self.now_ns + duration_ns
        for _ in range(ONCE_IN_A_BLUE_MOON):
            if cranking:
                self.crank()
            due_ns, name = min((self._due(name), name) for name in self.names)
            if due_ns > end_ns:
                self.now_ns, self._stamp = end_ns, ""
                return
            self.now_ns = max(self.now_ns, due_ns)
            self._stamp = f"at {self.now_ns / MS:g} ms "
            self.step(name, DeadlinePassed())
        raise AssertionError("an engine wakes up without end")

    def step(self, name: str, event: Input) -> list[Effect]:
        """Any input at all; what the engine sends goes on the wire, what happens is told."""
        effects = self.engines[name].step(event, self.now_ns)
        for effect in effects:
            if isinstance(effect, Deliver):
                self.delivered[name].append(effect)
            if isinstance(effect, Broadcast):
                self._put_on_the_wire(name, effect.frame)
            self.told.append(self._stamp + self._tell(name, effect))
        return effects

    # -- what a test looks at

    def texts(self, name: str) -> list[str]:
        """What was delivered at this node."""
        return [payload.decode() for effect in self.delivered[name] for payload in effect.payloads]

    def on_the_wire(self) -> list[str]:
        return list(self._on_the_wire)

    # -- the wire

    def _put_on_the_wire(self, name: str, frame: Frame) -> None:
        title = self._name_of(name, frame)
        self.frames[title] = frame
        others = [other for other in self.names if other != name]
        if others:
            self._on_the_wire[title] = others

    def _take_off(self, frame: str, receiver: str) -> None:
        waiting = self._on_the_wire.get(frame, [])
        if receiver in waiting:
            waiting.remove(receiver)
        if not waiting:
            self._on_the_wire.pop(frame, None)

    def _name_of(self, name: str, frame: Frame) -> str:
        if isinstance(frame, Data):
            plain = f"{self.names[frame.origin]}{frame.counter}"
            if plain not in self.frames:
                return plain
            stem = f"{plain}/{name}"
            return stem if stem not in self.frames else self._numbered(f"{stem}/")
        return self._numbered(f"{name}!" if isinstance(frame, Heartbeat) else f"{name}?")

    def _numbered(self, stem: str) -> str:
        return f"{stem}{1 + sum(name.startswith(stem) for name in self.frames)}"

    def _due(self, name: str) -> int:
        due_ns = self.engines[name].next_deadline()
        assert due_ns is not None, "there is always a heartbeat to come"
        return due_ns

    # -- telling

    def _tell(self, name: str, effect: Effect) -> str:
        if isinstance(effect, InstallView):
            members = " ".join(self.names[member.number] for member in effect.view.members)
            return f"{name} installs the view of {members}"
        if isinstance(effect, Deliver):
            texts = " | ".join(map(_quoted, effect.payloads))
            number = f"{self.names[effect.sender.number]}#{effect.first}"
            return (
                f"{name} delivers {number} {effect.service.label}: {texts} (index {effect.index})"
            )
        if isinstance(effect, Accepted):
            return f"{name} accepts {name}#{effect.first}"
        if isinstance(effect, Refused):
            return f"{name} refuses: {effect.reason}"
        if isinstance(effect, Reject):
            return f"{name} rejects: {effect.reason}"
        if isinstance(effect, Transition):
            moved = f"{effect.before} to {effect.after}"
            return f"{name} moves its {effect.machine} from {moved}: {effect.reason}"
        if isinstance(effect, Broadcast):
            return f"{name} sends {self._tell_frame(effect.frame)}"
        return f"{name} has room again"

    def _tell_frame(self, frame: Frame) -> str:
        title = next(reversed(self.frames))
        if isinstance(frame, Data):
            acks = "".join(f" {self.names[who]}{counter}" for who, counter in frame.acks)
            after = f" after{acks}" if acks else ""
            return f"{title}{after}: " + (", ".join(map(_told, frame.content)) or "I am alive")
        if isinstance(frame, Heartbeat):
            holds = " ".join(f"{self.names[who]}{counter}" for who, counter in frame.holds)
            return f"{title}: I hold up to {holds}"
        wanted = " ".join(
            f"{self.names[who]}{first}" + (f"-{last}" if last > first else "")
            for who, first, last in frame.wanted
        )
        return f"{title}: who has {wanted}?"


def _told(item: Content) -> str:
    if isinstance(item, Fragment):
        end = item.offset + len(item.data)
        return f"{item.service.label} bytes {item.offset}-{end - 1} of {item.total}"
    return f"{item.service.label} " + " | ".join(map(_quoted, item.payloads))


def _quoted(payload: bytes) -> str:
    return payload.decode() if len(payload) <= LONGEST_TEXT else f"{len(payload)} bytes"
