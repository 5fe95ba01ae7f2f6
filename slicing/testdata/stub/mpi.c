/*
 * One process plays rank STUB_RANK of STUB_SIZE. Receives get the integers of
 * STUB_DATA one after the other (the last again and again, 0 without any).
 * At the call that STUB_STOP names, such as MPI_Recv:2 for the second one, the
 * call stack is written to the standard output and the process ends; with
 * "compute" that happens 50 ms after MPI_Init, wherever the program is then.
 * A line of it is "pc" or "ra", the file, and the offset in it, in hexadecimal.
 */
#define _GNU_SOURCE
#include "mpi.h"
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static FILE *out;
static int number(const char *name, int otherwise)
{
	const char *s = getenv(name);
	return s ? atoi(s) : otherwise;
}

struct at {
	unsigned long addr, base;
	const char *name;
};

static int holds(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct at *a = arg;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		unsigned long lo = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && a->addr >= lo && a->addr - lo < info->dlpi_phdr[i].p_memsz) {
			a->base = info->dlpi_addr;
			a->name = info->dlpi_name;
			return 1;
		}
	}
	return 0;
}

/* dump writes the stack from the address `from` on, without this library's own functions. */
static void dump(void *from, int exact)
{
	void *stack[64];
	int n = backtrace(stack, 64), on = 0;
	struct at here = {(unsigned long)dump, 0, NULL};
	char exe[4096] = "";
	if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0)
		_exit(3);
	dl_iterate_phdr(holds, &here);
	for (int i = 0; i < n; i++) {
		int first = !on && stack[i] == from;
		struct at a = {(unsigned long)stack[i], 0, NULL};
		if (!(on |= first) || !dl_iterate_phdr(holds, &a) || a.base == here.base)
			continue;
		fprintf(out, "%s %s %lx\n", first && exact ? "pc" : "ra", *a.name ? a.name : exe, a.addr - a.base);
	}
	fflush(out);
	_exit(on ? 0 : 3);
}

static void alarmed(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
#ifdef __aarch64__
	dump((void *)((ucontext_t *)context)->uc_mcontext.pc, 1);
#else
	dump((void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], 1);
#endif
}

static void call(const char *name, void *caller)
{
	static int seen;
	const char *stop = getenv("STUB_STOP");
	size_t n = strlen(name);
	if (stop && !strncmp(stop, name, n) && stop[n] == ':' && ++seen == atoi(stop + n + 1))
		dump(caller, 0);
}

static int next(void)
{
	static const char *data;
	static int value;
	char *end;
	if (!data && !(data = getenv("STUB_DATA")))
		return 0;
	long v = strtol(data, &end, 10);
	if (end != data) {
		value = (int)v;
		data = *end ? end + 1 : end;
	}
	return value;
}

static size_t extent(MPI_Datatype type)
{
	return type == MPI_LONG ? 8 : type == MPI_FLOAT ? 4 : (size_t)type;
}

static void fill(void *buf, int count, MPI_Datatype type)
{
	int value = next();
	for (int i = 0; i < count; i++)
		switch (type) {
		case MPI_DOUBLE:
			((double *)buf)[i] = value;
			break;
		case MPI_FLOAT:
			((float *)buf)[i] = (float)value;
			break;
		case MPI_LONG:
			((long *)buf)[i] = value;
			break;
		case MPI_INT:
			((int *)buf)[i] = value;
			break;
		default:
			((char *)buf)[i] = (char)value;
		}
}

/* same puts one rank's own elements in the place of some other one's. */
static void same(void *to, int at, const void *from, int count, MPI_Datatype type)
{
	if (from != MPI_IN_PLACE)
		memmove((char *)to + (size_t)at * extent(type), from, (size_t)count * extent(type));
}

#define HERE(name) call(name, __builtin_extract_return_addr(__builtin_return_address(0)))

