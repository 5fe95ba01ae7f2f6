// Functions around MPI's, and functions that only look like it.
extern "C" int MPI_Allreduce(const void *in, void *out, int n);
extern "C" int MPI_Barrier(int comm);

volatile int grid[64];

extern "C" int solver_MPI_Allreduce(const void *in, void *out, int n)
{
    for (int i = 0; i < n; i++)
        grid[i % 64] += i;
    return MPI_Allreduce(in, out, n);
}

extern "C" void comm_barrier(int comm)
{
    MPI_Barrier(comm);
    grid[0] = 1;
}

extern "C" void step_barrier(int comm)
{
    for (int i = 0; i < 64; i++)
        grid[i] = comm;
    MPI_Barrier(comm);
    grid[1] = 2;
}

extern "C" void settle(int comm)
{
    MPI_Barrier(comm);
    grid[0] = 2;
}

namespace bind::mpi {
template <class T> struct group {
    void all_reduce(T *out);
};
template <class T> __attribute__((noipa)) void group<T>::all_reduce(T *out)
{
    grid[2] = MPI_Allreduce(out, out, 1);
}
}

int main()
{
    double x = 0;
    bind::mpi::group<double>().all_reduce(&x);
    solver_MPI_Allreduce(&x, &x, 1);
    comm_barrier(0);
    step_barrier(0);
    settle(0);
}

extern "C" int MPI_Allreduce(const void *, void *, int) { return grid[3]; }
extern "C" int MPI_Barrier(int) { return grid[4]; }
