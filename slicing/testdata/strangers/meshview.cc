// tune: rank=2 size=4 stop=MPI_Recv:4 data=1 peer=1:MPI_Send:1
// Two views share a mesh by pointer and refer to its parts: the view of the
// boundary renumbers a part that the view of the halo still uses.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

struct Part {
	std::array<double, 4> edge{};
	std::array<int, 4> weight{};
	std::array<int, 4> neighbour{};
	int id = 0;
};

class Mesh {
public:
	explicit Mesh(int parts) : parts_(parts) {} // slice
	Part &part(int i) { return parts_.at(i); } // slice
	int size() const { return static_cast<int>(parts_.size()); } // slice

private:
	std::vector<Part> parts_;
};

class Halo {
public:
	Halo(std::shared_ptr<Mesh> mesh, int me) : mesh_(mesh), part_(mesh->part(me)) {} // slice
	void connect()
	{
		int n = mesh_->size(); // slice
		for (int i = 0; i < 4; i++) // slice
			part_.neighbour[i] = (part_.id + i + 1) % n; // slice
	}
	void weights(int rank)
	{
		MPI_Status st;
		for (int i = 0; i < 2; i++)
			if (rank % 2)
				MPI_Send(&rank, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD);
			else
				MPI_Recv(&part_.weight[i], 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD, &st);
	}
	void update(int side)
	{
		MPI_Status st;
		int from = part_.neighbour[side]; // slice
		MPI_Recv(&part_.edge[side], 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, &st); // stop
	}

private:
	std::shared_ptr<Mesh> mesh_;
	Part &part_;
};

class Boundary {
public:
	Boundary(const std::shared_ptr<Mesh> &mesh, int side) : mesh_(mesh), side_(side) {} // slice
	void periodic(int me)
	{
		Part &p = mesh_->part(me); // slice
		int last = mesh_->size() - 1; // slice
		if (p.neighbour[side_] == 0) // slice
			p.neighbour[side_] = last; // slice
		std::swap(p.neighbour[side_], p.neighbour[3 - side_]); // root
		p.edge[side_] = 1;
	}

private:
	std::shared_ptr<Mesh> mesh_;
	int side_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	auto mesh = std::make_shared<Mesh>(size); // slice
	for (int i = 0; i < size; i++) // slice
		mesh->part(i).id = i; // slice
	Halo halo(mesh, rank); // slice
	Boundary boundary(mesh, 1); // slice
	halo.connect(); // slice
	halo.weights(rank);
	boundary.periodic(rank); // slice
	for (int side = 0; side < 2; side++) // slice
		halo.update(side); // slice
	std::printf("%g\n", mesh->part(rank).edge[0] + mesh->part(rank).weight[1]);
	MPI_Finalize();
	return 0;
}
