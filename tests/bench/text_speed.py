"""How fast texts are cut: `python tests/bench/text_speed.py [FILE ...]`.

Prints millions of characters a second for blocks, sentences and both, of an agent's Markdown (made
here, or the files given) and of what a user types with a paste in it. Nothing is asserted; figures
of one run compare with each other, not with another machine's.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "daemon"))
sys.path.insert(0, str(Path(__file__).parents[2] / "parsers"))

from ctxd.extract.text import blocks, sentences

AGENT = """\
I looked at the importer and at the three places that call it. `read_rows()` opens the file twice,
which is why the lock is held for so long (store.py:118).

## Options

### Option A: One pass (Recommended)
- **Simple**: about 40 lines change, all of them in `store.py`.
- No new dependency, and the tests stay as they are.
  - Only `test_order` has to know that rows come sorted.

### Option B: A queue
1. A worker reads, e.g. in chunks of 1,000 rows.
2. The writer takes them one by one; it never waits longer than 0.5 s.

| | A | B |
|---|---|---|
| lines | 40 | 200 |
| risk | low | the queue may be full... |

```python
def read_rows(path):
    with open(path) as file:
        yield from file
```

I'd take A. B is faster on large files - but nobody has complained so far. Shall I go on with A?
"""
USER = """\
hm got this from the reviewer:

The importer drops the last row when the file ends without a newline (store.py:131). Consider a
test for it.

2031-05-04 10:11:12 INFO loader: batch=1 rows=20
2031-05-04 10:11:13 WARN loader: batch=1 rejected=1

yeah thats real..fix it, and 1) never drop rows silently 2) log how many were rejected
"""
SECONDS = 1.0


def speed(work: Callable[[], object], size: int) -> float:
    """Return how many millions of characters this work takes a second, at its best."""
    best = float("inf")
    stop = time.perf_counter() + SECONDS
    while time.perf_counter() < stop:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return size / best / 1e6


def report(name: str, texts: list[str], *, typed: bool) -> None:
    """Print the figures of these texts."""
    size = sum(map(len, texts))
    cut = [blocks(text, typed=typed) for text in texts]
    one = speed(lambda: [blocks(text, typed=typed) for text in texts], size)
    two = speed(lambda: [sentences(*pair) for pair in zip(texts, cut, strict=True)], size)
    print(f"{name:16} {one:6.1f} MB/s {two:6.1f} MB/s {1 / (1 / one + 1 / two):6.1f} MB/s")


def main() -> None:
    """Measure."""
    print(f"{'':16} {'blocks':>11} {'sentences':>11} {'both':>11}")
    files = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]]
    report("files" if files else "agent's text", files or [AGENT] * 100, typed=False)
    report("typed messages", [USER] * 100, typed=True)


main()
