// A simulation hands its fields to two spawned renderers, and each answers with
// the time that a picture took. With "hang" renderer 1 takes an empty field for
// the end and goes to MPI_Finalize; with "die" it throws instead.
//
// Truth ("hang"): rank 1 of the 2 spawned processes has left: it is in MPI_Finalize
// (at "finalize") and answers no more; the simulation waits at "answer" for it.
// Renderer 0 is innocent: it waits at "field" for the next one.
// Truth ("die"): rank 1 of the 2 spawned processes died of an exception
// (std::runtime_error, signal 6), thrown at "throws".
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const int renderers = 2, frames = 5, end_tag = 9;

class Renderer {
public:
  Renderer(MPI_Comm simulation, int rank, std::string mode) : simulation_(simulation), rank_(rank), mode_(mode) {}

  void run()
  {
    std::vector<float> field(64);
    for (;;) {
      MPI_Status status;
      MPI_Recv(field.data(), 64, MPI_FLOAT, 0, MPI_ANY_TAG, simulation_, &status); // LAGGARD: field
      if (status.MPI_TAG == end_tag || is_last(field))
        return;
      double took = draw(field);
      MPI_Send(&took, 1, MPI_DOUBLE, 0, status.MPI_TAG, simulation_);
    }
  }

private:
  bool is_last(const std::vector<float> &field) const
  {
    bool empty = rank_ == 1 && field[0] == 3; // the field of frame 3 is empty there
    if (empty && mode_ == "die")
      throw std::runtime_error("empty field"); // LAGGARD: throws
    return empty && mode_ == "hang";           // LAGGARD: cause
  }

  static double draw(const std::vector<float> &field)
  {
    double sum = 0;
    for (float value : field)
      sum += value;
    return sum;
  }

  MPI_Comm simulation_;
  int rank_;
  std::string mode_;
};

double simulate(MPI_Comm drawing)
{
  double total = 0, took;
  for (int frame = 0; frame < frames; frame++) {
    std::vector<float> field(64, float(frame));
    for (int to = 0; to < renderers; to++)
      MPI_Send(field.data(), 64, MPI_FLOAT, to, 0, drawing);
    for (int from = 0; from < renderers; from++) {
      MPI_Recv(&took, 1, MPI_DOUBLE, from, 0, drawing, MPI_STATUS_IGNORE); // LAGGARD: answer
      total += took;
    }
  }
  for (int to = 0; to < renderers; to++)
    MPI_Send(nullptr, 0, MPI_FLOAT, to, end_tag, drawing);
  return total;
}

} // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  std::string mode = argc > 1 ? argv[1] : "ok";
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Renderer(parent, rank, mode).run();
  } else {
    MPI_Comm drawing;
    char *arguments[] = {&mode[0], nullptr};
    MPI_Comm_spawn(argv[0], arguments, renderers, MPI_INFO_NULL, 0, MPI_COMM_SELF, &drawing, MPI_ERRCODES_IGNORE); // LAGGARD: spawn
    std::printf("drawn %g\n", simulate(drawing));
  }
  MPI_Finalize(); // LAGGARD: finalize
  return 0;
}
