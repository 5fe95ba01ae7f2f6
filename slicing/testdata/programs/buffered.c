// tune: rank=2 size=4 stop=MPI_Recv:1
// A buffered stream: the partner that it keeps is that of another stream.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int streams;

struct stream {
	int id, mode, partner;
	int bytes;
	char *buffer;
};

static struct stream *stream_open(int rank, int mode)
{
	struct stream *s = malloc(sizeof *s); // slice
	s->id = streams++;
	s->mode = mode;
	s->bytes = 256;
	s->buffer = malloc(s->bytes);
	memset(s->buffer, 0, s->bytes);
	s->partner = rank - 2; // root
	return s; // slice
}

static void stream_put(struct stream *s, const char *text)
{
	size_t n = strlen(text);
	memcpy(s->buffer, text, n);
	s->mode |= 2;
}

static void stream_flush(struct stream *s)
{
	int turns = 3, ack; // slice
	MPI_Status st;
	while (turns > 0) { // slice
		MPI_Send(s->buffer, s->bytes, MPI_CHAR, s->partner, s->id, MPI_COMM_WORLD);
		MPI_Recv(&ack, 1, MPI_INT, s->partner, 9, MPI_COMM_WORLD, &st); // stop
		turns--; // slice
	}
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	struct stream *s = stream_open(rank, 1); // slice
	stream_put(s, "cells");
	stream_flush(s); // slice
	free(s->buffer);
	free(s);
	MPI_Finalize();
	return 0;
}