int MPI_Init(int *argc, char ***argv)
{
	void *warm[2];
	const char *stop = getenv("STUB_STOP");
	(void)argc;
	(void)argv;
	backtrace(warm, 2); /* loads the unwinder, which a handler must not */
	out = fdopen(dup(1), "w");
	if (!out || !freopen("/dev/null", "w", stdout))
		_exit(3);
	if (stop && !strcmp(stop, "compute")) {
		struct sigaction act = {.sa_sigaction = alarmed, .sa_flags = SA_SIGINFO};
		struct itimerval timer = {.it_value = {.tv_usec = 50000}};
		sigaction(SIGALRM, &act, NULL);
		setitimer(ITIMER_REAL, &timer, NULL);
	}
	return 0;
}

int MPI_Finalize(void) { return 0; }

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	(void)comm;
	*rank = number("STUB_RANK", 0);
	return 0;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
	(void)comm;
	*size = number("STUB_SIZE", 1);
	return 0;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	(void)buf, (void)count, (void)datatype, (void)dest, (void)tag, (void)comm;
	HERE("MPI_Send");
	return 0;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	(void)source, (void)tag, (void)comm, (void)status;
	HERE("MPI_Recv");
	fill(buf, count, datatype);
	return 0;
}

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	(void)source, (void)tag, (void)comm;
	HERE("MPI_Irecv");
	fill(buf, count, datatype);
	*request = NULL;
	return 0;
}

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	(void)buf, (void)count, (void)datatype, (void)dest, (void)tag, (void)comm;
	HERE("MPI_Isend");
	*request = NULL;
	return 0;
}

int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	(void)buf, (void)count, (void)datatype, (void)dest, (void)tag, (void)comm;
	HERE("MPI_Ssend");
	return 0;
}

static void received(MPI_Status *status)
{
	if (status)
		status->count = 1;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	(void)request;
	HERE("MPI_Wait");
	received(status);
	return 0;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	(void)count, (void)requests, (void)statuses;
	HERE("MPI_Waitall");
	return 0;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	static int which;
	(void)requests;
	HERE("MPI_Waitany");
	*index = count > 0 ? which++ % count : MPI_UNDEFINED;
	received(status);
	return 0;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	(void)request;
	HERE("MPI_Test");
	*flag = 1;
	received(status);
	return 0;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
	(void)count, (void)requests, (void)statuses;
	HERE("MPI_Testall");
	*flag = 1;
	return 0;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	(void)source, (void)tag, (void)comm;
	HERE("MPI_Probe");
	received(status);
	return 0;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	(void)datatype;
	*count = status->count;
	return 0;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	(void)source, (void)tag, (void)comm, (void)status;
	HERE("MPI_Iprobe");
	*flag = 1;
	return 0;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	(void)sendbuf, (void)sendcount, (void)sendtype, (void)dest, (void)sendtag;
	(void)source, (void)recvtag, (void)comm, (void)status;
	HERE("MPI_Sendrecv");
	fill(recvbuf, recvcount, recvtype);
	return 0;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	(void)comm;
	HERE("MPI_Bcast");
	if (root != number("STUB_RANK", 0))
		fill(buffer, count, datatype);
	return 0;
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	(void)op, (void)comm;
	HERE("MPI_Allreduce");
	same(recvbuf, 0, sendbuf, count, datatype);
	return 0;
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	(void)op, (void)comm;
	HERE("MPI_Reduce");
	if (root == number("STUB_RANK", 0))
		same(recvbuf, 0, sendbuf, count, datatype);
	return 0;
}

int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	(void)op, (void)comm;
	HERE("MPI_Scan");
	same(recvbuf, 0, sendbuf, count, datatype);
	return 0;
}

int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	(void)op, (void)comm;
	HERE("MPI_Exscan");
	same(recvbuf, 0, sendbuf, count, datatype);
	return 0;
}

