"""The messages of derivatives between the ranks of an MPI program."""
