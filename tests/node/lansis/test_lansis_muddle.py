"""Whole engines in a muddle of random messages, arrivals, losses and delays: what still holds."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hand_cranked_lan import MS, Lan

from node.contract import Accepted
from node.frames import Service
from node.lansis.engine import Agreed
from node.limits import Limits

LONG_NS = 2000 * MS
RULES: list[Agreed] = ["allack", "toto"]
rules = pytest.mark.parametrize("rule", RULES)
SEEDS = range(40)


@dataclass
class Muddle:
    lan: Lan
    accepted: list[str] = field(default_factory=list)
    """Every message that a node took."""
    pasts: dict[str, list[str]] = field(default_factory=dict)
    """What was delivered or sent at its sender before each causal, agreed or safe message."""


def muddle(seed: int, rule: Agreed) -> Muddle:
    """Random messages, arrivals, losses and delays; then the wire is mended."""
    rng = random.Random(seed)
    names = ("a", "b", "c", "d")[: rng.randint(2, 4)]
    limits = Limits(window_frames=rng.choice((2, 8, 64)))
    made = Muddle(Lan(*names, agreed=rule, limits=limits))
    lan = made.lan
    for number in range(200):
        for name in names:
            lan.luck[name].value = rng.random()
        action = rng.random()
        if action < 0.25:
            submit(made, rng.choice(names), rng.choice(list(Service)), number)
        elif action < 0.85 and lan.on_the_wire():
            pass_on = lan.hand if rng.random() < 0.8 else lan.lose
            pass_on(rng.choice(lan.on_the_wire()), rng.choice(names))
        else:
            lan.wait(int(rng.random() * 5 * MS))
    lan.wait(LONG_NS, cranking=True)
    return made


def submit(made: Muddle, name: str, service: Service, number: int) -> None:
    text = f"{name} {service.label} {number}"
    past = [earlier for earlier in made.lan.texts(name) if is_causal(earlier)]
    past += [earlier for earlier in made.accepted if earlier[0] == name and is_causal(earlier)]
    if isinstance(made.lan.submit(name, service, text), Accepted):
        made.accepted.append(text)
        made.pasts[text] = past if is_causal(text) else []


def is_causal(text: str) -> bool:
    return "basic" not in text


@rules
@pytest.mark.parametrize("seed", SEEDS)
def test_all_is_delivered_once_everywhere_and_ordered_messages_in_one_order(
    seed: int, rule: Agreed
) -> None:
    made = muddle(seed, rule)
    orders = []
    for name in made.lan.names:
        texts = made.lan.texts(name)
        assert sorted(texts) == sorted(made.accepted)
        orders.append([text for text in texts if "agreed" in text or "safe" in text])

    assert all(one == other for one, other in pairwise(orders))


@rules
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_delivered_before_what_its_sender_knew(seed: int, rule: Agreed) -> None:
    made = muddle(seed, rule)
    for name in made.lan.names:
        places = {text: place for place, text in enumerate(made.lan.texts(name))}
        for text, past in made.pasts.items():
            assert all(places[earlier] < places[text] for earlier in past)


@pytest.mark.parametrize("seed", SEEDS)
def test_peaks_stay_within_their_bounds(seed: int) -> None:
    for engine in muddle(seed, "allack").lan.engines.values():
        measures = engine.measures()
        bounds = {name: value for name, value in measures.items() if name.startswith("bound_")}
        assert bounds
        for name, bound in bounds.items():
            assert measures[name.replace("bound_", "peak_")] <= bound


def test_a_muddle_is_one() -> None:
    """The muddles above do lose, ask, repair, repeat, slow down and block."""
    told = [line for seed in SEEDS for line in muddle(seed, "allack").lan.told]

    for happening in (" who has ", "/a: ", "/b: ", "to slowed", "to blocked", " safe: "):
        assert any(happening in line for line in told), happening


def test_the_same_muddle_goes_the_same_way_twice() -> None:
    assert muddle(7, "toto").lan.told == muddle(7, "toto").lan.told