static void gather(const void *sendbuf, int sendcount, MPI_Datatype type, void *recvbuf, const int *displs, int recvcount)
{
	for (int r = 0; r < number("STUB_SIZE", 1); r++)
		same(recvbuf, displs ? displs[r] : r * recvcount, sendbuf, sendcount, type);
}

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	(void)recvtype, (void)comm;
	HERE("MPI_Gather");
	if (root == number("STUB_RANK", 0))
		gather(sendbuf, sendcount, sendtype, recvbuf, NULL, recvcount);
	return 0;
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
	const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	(void)recvcounts, (void)recvtype, (void)comm;
	HERE("MPI_Gatherv");
	if (root == number("STUB_RANK", 0))
		gather(sendbuf, sendcount, sendtype, recvbuf, displs, 0);
	return 0;
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	MPI_Datatype recvtype, MPI_Comm comm)
{
	(void)recvtype, (void)comm;
	HERE("MPI_Allgather");
	gather(sendbuf, sendcount, sendtype, recvbuf, NULL, recvcount);
	return 0;
}

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
	const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	(void)recvcounts, (void)recvtype, (void)comm;
	HERE("MPI_Allgatherv");
	gather(sendbuf, sendcount, sendtype, recvbuf, displs, 0);
	return 0;
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	(void)comm;
	HERE("MPI_Scatter");
	if (root == number("STUB_RANK", 0))
		same(recvbuf, 0, (const char *)sendbuf + (size_t)(root * sendcount) * extent(sendtype), sendcount, sendtype);
	else
		fill(recvbuf, recvcount, recvtype);
	return 0;
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	(void)comm;
	HERE("MPI_Scatterv");
	if (root == number("STUB_RANK", 0))
		same(recvbuf, 0, (const char *)sendbuf + (size_t)displs[root] * extent(sendtype), sendcounts[root], sendtype);
	else
		fill(recvbuf, recvcount, recvtype);
	return 0;
}

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	MPI_Datatype recvtype, MPI_Comm comm)
{
	(void)recvcount, (void)recvtype, (void)comm;
	HERE("MPI_Alltoall");
	same(recvbuf, 0, sendbuf, sendcount * number("STUB_SIZE", 1), sendtype);
	return 0;
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	(void)recvcounts, (void)recvtype, (void)comm;
	HERE("MPI_Alltoallv");
	for (int r = 0; r < number("STUB_SIZE", 1); r++)
		same(recvbuf, rdispls[r], (const char *)sendbuf + (size_t)sdispls[r] * extent(sendtype), sendcounts[r], sendtype);
	return 0;
}

/* A communicator of others is as wide as that it was made of. */

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	(void)key;
	HERE("MPI_Comm_split");
	*newcomm = color == MPI_UNDEFINED ? MPI_COMM_NULL : comm;
	return 0;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	HERE("MPI_Comm_dup");
	*newcomm = comm;
	return 0;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	HERE("MPI_Comm_free");
	*comm = MPI_COMM_NULL;
	return 0;
}

/* There is one grid at a time. */
static int dimensions, sizes[8], wraps[8];

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *newcomm)
{
	(void)reorder;
	HERE("MPI_Cart_create");
	dimensions = ndims;
	memcpy(sizes, dims, (size_t)ndims * sizeof *dims);
	memcpy(wraps, periods, (size_t)ndims * sizeof *periods);
	*newcomm = comm;
	return 0;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	(void)comm;
	for (int d = maxdims - 1; d >= 0; rank /= sizes[d--])
		coords[d] = rank % sizes[d];
	return 0;
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	(void)comm;
	*rank = 0;
	for (int d = 0; d < dimensions; d++)
		*rank = *rank * sizes[d] + (coords[d] % sizes[d] + sizes[d]) % sizes[d];
	return 0;
}

static int beside(MPI_Comm comm, int direction, int disp)
{
	int at[8], rank;
	MPI_Cart_coords(comm, number("STUB_RANK", 0), dimensions, at);
	at[direction] += disp;
	if (!wraps[direction] && (at[direction] < 0 || at[direction] >= sizes[direction]))
		return MPI_PROC_NULL;
	MPI_Cart_rank(comm, at, &rank);
	return rank;
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *source, int *dest)
{
	*source = beside(comm, direction, -disp);
	*dest = beside(comm, direction, disp);
	return 0;
}

int MPI_Dims_create(int nnodes, int ndims, int dims[])
{
	for (int d = 0; d < ndims; d++)
		if (dims[d] > 0)
			nnodes /= dims[d];
	for (int d = 0, f; d < ndims; d++) {
		if (dims[d] > 0)
			continue;
		for (f = 1; f * f < nnodes || nnodes % f; f++)
			;
		dims[d] = d == ndims - 1 ? nnodes : f;
		nnodes /= dims[d];
	}
	return 0;
}

