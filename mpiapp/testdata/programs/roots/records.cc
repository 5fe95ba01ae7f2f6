// np: 2
// named: 0,1
// most: 0.50
// A master hands out records of a table, in which some numbers are missing, and the worker reads them. With hang the master does
// not say that there are no more. That a number is missing is an exception each time, which the worker catches as it should.
#include <mpi.h>

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace table {

enum Tag { record = 1, value = 2, total = 3 };

const std::vector<std::string> rows{"temperature=284.1", "temperature=n/a", "pressure=101325", "pressure=", "humidity=0.4"};

class Reader {
public:
  double read(const std::string &row)
  {
    const auto at = row.find('=');
    try {
      const double x = std::stod(row.substr(at + 1));
      latest[row.substr(0, at)] = x;
      return x;
    } catch (const std::invalid_argument &) {
      missing++;
      const auto known = latest.find(row.substr(0, at));
      return known == latest.end() ? 0 : known->second;
    }
  }
  int missing = 0;

private:
  std::map<std::string, double> latest;
};

static double receive(int tag)
{
  double x;
  MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
  return x;
}

static void master(bool hang)
{
  double sum = 0;
  for (int k = 0; k < 40; k++) {
    int row = k % static_cast<int>(rows.size());
    MPI_Send(&row, 1, MPI_INT, 1, record, MPI_COMM_WORLD);
    sum += receive(value);
  }
  int none = -1;
  if (!hang)
    MPI_Send(&none, 1, MPI_INT, 1, record, MPI_COMM_WORLD);
  sum -= receive(total); /* LAGGARD: here */
}

static void worker()
{
  Reader reader;
  double sum = 0;
  for (int row;;) {
    MPI_Recv(&row, 1, MPI_INT, MPI_ANY_SOURCE, record, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
    if (row < 0)
      break;
    const double x = reader.read(rows[row]);
    sum += x;
    MPI_Send(&x, 1, MPI_DOUBLE, 0, value, MPI_COMM_WORLD);
    reader.read("wind=");
  }
  MPI_Send(&sum, 1, MPI_DOUBLE, 0, total, MPI_COMM_WORLD);
}

} // namespace table

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    table::master(argc > 1 && std::strcmp(argv[1], "hang") == 0);
  else
    table::worker();
  MPI_Finalize();
  return 0;
}
