// tune: rank=1 size=4 stop=MPI_Recv:1
// A writer that is a member of another group: the request it waits for went to
// another instance, because all files share one tag (PDI §5.1).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIO_TAG = 77 };

struct pfile {
	int id, members, writer, nominated, tag, bytes;
	char *buffer;
};

static int nfiles;

static struct pfile *Popen(int rank, int size)
{
	struct pfile *f = malloc(sizeof *f); // slice
	f->id = nfiles++;
	f->bytes = 4096;
	f->buffer = malloc(f->bytes);
	memset(f->buffer, 0, f->bytes);
	f->members = size / 4; // slice
	f->writer = rank % 2 == 1; // slice
	f->nominated = (rank + 2) % size; // slice
	f->tag = PIO_TAG; // root
	return f; // slice
}

static void Pwrite(struct pfile *f, const char *text)
{
	int n = (int)strlen(text);
	memcpy(f->buffer, text, n);
	printf("file %d: %d bytes\n", f->id, n);
}

static void collect(struct pfile *f, int member)
{
	int go = 1;
	MPI_Send(&go, 1, MPI_INT, member, f->tag, MPI_COMM_WORLD);
}

static void Pclose_forWrite(struct pfile *f, int rank)
{
	int dataWritten = 0, left = f->members, request; // slice
	MPI_Status st;
	while (!dataWritten) { // slice
		int ready = 0;
		if (f->writer && left > 0) { // slice
			collect(f, (rank + left) % 4);
			left--; // slice
		}
		MPI_Iprobe(f->nominated, f->tag, MPI_COMM_WORLD, &ready, &st); // slice
		if (ready || left == 0) { // slice
			MPI_Recv(&request, 1, MPI_INT, f->nominated, f->tag, MPI_COMM_WORLD, &st); // stop
			MPI_Send(f->buffer, f->bytes, MPI_CHAR, f->nominated, f->tag, MPI_COMM_WORLD);
			dataWritten = 1; // slice
		}
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	struct pfile *f = Popen(rank, size); // slice
	Pwrite(f, "atoms");
	Pclose_forWrite(f, rank); // slice
	free(f->buffer);
	free(f);
	MPI_Finalize();
	return 0;
}