double MPI_Wtime(void)
{
	struct timeval now;
	gettimeofday(&now, NULL);
	return (double)now.tv_sec + (double)now.tv_usec * 1e-6;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
	(void)comm;
	_exit(errorcode);
}

int MPI_Barrier(MPI_Comm comm)
{
	(void)comm;
	HERE("MPI_Barrier");
	return 0;
}

/* The Fortran forms, all by reference. A communicator, a type and a status are what they are in C. */

#define STATUS(s) ((MPI_Status *)(s))

void mpi_init_(int *ierr) { *ierr = MPI_Init(NULL, NULL); }

void mpi_finalize_(int *ierr) { *ierr = 0; }

void mpi_abort_(const int *comm, const int *code, int *ierr) { *ierr = MPI_Abort(*comm, *code); }

double mpi_wtime_(void) { return MPI_Wtime(); }

void mpi_comm_rank_(const int *comm, int *rank, int *ierr)
{
	*ierr = MPI_Comm_rank(*comm, rank);
}

void mpi_comm_size_(const int *comm, int *size, int *ierr)
{
	*ierr = MPI_Comm_size(*comm, size);
}

void mpi_comm_dup_(const int *comm, int *newcomm, int *ierr)
{
	*ierr = MPI_Comm_dup(*comm, newcomm);
}

void mpi_comm_split_(const int *comm, const int *color, const int *key, int *newcomm, int *ierr)
{
	*ierr = MPI_Comm_split(*comm, *color, *key, newcomm);
}

void mpi_comm_free_(int *comm, int *ierr)
{
	*ierr = MPI_Comm_free(comm);
}

void mpi_barrier_(const int *comm, int *ierr)
{
	*ierr = MPI_Barrier(*comm);
}

void mpi_send_(const void *buf, const int *count, const int *type, const int *dest, const int *tag, const int *comm, int *ierr)
{
	*ierr = MPI_Send(buf, *count, *type, *dest, *tag, *comm);
}

void mpi_ssend_(const void *buf, const int *count, const int *type, const int *dest, const int *tag, const int *comm, int *ierr)
{
	*ierr = MPI_Ssend(buf, *count, *type, *dest, *tag, *comm);
}

void mpi_isend_(const void *buf, const int *count, const int *type, const int *dest, const int *tag, const int *comm, int *request, int *ierr)
{
	MPI_Request none;
	*request = 0;
	*ierr = MPI_Isend(buf, *count, *type, *dest, *tag, *comm, &none);
}

void mpi_irecv_(void *buf, const int *count, const int *type, const int *source, const int *tag, const int *comm, int *request, int *ierr)
{
	MPI_Request none;
	*request = 0;
	*ierr = MPI_Irecv(buf, *count, *type, *source, *tag, *comm, &none);
}

void mpi_recv_(void *buf, const int *count, const int *type, const int *source, const int *tag, const int *comm, int *status, int *ierr)
{
	*ierr = MPI_Recv(buf, *count, *type, *source, *tag, *comm, STATUS(status));
}

void mpi_sendrecv_(const void *sendbuf, const int *sendcount, const int *sendtype, const int *dest, const int *sendtag, void *recvbuf, const int *recvcount, const int *recvtype, const int *source, const int *recvtag, const int *comm, int *status, int *ierr)
{
	*ierr = MPI_Sendrecv(sendbuf, *sendcount, *sendtype, *dest, *sendtag, recvbuf, *recvcount, *recvtype, *source, *recvtag, *comm,
		STATUS(status));
}

void mpi_wait_(int *request, int *status, int *ierr)
{
	*request = 0;
	*ierr = MPI_Wait(NULL, STATUS(status));
}

void mpi_waitall_(const int *count, int *requests, int *statuses, int *ierr)
{
	(void)requests, (void)statuses;
	*ierr = MPI_Waitall(*count, NULL, NULL);
}

void mpi_test_(int *request, int *flag, int *status, int *ierr)
{
	*request = 0;
	*ierr = MPI_Test(NULL, flag, STATUS(status));
}

