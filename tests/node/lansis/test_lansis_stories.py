"""The stories in `stories/`: what a few engines do, as text to be read, kept and compared.

A story is a list of scenes: commands, a line `----`, and what happened then. To rewrite what
happened after a change that was meant, and then to review the difference:

    REWRITE_STORIES=1 pytest tests/node/lansis/test_lansis_stories.py
    git diff tests/node/lansis/stories

The commands are explained in `stories/README.md`.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hand_cranked_lan import MS, Lan

from node.frames import Service
from node.lansis.engine import Agreed
from node.limits import Limits

STORIES = sorted((Path(__file__).parent / "stories").glob("*.txt"))
NOTHING = "(nothing)"
RULE = "----"
SERVICES = {service.label: service for service in Service}
AGREED: dict[str, Agreed] = {"allack": "allack", "toto": "toto"}


class Teller:
    """Carries out the commands of one story."""

    def __init__(self) -> None:
        self._lan = Lan("a")
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "lan": self._set_up,
            "luck": self._set_luck,
            "submit": self._submit,
            "hand": self._hand,
            "lose": self._lose,
            "crank": self._crank,
            "wait": self._wait,
        }

    def carry_out(self, command: str) -> list[str]:
        """Returns what happened."""
        verb, *words = command.split()
        if verb == "lan":
            self._set_up(words)
            return self._lan.told[:]
        before = len(self._lan.told)
        self._commands[verb](words)
        return self._lan.told[before:]

    def _set_up(self, words: list[str]) -> None:
        """lan a b c [agreed=toto] [window=8]"""
        options = dict(word.split("=") for word in words if "=" in word)
        names = [word for word in words if "=" not in word]
        limits = Limits(window_frames=int(options.get("window", "64")))
        self._lan = Lan(*names, agreed=AGREED[options.get("agreed", "allack")], limits=limits)

    def _set_luck(self, words: list[str]) -> None:
        """luck b 0.9"""
        name, value = words
        self._lan.luck[name].value = float(value)

    def _submit(self, words: list[str]) -> None:
        """submit a causal hello | hello again, or: submit a causal of 3000 bytes"""
        name, service, *rest = words
        texts = " ".join(rest).split(" | ")
        if rest[0] == "of" and rest[2:] == ["bytes"]:
            texts = ["x" * int(rest[1])]
        self._lan.submit(name, SERVICES[service], *texts)

    def _hand(self, words: list[str]) -> None:
        """hand a1, or: hand a1 to b c"""
        self._lan.hand(words[0], *words[2:])

    def _lose(self, words: list[str]) -> None:
        """lose a1, or: lose a1 to b"""
        assert words[0] in self._lan.frames, f"there is no frame {words[0]} to lose"
        self._lan.lose(words[0], *words[2:])

    def _crank(self, words: list[str]) -> None:
        self._lan.crank()

    def _wait(self, words: list[str]) -> None:
        """wait 5 ms, or: wait 5 ms cranking"""
        self._lan.wait(int(float(words[0]) * MS), cranking=words[2:] == ["cranking"])


def retold(story: str) -> str:
    """The same story with what really happens."""
    teller = Teller()
    paragraphs = []
    for paragraph in story.strip().split("\n\n"):
        lines = paragraph.splitlines()
        if RULE not in lines:
            assert all(line.startswith("#") for line in lines), f"no {RULE} after {lines}"
            paragraphs.append(paragraph)
            continue
        scene = lines[: lines.index(RULE)]
        happened: list[str] = []
        for line in scene:
            if not line.startswith("#"):
                happened += teller.carry_out(line)
        paragraphs.append("\n".join([*scene, RULE, *(happened or [NOTHING])]))
    return "\n\n".join(paragraphs) + "\n"


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_the_story_goes_as_told(path: Path) -> None:
    told = path.read_text()
    happened = retold(told)
    if os.environ.get("REWRITE_STORIES"):
        path.write_text(happened)
        return

    assert happened.splitlines() == told.splitlines()


def test_there_are_stories() -> None:
    assert len(STORIES) >= 6


def test_a_story_that_goes_otherwise_is_noticed() -> None:
    told = "lan a b\nsubmit a causal hello\n----\nb delivers it at once\n"

    assert retold(told) != told
