"""When a message is handed over: one rule per service, and the order inside a sender."""

from lansis_samples import VIEW, A, B, C, agreed, basic, causal, data, safe

from node.contract import Deliver
from node.frames import Content, Data, Fragment, Service
from node.identity import Processor
from node.lansis.dag import Dag, Vertex
from node.lansis.delivery import Delivery, is_ordered
from node.lansis.stability import Acknowledged
from node.limits import Limits

Acks = tuple[tuple[Processor, int], ...]


class Stage:
    """One member's graph and deliveries; the test decides what arrives and whose turn it is."""

    def __init__(self) -> None:
        self._dag = Dag(VIEW.expected)
        self._followed = Acknowledged(self._dag.tops)
        self._slots = VIEW.slots()
        self._out: list[Deliver] = []
        self._vertices: dict[tuple[Processor, int], Vertex] = {}
        self.delivery = Delivery(VIEW, self._dag, self._followed, Limits())

    def arrive(self, frame: Data) -> list[str]:
        """The frame is here, perhaps before what it follows."""
        self.delivery.arrived(frame, self._slots[frame.origin], self._out)
        return self._handed_over()

    def enter(
        self, who: Processor, counter: int, *content: Content, first: int = 1, acks: Acks = ()
    ) -> list[str]:
        """The frame is in the graph."""
        frame = data(who, counter, *content, first=first, acks=acks)
        slots = self._slots
        by_slot = tuple((slots[member.number], count) for member, count in acks)
        (vertex,) = self._dag.offer(frame, slots[who.number], by_slot)
        self._vertices[who, counter] = vertex
        risen = self._followed.note(vertex.slot, vertex.past)
        self.delivery.entered(vertex, is_ordered(frame), self._out)
        if risen:
            self.delivery.drain(self._out)
        return self._handed_over()

    def turn(self, *whose: tuple[Processor, int]) -> list[str]:
        """The agreed order says: these next."""
        for place in whose:
            self.delivery.turn(self._vertices[place])
        self.delivery.drain(self._out)
        return self._handed_over()

    def last(self) -> Deliver:
        return self._last

    def _handed_over(self) -> list[str]:
        texts = []
        for effect in self._out:
            self._last = effect
            texts += [payload.decode() for payload in effect.payloads]
        self._out.clear()
        return texts


# -- which frames need a turn


def test_a_frame_needs_a_turn_if_it_carries_agreed_or_safe_messages() -> None:
    assert not is_ordered(data(A, 1))
    assert not is_ordered(data(A, 1, basic("x"), causal("y")))
    assert is_ordered(data(A, 1, causal("x"), agreed("y")))
    assert is_ordered(data(A, 1, safe("x"), basic("y")))


# -- basic


def test_a_basic_message_is_delivered_when_it_arrives_whatever_is_missing() -> None:
    stage = Stage()

    assert stage.arrive(data(A, 7, basic("early"))) == ["early"]
    assert stage.last().index == 1


def test_a_basic_message_is_not_delivered_again_when_its_frame_enters_or_has_its_turn() -> None:
    stage = Stage()
    stage.arrive(data(A, 1, basic("once"), agreed("later")))

    assert stage.enter(A, 1, basic("once"), agreed("later")) == []
    assert stage.turn((A, 1)) == ["later"]


# -- causal


def test_a_causal_message_is_delivered_when_its_frame_enters_the_graph() -> None:
    stage = Stage()

    assert stage.arrive(data(A, 1, causal("x"))) == []
    assert stage.enter(A, 1, causal("x")) == ["x"]


def test_a_causal_message_waits_for_the_ordered_messages_that_it_follows() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("question"))

    assert stage.enter(B, 1, causal("answer"), acks=((A, 1),)) == []
    assert stage.turn((A, 1)) == ["question", "answer"]


def test_a_causal_message_does_not_wait_for_ordered_messages_that_it_does_not_follow() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("elsewhere"))

    assert stage.enter(B, 1, causal("x")) == ["x"]


def test_a_causal_message_waits_for_all_the_ordered_messages_that_it_follows() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("one"))
    stage.enter(B, 1, agreed("two"))
    stage.enter(C, 1, causal("both"), acks=((A, 1), (B, 1)))

    assert stage.turn((A, 1)) == ["one"]
    assert stage.turn((B, 1)) == ["two", "both"]


