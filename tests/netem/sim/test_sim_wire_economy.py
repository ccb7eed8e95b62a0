"""What a message costs on the wire: with everybody busy, with packing, and with one idle sender."""

import pytest
from sim_builder import (
    MILLISECOND,
    Tap,
    flow,
    is_acknowledgement,
    is_payload,
    is_request,
    names,
    schedule,
)

from netem.sim.world import Finished, simulate
from netem.topology.resolved import Agreed
from netem.workload import SERVICES, Service
from node.frames import Heartbeat
from node.limits import Timing

SIZES = pytest.mark.parametrize("nodes", [3, 5, 8])
ORDERS = pytest.mark.parametrize("agreed", ["allack", "toto"])


def busy(nodes: int, agreed: Agreed, *, packing: bool, service: Service = "agreed") -> Finished:
    """Everybody has 200 messages to send, all at once."""
    finished = simulate(
        schedule(
            nodes,
            agreed=agreed,
            packing=packing,
            workload=[
                flow(node, service=service, size=64, count=200, interval_ns=0)
                for node in names(nodes)
            ],
        )
    )
    assert finished.complete
    assert finished.accepted == 200 * nodes
    return finished


@ORDERS
@SIZES
def test_busy_nodes_acknowledge_by_what_they_send_anyway(nodes: int, agreed: Agreed) -> None:
    finished = busy(nodes, agreed, packing=False)
    assert finished.datagrams < 1.1 * finished.accepted


@ORDERS
@SIZES
def test_packed_messages_share_their_datagrams(nodes: int, agreed: Agreed) -> None:
    finished = busy(nodes, agreed, packing=True)
    assert finished.datagrams < 0.15 * finished.accepted


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_costs_more_than_another(service: Service) -> None:
    finished = busy(5, "allack", packing=False, service=service)
    assert finished.datagrams < 1.1 * finished.accepted


@SIZES
def test_without_losses_nothing_is_asked_for_or_sent_twice(nodes: int) -> None:
    measures = busy(nodes, "allack", packing=False).measures.values()
    assert {(each["nacks"], each["repairs"], each["duplicate_frames"]) for each in measures} == {
        (0, 0, 0)
    }


# -- one sender, now and then

MESSAGES = 20
SPACED_NS = 300 * MILLISECOND


def now_and_then(nodes: int, agreed: Agreed) -> tuple[Tap, Finished]:
    tap = Tap()
    finished = simulate(
        schedule(nodes, agreed=agreed, workload=[flow("a", count=MESSAGES, interval_ns=SPACED_NS)]),
        make_engine=tap.make_engine,
    )
    assert finished.complete
    assert finished.datagrams == len(tap.frames)
    return tap, finished


@ORDERS
@SIZES
def test_a_lone_message_costs_itself_and_an_acknowledgement_of_each_other_node(
    nodes: int, agreed: Agreed
) -> None:
    tap, _ = now_and_then(nodes, agreed)
    assert sum(map(is_payload, tap.sent())) == MESSAGES
    assert sum(map(is_acknowledgement, tap.sent())) == MESSAGES * (nodes - 1)
    assert not any(map(is_request, tap.sent()))


@SIZES
def test_the_rest_is_heartbeats_that_soon_become_seldom(nodes: int) -> None:
    tap, finished = now_and_then(nodes, "allack")
    timing = Timing()
    doublings = (timing.heartbeat_ns // timing.heartbeat_soon_ns).bit_length()
    regular = finished.duration_ns / (0.9 * timing.heartbeat_ns)
    beats = sum(isinstance(frame, Heartbeat) for frame in tap.sent())
    assert beats <= nodes * (MESSAGES * doublings + regular)


@ORDERS
@SIZES
def test_a_lone_message_is_delivered_without_waiting_for_a_heartbeat(
    nodes: int, agreed: Agreed
) -> None:
    _, finished = now_and_then(nodes, agreed)
    last_submitted_ns = (MESSAGES - 1) * SPACED_NS
    assert finished.settled_ns - last_submitted_ns < Timing().heartbeat_soon_ns
