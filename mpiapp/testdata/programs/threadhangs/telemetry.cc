// np: 3
// named: 1
// says: take
// A listener thread of ranks 1 and 2 receives samples, main takes them one by one. The mailbox of rank 1 notes only that
// there is a sample, not how many: while main is busy, some overwrite others. The listener of rank 1 has received
// all of them and has ended, and its main waits for one more (LAGGARD: here); the others wait in MPI_Barrier.
#include <mpi.h>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace {
constexpr int samples = 12, tag = 7;

class Mailbox {
public:
	explicit Mailbox(bool counts) : counts_(counts) {}
	void put(double v)
	{
		std::lock_guard<std::mutex> guard(lock_);
		last_ = v;
		full_ = counts_ ? full_ + 1 : 1;
		filled_.notify_one();
	}
	double take()
	{
		std::unique_lock<std::mutex> guard(lock_);
		while (full_ == 0)
			filled_.wait(guard); /* LAGGARD: here */
		full_--;
		return last_;
	}

private:
	std::mutex lock_;
	std::condition_variable filled_;
	bool counts_;
	int full_ = 0;
	double last_ = 0;
};

void listen(Mailbox &box)
{
	for (int i = 0; i < samples; i++) {
		double v;
		MPI_Recv(&v, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		box.put(v);
	}
}

void publish(int size)
{
	for (int i = 0; i < samples; i++)
		for (int to = 1; to < size; to++) {
			double v = i + 0.5 * to;
			MPI_Send(&v, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
		}
}
} // namespace

int main(int argc, char **argv)
{
	int provided, rank, size;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	bool hang = argc > 1 && std::strcmp(argv[1], "hang") == 0;
	double sum = 0;
	if (rank == 0) {
		publish(size);
	} else {
		Mailbox box(!hang || rank != 1);
		std::thread listener(listen, std::ref(box));
		std::this_thread::sleep_for(std::chrono::milliseconds(200)); // main is busy
		for (int i = 0; i < samples; i++)
			sum += box.take();
		listener.join();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	std::printf("rank %d: %g\n", rank, sum);
	MPI_Finalize();
	return 0;
}
