// tune: rank=2 size=4 stop=MPI_Recv:2
// A plan of messages is packed into bytes, seven bits to a byte, the offset of
// the partner with its sign in the lowest bit: unpacking loses one on negatives.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum opcode { OP_END = 0, OP_SEND = 1, OP_RECV = 2, OP_SCALE = 3 };

struct bytes {
	unsigned char *at;
	size_t len, cap;
};

static void put_byte(struct bytes *b, unsigned v)
{
	if (b->len == b->cap) { // slice
		b->cap = b->cap ? 2 * b->cap : 8; // slice
		b->at = realloc(b->at, b->cap); // slice
		if (!b->at) // slice
			abort();
	}
	b->at[b->len++] = (unsigned char)v; // slice
}

static void put_number(struct bytes *b, unsigned v)
{
	while (v >= 0x80) { // slice
		put_byte(b, (v & 0x7f) | 0x80); // slice
		v >>= 7; // slice
	}
	put_byte(b, v); // slice
}

static void put_signed(struct bytes *b, int v)
{
	if (v < 0) // slice
		put_number(b, 2u * (unsigned)(-1 - v) + 1u); // slice
	else
		put_number(b, 2u * (unsigned)v); // slice
}

static unsigned get_number(const unsigned char **p)
{
	unsigned v = 0; // slice
	int shift = 0; // slice
	while (**p & 0x80) { // slice
		v |= (unsigned)(**p & 0x7f) << shift; // slice
		shift += 7; // slice
		++*p; // slice
	}
	v |= (unsigned)**p << shift; // slice
	++*p; // slice
	return v; // slice
}

static int get_signed(const unsigned char **p)
{
	unsigned u = get_number(p); // slice
	if (u & 1u) // slice
		return -(int)(u >> 1); // root
	return (int)(u >> 1); // slice
}

/* An instruction is a byte with the operation above and the phase below. */
static void emit(struct bytes *b, enum opcode op, int phase, int offset, unsigned tag, unsigned n)
{
	put_byte(b, (unsigned)op << 5 | (unsigned)phase); // slice
	put_signed(b, offset); // slice
	put_number(b, tag); // slice
	put_number(b, n); // slice
}

static void compile(struct bytes *b, int rank, int size)
{
	int phase, hop = 1; // slice
	for (phase = 0; phase < 2; phase++) { // slice
		if (rank + hop < size) // slice
			emit(b, OP_SEND, phase, hop, 180u + (unsigned)phase, 6); // slice
		if (rank - hop >= 0) // slice
			emit(b, OP_RECV, phase, -hop, 180u + (unsigned)phase, 6); // slice
		emit(b, OP_SCALE, phase, 0, 0, 6); // slice
		hop *= 2; // slice
	}
	put_byte(b, OP_END); // slice
}

static void execute(const struct bytes *b, int rank, double *v)
{
	const unsigned char *pc = b->at; // slice
	unsigned char code;
	MPI_Status st;
	while ((code = *pc++) >> 5 != OP_END) { // slice
		int partner = rank + get_signed(&pc); // slice
		int tag = (int)get_number(&pc); // slice
		int n = (int)get_number(&pc); // slice
		switch (code >> 5) { // slice
		case OP_SEND:
			MPI_Send(v, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
			break;
		case OP_RECV:
			MPI_Recv(v + 6, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &st); // stop
			break;
		case OP_SCALE:
			for (int i = 0; i < n; i++)
				v[i] = 0.5 * (v[i] + v[6 + i]) / (1 + (code & 31));
			break;
		}
	}
}

/* calibrate hands the same scale to all, one after the other. */
static void calibrate(int rank, int size, double *scale)
{
	MPI_Status st;
	if (rank == 0)
		for (int r = 1; r < size; r++)
			MPI_Send(scale, 1, MPI_DOUBLE, r, 7, MPI_COMM_WORLD);
	else
		MPI_Recv(scale, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &st);
}

int main(int argc, char **argv)
{
	int rank, size;
	double v[12], scale = 1.5;
	struct bytes plan = {0}; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	compile(&plan, rank, size); // slice
	calibrate(rank, size, &scale);
	for (int i = 0; i < 12; i++)
		v[i] = scale * (rank + i);
	execute(&plan, rank, v); // slice
	printf("%d: %zu bytes, %g\n", rank, plan.len, v[0]);
	free(plan.at);
	MPI_Finalize();
	return 0;
}