void mpi_probe_(const int *source, const int *tag, const int *comm, int *status, int *ierr)
{
	*ierr = MPI_Probe(*source, *tag, *comm, STATUS(status));
}

void mpi_iprobe_(const int *source, const int *tag, const int *comm, int *flag, int *status, int *ierr)
{
	*ierr = MPI_Iprobe(*source, *tag, *comm, flag, STATUS(status));
}

void mpi_get_count_(const int *status, const int *type, int *count, int *ierr)
{
	*ierr = MPI_Get_count((const MPI_Status *)status, *type, count);
}

void mpi_bcast_(void *buf, const int *count, const int *type, const int *root, const int *comm, int *ierr)
{
	*ierr = MPI_Bcast(buf, *count, *type, *root, *comm);
}

void mpi_reduce_(const void *sendbuf, void *recvbuf, const int *count, const int *type, const int *op, const int *root, const int *comm, int *ierr)
{
	*ierr = MPI_Reduce(sendbuf, recvbuf, *count, *type, *op, *root, *comm);
}

void mpi_allreduce_(const void *sendbuf, void *recvbuf, const int *count, const int *type, const int *op, const int *comm, int *ierr)
{
	*ierr = MPI_Allreduce(sendbuf, recvbuf, *count, *type, *op, *comm);
}

void mpi_gather_(const void *sendbuf, const int *sendcount, const int *sendtype, void *recvbuf, const int *recvcount, const int *recvtype, const int *root, const int *comm, int *ierr)
{
	*ierr = MPI_Gather(sendbuf, *sendcount, *sendtype, recvbuf, *recvcount, *recvtype, *root, *comm);
}

void mpi_allgather_(const void *sendbuf, const int *sendcount, const int *sendtype, void *recvbuf, const int *recvcount, const int *recvtype, const int *comm, int *ierr)
{
	*ierr = MPI_Allgather(sendbuf, *sendcount, *sendtype, recvbuf, *recvcount, *recvtype, *comm);
}

void mpi_allgatherv_(const void *sendbuf, const int *sendcount, const int *sendtype, void *recvbuf, const int *recvcounts, const int *displs, const int *recvtype, const int *comm, int *ierr)
{
	*ierr = MPI_Allgatherv(sendbuf, *sendcount, *sendtype, recvbuf, recvcounts, displs, *recvtype, *comm);
}

void mpi_alltoall_(const void *sendbuf, const int *sendcount, const int *sendtype, void *recvbuf, const int *recvcount, const int *recvtype, const int *comm, int *ierr)
{
	*ierr = MPI_Alltoall(sendbuf, *sendcount, *sendtype, recvbuf, *recvcount, *recvtype, *comm);
}

void mpi_alltoallv_(const void *sendbuf, const int *sendcounts, const int *sdispls, const int *sendtype, void *recvbuf, const int *recvcounts, const int *rdispls, const int *recvtype, const int *comm, int *ierr)
{
	*ierr = MPI_Alltoallv(sendbuf, sendcounts, sdispls, *sendtype, recvbuf, recvcounts, rdispls, *recvtype, *comm);
}

void mpi_cart_create_(const int *comm, const int *ndims, const int *dims, const int *periods, const int *reorder, int *newcomm, int *ierr)
{
	*ierr = MPI_Cart_create(*comm, *ndims, dims, periods, *reorder, newcomm);
}

void mpi_cart_coords_(const int *comm, const int *rank, const int *ndims, int *coords, int *ierr)
{
	*ierr = MPI_Cart_coords(*comm, *rank, *ndims, coords);
}

void mpi_cart_rank_(const int *comm, const int *coords, int *rank, int *ierr)
{
	*ierr = MPI_Cart_rank(*comm, coords, rank);
}

void mpi_cart_shift_(const int *comm, const int *direction, const int *disp, int *source, int *dest, int *ierr)
{
	*ierr = MPI_Cart_shift(*comm, *direction, *disp, source, dest);
}

void mpi_dims_create_(const int *nnodes, const int *ndims, int *dims, int *ierr)
{
	*ierr = MPI_Dims_create(*nnodes, *ndims, dims);
}
