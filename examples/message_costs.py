"""What the gradient of examples/waves_on_ranks.py costs in messages, bytes and time, on paper.

Each rank is a clock. A rank computes for a while, sends, and goes on when what it waits for has
come: a message takes a latency and the time of its bytes. The numbers of messages and bytes are
those that the program counts (tests/examples/test_waves_on_ranks.py compares them); the times
are those of the machine that the arguments describe, and of no other.

Run it with: python examples/message_costs.py
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Machine:
    """A machine.

    Attributes:
        latency: seconds that a message takes besides those of its bytes.
        seconds_per_byte: of a message.
        seconds_per_point: of one point of the grid in one step of the program.
        backward: how much longer the same takes backwards.
    """

    latency: float = 2e-6
    seconds_per_byte: float = 1e-10
    seconds_per_point: float = 5e-9
    backward: float = 2.0


@dataclass
class Rank:
    """A rank: its clock, and what its derivative has sent."""

    rows: int
    clock: float = 0.0
    messages: int = 0
    bytes: int = 0
    near: list[int] = field(default_factory=list)


def shares(size: int, ranks: int) -> list[int]:
    """Return how many rows each rank has."""
    return [size // ranks + (k < size % ranks) for k in range(ranks)]


def waves(ranks: int, size: int = 32, steps: int = 40, machine: Machine | None = None) -> dict:
    """Simulate one gradient of the wave.

    Args:
        ranks: how many there are, at most one for each row.
        size: rows and columns of the grid.
        steps: steps of time.
        machine: what it runs on.

    Returns:
        ``messages`` and ``bytes`` that the derivative sends from the rank that sends most, and
        from all; and ``seconds`` from the beginning of the forward part to the end.
    """
    machine = machine or Machine()
    all_ranks = [Rank(rows) for rows in shares(size, ranks)]
    for k, rank in enumerate(all_ranks):
        rank.near = [other for other in (k - 1, k + 1) if 0 <= other < ranks]
    length = 8 * (size + 2)  # one row, with the rim
    for backwards in (False, True):
        slower = machine.backward if backwards else 1.0
        for _ in range(steps):
            for rank in all_ranks:
                rank.clock += slower * machine.seconds_per_point * rank.rows * size
            arrival = machine.latency + machine.seconds_per_byte * length
            sent = [rank.clock + arrival for rank in all_ranks]
            for rank in all_ranks:
                rank.clock = max([rank.clock, *(sent[k] for k in rank.near)])
                if backwards:
                    rank.messages += len(rank.near)
                    rank.bytes += len(rank.near) * length
    return {
        "messages": max(rank.messages for rank in all_ranks),
        "bytes": max(rank.bytes for rank in all_ranks),
        "messages_of_all": sum(rank.messages for rank in all_ranks),
        "bytes_of_all": sum(rank.bytes for rank in all_ranks),
        "seconds": max(rank.clock for rank in all_ranks),
    }


def summed(ranks: int, numbers: int, machine: Machine | None = None) -> dict:
    """Simulate one sum of arrays that all ranks are given, by doubling distances.

    In each round, a rank exchanges what it has with one that is twice as far away; a number
    of ranks that is no power of two takes one round more at each end.

    Args:
        ranks: how many there are.
        numbers: of 8 bytes, in the array of each rank.
        machine: what it runs on.

    Returns:
        ``messages`` and ``bytes`` that a rank sends, and ``seconds``.
    """
    machine = machine or Machine()
    rounds = ranks.bit_length() - 1 + (2 if ranks & (ranks - 1) else 0)
    each = machine.latency + 8 * numbers * machine.seconds_per_byte
    return {"messages": rounds, "bytes": 8 * numbers * rounds, "seconds": rounds * each}


def main() -> None:
    """Print what the gradient costs on more and more ranks."""
    print(f"{'ranks':>6} {'messages':>9} {'kB':>7} {'ms':>8}   a wave on 4096 x 4096, 40 steps")
    for ranks in (1, 2, 4, 16, 64, 256, 1024):
        cost = waves(ranks, 4096)
        print(
            f"{ranks:6} {cost['messages']:9} {cost['bytes'] / 1000:7.0f} "
            f"{1000 * cost['seconds']:8.1f}"
        )
    print(f"{'ranks':>6} {'messages':>9} {'kB':>7} {'ms':>8}   a sum of 100,000 numbers")
    for ranks in (2, 4, 16, 64, 256, 1000, 1024):
        cost = summed(ranks, 100_000)
        print(
            f"{ranks:6} {cost['messages']:9} {cost['bytes'] / 1000:7.0f} "
            f"{1000 * cost['seconds']:8.1f}"
        )


if __name__ == "__main__":
    main()
