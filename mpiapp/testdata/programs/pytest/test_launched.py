"""Serial tests that start MPI jobs of their own, as mpi-pytest does."""

import os
import subprocess
import sys

import pytest

HERE = os.path.abspath(__file__)


def main(wrong):
    from mpi4py import MPI  # not in the test's process: Open MPI 4 starts no job from one that is in MPI

    comm = MPI.COMM_WORLD
    if comm.rank == wrong:
        return
    comm.bcast("x", root=1)  # HANGS test_launched[1]: the root does not come


@pytest.mark.parametrize("wrong", [-1, 1, -2])
def test_launched(wrong):
    launcher = os.environ["TEST_LAUNCHER"].split()
    subprocess.run(launcher + ["-n", "2", sys.executable, HERE, str(wrong)], check=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
