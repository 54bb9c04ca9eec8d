"""The first use of a metric and of a threshold on Overview, beside its second use.

`python -m tests.benchmarks.first_uses` draws the shipped collection driving and prints the
milliseconds of processor of each, and the largest ratio last.
"""

from __future__ import annotations

import time

from tests.benchmarks.screen_steps import MAIN

USES = {"metric": ("nDCG@10", "AP", "RR"), "min_similarity": ("0.1", "0.2")}


def main() -> None:
    """Print a row for each value."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(MAIN), default_timeout=180)
    app.query_params["collection"] = "driving"
    for _ in range(3):
        app.run()
    largest = 0.0
    for key, values in USES.items():
        for value in values:
            app.query_params[key] = value
            times = []
            for _ in range(3):
                start = time.process_time()
                app.run()
                times.append(1000 * (time.process_time() - start))
            first, second = times[0], min(times[1:])
            largest = max(largest, first / second)
            print(f"{key} {value:8} first {first:6.0f} ms, second {second:6.0f} ms")
    print(f"{largest:.2f} x the second use")


if __name__ == "__main__":
    main()
