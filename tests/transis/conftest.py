"""What tests of captures share."""

from pathlib import Path

import pytest
import sniffing


@pytest.fixture
def all_sorts(tmp_path: Path) -> Path:
    """A capture file with every kind of frame, and more."""
    return sniffing.all_sorts(tmp_path / "all.pcap")
