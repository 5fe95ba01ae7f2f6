"""Two species drift along a ring. With "forgets", a few times the second is not packed: what goes out
under its tag are the particles of the first.
"""
import sys

from mpi4py import MPI

from species import Cloud, Ring

STEPS, RARE = 200, 40


class Simulation:
    def __init__(self, comm):
        self.ring = Ring(comm)
        self.clouds = [Cloud(77 + comm.rank), Cloud(177 + comm.rank)]

    def steps(self, forgets):
        for step in range(STEPS):
            for k, cloud in enumerate(self.clouds):
                cloud.push()
                self.ring.exchange(cloud, 10 * k, forgets and k == 1 and step % RARE == RARE // 2)
            yield step


def main():
    simulation = Simulation(MPI.COMM_WORLD)
    for _ in simulation.steps(sys.argv[1:] == ["forgets"]):
        pass


main()
