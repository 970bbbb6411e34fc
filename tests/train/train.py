"""Trains the shipped model from the exchanges in the repository.

    python -m tests.train.train [--check]

Writes `daemon/ctxd/extract/model.json`; the same material gives the same file. `--check` only tells
whether the file that is there is the one that would be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path

import msgspec
from tests.train import calibrate
from tests.train.fit import cases
from tests.train.material import Example, examples
from tests.train.version import version

from ctxd.extract.classify import Model

MODEL = Path(__file__).parents[2] / "daemon/ctxd/extract/model.json"


def trained(material: Collection[Example], version: str = "") -> Model:
    """Return a model fitted and calibrated on these examples."""
    return calibrate.calibrated(cases(material), version)


def encoded(model: Model) -> bytes:
    """Return the model as it is stored: sorted, so that versions can be compared."""
    return msgspec.json.format(msgspec.json.encode(model, order="sorted"), indent=0) + b"\n"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    body = encoded(trained(examples(), version()))
    if given.check:
        sys.exit(0 if MODEL.read_bytes() == body else "model.json is not what the material gives")
    MODEL.write_bytes(body)
    print(f"{MODEL.name}: {len(body) / 1024:.0f} KiB, version {version()}")


if __name__ == "__main__":
    main()