def test_causal_messages_that_waited_come_out_in_causal_order() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("root"))
    stage.enter(B, 1, causal("first"), acks=((A, 1),))
    stage.enter(C, 1, causal("second"), acks=((B, 1),))
    stage.enter(B, 2, causal("third"), first=2, acks=((C, 1),))

    assert stage.turn((A, 1)) == ["root", "first", "second", "third"]


def test_a_senders_causal_message_does_not_overtake_its_own_agreed_one() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("first"))

    assert stage.enter(A, 2, causal("second"), first=2) == []
    assert stage.turn((A, 1)) == ["first", "second"]


# -- agreed


def test_an_agreed_message_is_delivered_at_its_turn() -> None:
    stage = Stage()

    assert stage.arrive(data(A, 1, agreed("x"))) == []
    assert stage.enter(A, 1, agreed("x")) == []
    assert stage.turn((A, 1)) == ["x"]


def test_agreed_messages_are_delivered_in_the_order_of_their_turns() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("of a"))
    stage.enter(B, 1, agreed("of b"))

    assert stage.turn((B, 1), (A, 1)) == ["of b", "of a"]


# -- safe


def test_a_safe_message_waits_after_its_turn_until_all_members_follow_it() -> None:
    stage = Stage()
    stage.enter(A, 1, safe("x"))
    assert stage.turn((A, 1)) == []

    assert stage.enter(B, 1, acks=((A, 1),)) == []
    assert stage.enter(C, 1, acks=((A, 1),)) == ["x"]
    assert stage.last().index == 3


def test_a_safe_message_that_all_follow_still_waits_for_its_turn() -> None:
    stage = Stage()
    stage.enter(A, 1, safe("x"))
    stage.enter(B, 1, acks=((A, 1),))

    assert stage.enter(C, 1, acks=((A, 1),)) == []
    assert stage.turn((A, 1)) == ["x"]


def test_a_safe_message_holds_up_the_ordered_ones_behind_it() -> None:
    stage = Stage()
    stage.enter(A, 1, safe("slow"))
    stage.enter(B, 1, agreed("quick"))
    assert stage.turn((A, 1), (B, 1)) == []

    stage.enter(B, 2, first=2, acks=((A, 1),))
    assert stage.enter(C, 1, acks=((A, 1),)) == ["slow", "quick"]


def test_a_safe_message_does_not_hold_up_the_ordered_ones_before_it() -> None:
    stage = Stage()
    stage.enter(A, 1, safe("slow"))
    stage.enter(B, 1, agreed("quick"))

    assert stage.turn((B, 1), (A, 1)) == ["quick"]


def test_a_causal_message_waits_for_the_safe_one_that_it_follows_until_that_is_safe() -> None:
    stage = Stage()
    stage.enter(A, 1, safe("slow"))
    stage.enter(B, 1, causal("reply"), acks=((A, 1),))
    assert stage.turn((A, 1)) == []

    assert stage.enter(C, 1, acks=((A, 1),)) == ["slow", "reply"]


# -- a frame that mixes services


def test_causal_messages_at_the_front_of_a_frame_need_not_wait_for_its_turn() -> None:
    stage = Stage()

    assert stage.enter(A, 1, causal("now"), agreed("at the turn")) == ["now"]
    assert stage.turn((A, 1)) == ["at the turn"]


def test_causal_messages_behind_an_agreed_one_keep_their_place() -> None:
    stage = Stage()

    assert stage.enter(A, 1, agreed("1"), causal("2")) == []
    assert stage.turn((A, 1)) == ["1", "2"]


def test_agreed_messages_behind_a_safe_one_in_the_same_frame_wait_with_it() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("1"), safe("2"), agreed("3"), causal("4"))
    assert stage.turn((A, 1)) == ["1"]

    stage.enter(B, 1, acks=((A, 1),))
    assert stage.enter(C, 1, acks=((A, 1),)) == ["2", "3", "4"]


