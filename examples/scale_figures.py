"""Run what scales on this machine, and print its figures as tables.

Run it with: python examples/scale_figures.py

With ``--write`` the tables go into docs/scale.md; numbers are those of rows for the workers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from examples.message_costs import waves  # noqa: E402 - of this folder

PAGE = ROOT / "docs" / "scale.md"
MARKS = "<!-- figures -->\n", "<!-- end of figures -->\n"
_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",  # more ranks than cores
}


def figures_of(*words: object) -> dict[str, float]:
    """Run a command, and return the figures that it prints."""
    settings = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings, **_MPI},
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    return {name: float(figure) for name, figure in rows}


def rows_per_second(name: str, found: dict[str, float]) -> str:
    """Return a row of the table for workers."""
    one, two = found["rows_per_second_of_one"], found["rows_per_second_of_all"]
    apart = found["between_one_and_all"]
    return f"| {name} | {one / 1e6:.2f} | {two / 1e6:.2f} | {two / one:.2f} | {apart:.2g} |"


def table(rows: int = 2_000_000, room: int = 16) -> list[str]:
    """Measure, and return the lines of both tables.

    Args:
        rows: how many there are for the workers.
        room: how much memory the larger-than-memory example may use, in MB.
    """
    python = sys.executable
    workers = figures_of(python, "examples/many_workers.py", rows, 16, 2)
    processes = figures_of(python, "examples/rows_on_processes.py", rows, 8, 2)
    beyond = figures_of(python, "examples/larger_than_memory.py", room)
    told = (
        f"A worker of Dask's had {workers['worker_mb']:.0f} MB at most; after one was killed, the "
        f"gradient differed by {workers['after_a_worker_died']:.2g}. The example that is larger "
        f"than memory fitted {beyond['rows_mb']:.0f} MB of rows with {beyond['peak_mb']:.0f} MB, "
        f"where {beyond['room_mb']:.0f} were allowed."
    )
    head = "messages of a gradient, measured | simulated | bytes, measured | simulated"
    lines = [
        f"The load of the machine was {os.getloadavg()[0]:.0f}, on {os.cpu_count()} cores.",
        "",
        "| | million rows/s, 1 worker | 2 workers | ratio | difference between them |",
        "|---|---|---|---|---|",
        rows_per_second("Dask, rows on workers", workers),
        rows_per_second("joblib, parts sent anew", processes),
        "",
        told,
        "",
        f"| ranks of the wave | {head} | difference from one rank |",
        "|---|---|---|---|---|---|",
    ]
    for ranks in (1, 2, 4):
        found = figures_of("mpirun", "-n", ranks, python, "examples/waves_on_ranks.py")
        cost = waves(ranks)
        lines.append(
            f"| {ranks} | {found['messages_of_all']:.0f} | {cost['messages_of_all']} | "
            f"{found['bytes_of_all']:,.0f} | {cost['bytes_of_all']:,} | {found['difference']:.1g} |"
        )
    return lines


def main() -> None:
    """Print the tables, or write them into the page."""
    text = "\n".join(table(*map(int, filter(str.isdigit, sys.argv[1:])))) + "\n"
    if "--write" in sys.argv:
        page, (first, last) = PAGE.read_text(), MARKS
        made = f"{first}\n{text}\n{last}"
        PAGE.write_text(re.sub(f"{first}.*?{last}", lambda _: made, page, flags=re.DOTALL))
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