def test_the_causal_front_of_an_ordered_frame_waits_for_what_it_follows_and_comes_once() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("root"))

    assert stage.enter(B, 1, causal("front"), agreed("back"), acks=((A, 1),)) == []
    assert stage.turn((A, 1), (B, 1)) == ["root", "front", "back"]


def test_message_numbers_run_through_all_services_of_a_frame() -> None:
    stage = Stage()
    content = (causal("7", "8"), basic("9"), agreed("10", "11"), safe("12"))
    out = []
    stage.arrive(data(A, 1, *content, first=7))
    out.append(stage.last().first)
    stage.enter(A, 1, *content, first=7)
    out.append(stage.last().first)
    stage.turn((A, 1))
    out.append(stage.last().first)
    stage.enter(B, 1, acks=((A, 1),))
    stage.enter(C, 1, acks=((A, 1),))
    out.append(stage.last().first)

    assert out == [9, 7, 10, 12]


# -- large messages


def test_a_large_message_is_delivered_with_its_last_piece_and_keeps_its_number() -> None:
    stage = Stage()
    assert stage.enter(A, 1, causal("4"), Fragment(Service.CAUSAL, 6, 0, b"ab"), first=4) == ["4"]
    assert stage.enter(A, 2, Fragment(Service.CAUSAL, 6, 2, b"cd"), first=5) == []
    assert stage.enter(A, 3, Fragment(Service.CAUSAL, 6, 4, b"ef"), causal("6"), first=5) == [
        "abcdef",
        "6",
    ]
    assert stage.last().first == 6


def test_pieces_of_a_basic_message_may_come_in_any_order() -> None:
    stage = Stage()
    assert stage.arrive(data(A, 2, Fragment(Service.BASIC, 4, 2, b"cd"))) == []
    assert stage.arrive(data(A, 1, Fragment(Service.BASIC, 4, 0, b"ab"))) == ["abcd"]
    assert (stage.last().first, stage.last().index) == (1, 1)


def test_pieces_of_different_senders_do_not_mix() -> None:
    stage = Stage()
    stage.enter(A, 1, Fragment(Service.CAUSAL, 4, 0, b"ab"))
    stage.enter(B, 1, Fragment(Service.CAUSAL, 4, 0, b"AB"))

    assert stage.enter(B, 2, Fragment(Service.CAUSAL, 4, 2, b"CD")) == ["ABCD"]
    assert stage.enter(A, 2, Fragment(Service.CAUSAL, 4, 2, b"cd")) == ["abcd"]


def test_a_large_safe_message_waits_until_all_follow_its_last_piece() -> None:
    stage = Stage()
    stage.enter(A, 1, Fragment(Service.SAFE, 4, 0, b"ab"))
    stage.enter(A, 2, Fragment(Service.SAFE, 4, 2, b"cd"))
    stage.enter(B, 1, acks=((A, 2),))
    stage.enter(C, 1, acks=((A, 1),))
    assert stage.turn((A, 1), (A, 2)) == []

    assert stage.enter(C, 2, acks=((A, 2),)) == ["abcd"]


# -- what is said with a delivery


def test_a_delivery_names_sender_number_service_and_view() -> None:
    stage = Stage()
    stage.enter(B, 1, causal("x", "y"), first=3)

    assert stage.last() == Deliver(B, 3, Service.CAUSAL, (b"x", b"y"), VIEW.id, 1)


def test_the_index_of_synchrony_counts_the_members_that_follow_when_it_is_delivered() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("x"))
    stage.enter(C, 1, acks=((A, 1),))
    stage.turn((A, 1))

    assert stage.last().index == 2


def test_frames_that_are_not_all_delivered_are_counted() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("x"))
    stage.enter(B, 1, causal("y"), acks=((A, 1),))
    assert stage.delivery.undelivered() == 2

    stage.turn((A, 1))
    assert stage.delivery.undelivered() == 0


def test_a_frame_whose_causal_front_is_held_back_counts_once() -> None:
    stage = Stage()
    stage.enter(A, 1, agreed("root"))
    stage.enter(B, 1, causal("front"), agreed("back"), acks=((A, 1),))
    stage.enter(C, 1, causal("alone"), acks=((A, 1),))
    assert stage.delivery.undelivered() == 3
    stage.turn((A, 1))
    assert stage.delivery.undelivered() == 1
