/* Calls many functions with known arguments, and writes to says.RANK what a
 * recording of usage has to say of each call: handles and addresses by kind only,
 * * for what MPI is free to choose. For two ranks or more. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *says;
static int rank, size, next, previous;

static void say(const char *form, ...)
{
  va_list args;
  va_start(args, form);
  vfprintf(says, form, args);
  va_end(args);
  fputc('\n', says);
}

/* list gives "[x,x,...]" of n times the value that changes by step. */
static const char *list(int n, int first, int step)
{
  static char text[8][4096];
  static int turn;
  char *out = text[turn++ % 8], *p = out;
  *p++ = '[';
  for (int i = 0; i < n; i++)
    p += sprintf(p, "%s%d", i ? "," : "", first + i * step);
  strcpy(p, "]");
  return out;
}

static void messages(void)
{
  int a[100] = {0}, b[100], flag, index, n, indices[2];
  MPI_Request q[2];
  MPI_Status st;
  MPI_Message m;
  MPI_Irecv(b, 100, MPI_INT, previous, 7, MPI_COMM_WORLD, &q[0]);
  say("MPI_Irecv(buf=#, count=100, datatype=MPI_INT, source=%d, tag=7, comm=world) -> request=request", previous);
  MPI_Send(a, 3, MPI_INT, next, 7, MPI_COMM_WORLD);
  say("MPI_Send(buf=#, count=3, datatype=MPI_INT, dest=%d, tag=7, comm=world) -> ()", next);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  say("MPI_Wait(request=request) -> request=null, status=(%d,7,12)", previous);
  MPI_Isend(a, 2, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &q[0]);
  say("MPI_Isend(buf=#, count=2, datatype=MPI_DOUBLE, dest=procnull, tag=1, comm=world) -> request=request");
  MPI_Waitall(1, q, MPI_STATUSES_IGNORE);
  say("MPI_Waitall(count=1, array_of_requests=[request]) -> array_of_requests=[null], array_of_statuses=[*]");
  MPI_Sendrecv(a, 1, MPI_INT, next, 3, b, 9, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &st);
  say("MPI_Sendrecv(sendbuf=#, sendcount=1, sendtype=MPI_INT, dest=%d, sendtag=3, recvbuf=#, recvcount=9, recvtype=MPI_INT, source=any, recvtag=3, comm=world) -> status=(%d,3,4)", next, previous);
  MPI_Sendrecv_replace(a, 4, MPI_CHAR, next, 3, previous, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("MPI_Sendrecv_replace(buf=#, count=4, datatype=MPI_CHAR, dest=%d, sendtag=3, source=%d, recvtag=any, comm=world) -> status=(%d,3,4)", next, previous, previous);
  MPI_Issend(a, 5, MPI_INT, next, 4, MPI_COMM_WORLD, &q[0]);
  say("MPI_Issend(buf=#, count=5, datatype=MPI_INT, dest=%d, tag=4, comm=world) -> request=request", next);
  MPI_Mprobe(previous, 4, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
  say("MPI_Mprobe(source=%d, tag=4, comm=world) -> message=message, status=(%d,4,20)", previous, previous);
  MPI_Mrecv(b, 50, MPI_INT, &m, MPI_STATUS_IGNORE);
  say("MPI_Mrecv(buf=#, count=50, datatype=MPI_INT, message=message) -> message=null, status=(%d,4,20)", previous);
  q[1] = MPI_REQUEST_NULL;
  MPI_Waitsome(2, q, &n, indices, MPI_STATUSES_IGNORE);
  say("MPI_Waitsome(incount=2, array_of_requests=[request,null]) -> array_of_requests=[null,null], outcount=1, array_of_indices=[0], array_of_statuses=[*]");
  MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
  say("MPI_Waitany(count=2, array_of_requests=[null,null]) -> array_of_requests=[null,null], indx=%d, status=*", MPI_UNDEFINED);
  MPI_Recv_init(b, 10, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &q[0]);
  say("MPI_Recv_init(buf=#, count=10, datatype=MPI_INT, source=any, tag=5, comm=world) -> request=request");
  MPI_Send_init(a, 6, MPI_INT, next, 5, MPI_COMM_WORLD, &q[1]);
  say("MPI_Send_init(buf=#, count=6, datatype=MPI_INT, dest=%d, tag=5, comm=world) -> request=request", next);
  MPI_Startall(2, q);
  say("MPI_Startall(count=2, array_of_requests=[request,request]) -> array_of_requests=[request,request]");
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  say("MPI_Waitall(count=2, array_of_requests=[request,request]) -> array_of_requests=[request,request], array_of_statuses=[(%d,5,24),*]", previous);
  MPI_Request_free(&q[0]);
  say("MPI_Request_free(request=request) -> request=null");
  MPI_Request_free(&q[1]);
  say("MPI_Request_free(request=request) -> request=null");
  MPI_Irecv(b, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &q[0]);
  say("MPI_Irecv(buf=#, count=1, datatype=MPI_INT, source=%d, tag=99, comm=world) -> request=request", next);
  MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
  say("MPI_Test(request=request) -> flag=0");
  MPI_Cancel(&q[0]);
  say("MPI_Cancel(request=request) -> request=request");
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  say("MPI_Wait(request=request) -> request=null, status=(*,1)");
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  say("MPI_Iprobe(source=any, tag=any, comm=self) -> flag=0");
}

static void buffered(void)
{
  int room = 1000 + MPI_BSEND_OVERHEAD, n, b[10];
  char *memory = malloc((size_t)room), *back;
  MPI_Buffer_attach(memory, room);
  say("MPI_Buffer_attach(buffer=#, size=%d) -> ()", room);
  MPI_Bsend(b, 10, MPI_INT, rank, 8, MPI_COMM_WORLD);
  say("MPI_Bsend(buf=#, count=10, datatype=MPI_INT, dest=%d, tag=8, comm=world) -> ()", rank);
  MPI_Recv(b, 10, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("MPI_Recv(buf=#, count=10, datatype=MPI_INT, source=%d, tag=8, comm=world) -> status=(%d,8,40)", rank, rank);
  MPI_Buffer_detach(&back, &n);
  say("MPI_Buffer_detach() -> buffer_addr=#, size=%d", room);
  free(memory);
}

static void collectives(void)
{
  int a[64] = {0}, b[64], counts[64], places[64];
  MPI_Datatype types[64];
  MPI_Request q;
  for (int i = 0; i < size; i++) {
    counts[i] = 1;
    places[i] = i;
    types[i] = MPI_INT;
  }
  MPI_Bcast(a, 2, MPI_FLOAT, 1, MPI_COMM_WORLD);
  say("MPI_Bcast(buffer=#, count=2, datatype=MPI_FLOAT, root=1, comm=world) -> ()");
  MPI_Allreduce(MPI_IN_PLACE, a, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  say("MPI_Allreduce(sendbuf=inplace, recvbuf=#, count=3, datatype=MPI_INT, op=MPI_MAX, comm=world) -> ()");
  MPI_Gatherv(a, 1, MPI_INT, b, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    say("MPI_Gatherv(sendbuf=#, sendcount=1, sendtype=MPI_INT, recvbuf=#, recvcounts=%s, displs=%s, recvtype=MPI_INT, root=0, comm=world) -> ()", list(size, 1, 0), list(size, 0, 1));
  else
    say("MPI_Gatherv(sendbuf=#, sendcount=1, sendtype=MPI_INT, recvbuf=#, recvtype=MPI_INT, root=0, comm=world) -> ()");
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, b, counts, places, MPI_INT, MPI_COMM_WORLD);
  say("MPI_Alltoallv(sendbuf=inplace, sendtype=MPI_INT, recvbuf=#, recvcounts=%s, rdispls=%s, recvtype=MPI_INT, comm=world) -> ()", list(size, 1, 0), list(size, 0, 1));
  for (int i = 0; i < size; i++)
    places[i] = 4 * i;
  MPI_Alltoallw(a, counts, places, types, b, counts, places, types, MPI_COMM_WORLD);
  char many[1024] = "[MPI_INT";
  for (int i = 1; i < size; i++)
    strcat(many, ",MPI_INT");
  strcat(many, "]");
  say("MPI_Alltoallw(sendbuf=#, sendcounts=%s, sdispls=%s, sendtypes=%s, recvbuf=#, recvcounts=%s, rdispls=%s, recvtypes=%s, comm=world) -> ()", list(size, 1, 0), list(size, 0, 4), many, list(size, 1, 0), list(size, 0, 4), many);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("MPI_Reduce_scatter(sendbuf=#, recvbuf=#, recvcounts=%s, datatype=MPI_INT, op=MPI_SUM, comm=world) -> ()", list(size, 1, 0));
  MPI_Iallgather(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, &q);
  say("MPI_Iallgather(sendbuf=#, sendcount=1, sendtype=MPI_INT, recvbuf=#, recvcount=1, recvtype=MPI_INT, comm=world) -> request=request");
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  say("MPI_Wait(request=request) -> request=null, status=*");
}

/* type_is writes what is to be known of a type, in the test's own form. */
static void type_is(MPI_Datatype t, const char *what)
{
  MPI_Aint lb, extent;
  int bytes;
  MPI_Type_get_extent(t, &lb, &extent);
  say("MPI_Type_get_extent(datatype=type{%s}) -> lb=%ld, extent=%ld", what, (long)lb, (long)extent);
  MPI_Type_size(t, &bytes);
  say("MPI_Type_size(datatype=type{%s}) -> size=%d", what, bytes);
  MPI_Type_free(&t);
  say("MPI_Type_free(datatype=type{%s}) -> datatype=null", what);
}

static void datatypes(void)
{
  MPI_Datatype t, u;
  int lengths[2] = {2, 1}, places[2] = {3, 0}, sizes[2] = {4, 6}, sub[2] = {2, 3}, start[2] = {1, 2};
  MPI_Aint at[2] = {16, 0};
  MPI_Datatype two[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_contiguous(5, MPI_INT, &t);
  say("MPI_Type_contiguous(count=5, oldtype=MPI_INT) -> newtype=type{MPI_COMBINER_CONTIGUOUS [5] [] MPI_INT}");
  type_is(t, "MPI_COMBINER_CONTIGUOUS [5] [] MPI_INT");
  MPI_Type_vector(3, 2, 4, MPI_FLOAT, &u);
  say("MPI_Type_vector(count=3, blocklength=2, stride=4, oldtype=MPI_FLOAT) -> newtype=type{MPI_COMBINER_VECTOR [3 2 4] [] MPI_FLOAT}");
  MPI_Type_dup(u, &t);
  say("MPI_Type_dup(oldtype=type{MPI_COMBINER_VECTOR [3 2 4] [] MPI_FLOAT}) -> newtype=type{MPI_COMBINER_DUP [] [] type{MPI_COMBINER_VECTOR [3 2 4] [] MPI_FLOAT}}");
  type_is(u, "MPI_COMBINER_VECTOR [3 2 4] [] MPI_FLOAT");
  type_is(t, "MPI_COMBINER_DUP [] [] type{MPI_COMBINER_VECTOR [3 2 4] [] MPI_FLOAT}");
  MPI_Type_indexed(2, lengths, places, MPI_INT, &t);
  say("MPI_Type_indexed(count=2, array_of_blocklengths=[2,1], array_of_displacements=[3,0], oldtype=MPI_INT) -> newtype=type{MPI_COMBINER_INDEXED [2 2 1 3 0] [] MPI_INT}");
  type_is(t, "MPI_COMBINER_INDEXED [2 2 1 3 0] [] MPI_INT");
  MPI_Type_create_struct(2, lengths, at, two, &t);
  say("MPI_Type_create_struct(count=2, array_of_blocklengths=[2,1], array_of_displacements=[16,0], array_of_types=[MPI_DOUBLE,MPI_INT]) -> newtype=type{MPI_COMBINER_STRUCT [2 2 1] [16 0] MPI_DOUBLE,MPI_INT}");
  type_is(t, "MPI_COMBINER_STRUCT [2 2 1] [16 0] MPI_DOUBLE,MPI_INT");
  /* A recording has the constants of Open MPI, where MPI_ORDER_C is 0. */
  MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_BYTE, &t);
  say("MPI_Type_create_subarray(ndims=2, array_of_sizes=[4,6], array_of_subsizes=[2,3], array_of_starts=[1,2], order=0, oldtype=MPI_BYTE) -> newtype=type{MPI_COMBINER_SUBARRAY [2 4 6 2 3 1 2 0] [] MPI_BYTE}");
  MPI_Type_commit(&t);
  say("MPI_Type_commit(datatype=type{MPI_COMBINER_SUBARRAY [2 4 6 2 3 1 2 0] [] MPI_BYTE}) -> datatype=type{MPI_COMBINER_SUBARRAY [2 4 6 2 3 1 2 0] [] MPI_BYTE}");
  MPI_Type_free(&t);
  say("MPI_Type_free(datatype=type{MPI_COMBINER_SUBARRAY [2 4 6 2 3 1 2 0] [] MPI_BYTE}) -> datatype=null");
  MPI_Type_create_resized(MPI_INT, -4, 32, &t);
  say("MPI_Type_create_resized(oldtype=MPI_INT, lb=-4, extent=32) -> newtype=type{MPI_COMBINER_RESIZED [] [-4 32] MPI_INT}");
  type_is(t, "MPI_COMBINER_RESIZED [] [-4 32] MPI_INT");
}

static int nothing(MPI_Comm c, int k, void *e, void *i, void *o, int *flag)
{
  (void)c; (void)k; (void)e; (void)i; (void)o;
  *flag = 0;
  return MPI_SUCCESS;
}

static void add(void *in, void *out, int *n, MPI_Datatype *t)
{
  (void)t;
  for (int i = 0; i < *n; i++)
    ((int *)out)[i] += ((int *)in)[i];
}

static void communicators(void)
{
  MPI_Comm c, cart;
  MPI_Group g, h;
  MPI_Info info;
  MPI_Op op;
  int dims[1] = {size}, periods[1] = {1}, ones[2] = {1, 1}, places[2] = {0, 1}, a[4] = {0}, b[4], key, ranks[2] = {1, 0}, left, right;
  MPI_Comm_split(MPI_COMM_WORLD, 3, -rank, &c);
  say("MPI_Comm_split(comm=world, color=3, key=%d) -> newcomm=comm", -rank);
  MPI_Comm_group(c, &g);
  say("MPI_Comm_group(comm=comm) -> group=group");
  MPI_Group_incl(g, 2, ranks, &h);
  say("MPI_Group_incl(group=group, n=2, ranks=[1,0]) -> newgroup=group");
  MPI_Group_free(&h);
  say("MPI_Group_free(group=group) -> group=null");
  MPI_Group_free(&g);
  say("MPI_Group_free(group=group) -> group=null");
  MPI_Comm_free(&c);
  say("MPI_Comm_free(comm=comm) -> comm=null");
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
  say("MPI_Cart_create(comm_old=world, ndims=1, dims=[%d], periods=[1], reorder=0) -> comm_cart=comm", size);
  MPI_Cart_shift(cart, 0, 1, &left, &right);
  say("MPI_Cart_shift(comm=comm, direction=0, disp=1) -> rank_source=%d, rank_dest=%d", previous, next);
  MPI_Neighbor_alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, cart);
  say("MPI_Neighbor_alltoallv(sendbuf=#, sendcounts=[1,1], sdispls=[0,1], sendtype=MPI_INT, recvbuf=#, recvcounts=[1,1], rdispls=[0,1], recvtype=MPI_INT, comm=comm) -> ()");
  MPI_Comm_free(&cart);
  say("MPI_Comm_free(comm=comm) -> comm=null");
  MPI_Info_create(&info);
  say("MPI_Info_create() -> info=info");
  MPI_Info_free(&info);
  say("MPI_Info_free(info=info) -> info=null");
  MPI_Op_create(add, 1, &op);
  say("MPI_Op_create(commute=1) -> op=op");
  MPI_Scan(a, b, 4, MPI_INT, op, MPI_COMM_WORLD);
  say("MPI_Scan(sendbuf=#, recvbuf=#, count=4, datatype=MPI_INT, op=op, comm=world) -> ()");
  MPI_Op_free(&op);
  say("MPI_Op_free(op=op) -> op=null");
  MPI_Comm_create_keyval(nothing, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  say("MPI_Comm_create_keyval() -> comm_keyval=%d", key);
  MPI_Comm_free_keyval(&key);
  say("MPI_Comm_free_keyval(comm_keyval=*) -> comm_keyval=%d", key);
}

static void windows(void)
{
  int memory[8] = {0}, a[8] = {0};
  MPI_Win w;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  say("MPI_Win_create(base=#, size=32, disp_unit=4, info=null, comm=world) -> win=win");
  MPI_Win_fence(0, w);
  say("MPI_Win_fence(assert=0, win=win) -> ()");
  MPI_Put(a, 2, MPI_INT, next, 3, 2, MPI_INT, w);
  say("MPI_Put(origin_addr=#, origin_count=2, origin_datatype=MPI_INT, target_rank=%d, target_disp=3, target_count=2, target_datatype=MPI_INT, win=win) -> ()", next);
  MPI_Win_fence(0, w);
  say("MPI_Win_fence(assert=0, win=win) -> ()");
  MPI_Win_free(&w);
  say("MPI_Win_free(win=win) -> win=null");
}

static void errors(void)
{
  int a = 0, code;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  say("MPI_Comm_set_errhandler(comm=world, errhandler=MPI_ERRORS_RETURN) -> ()");
  code = MPI_Send(&a, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  say("MPI_Send(buf=#, count=-1, datatype=MPI_INT, dest=0, tag=0, comm=world) -> error %d", code);
  code = MPI_Send(&a, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
  say("MPI_Send(buf=#, count=1, datatype=null, dest=0, tag=0, comm=world) -> error %d", code);
  code = MPI_Send(&a, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  say("MPI_Send(buf=#, count=1, datatype=MPI_INT, dest=%d, tag=0, comm=world) -> error %d", size + 5, code);
  code = MPI_Wait(NULL, MPI_STATUS_IGNORE);
  say("MPI_Wait(request=invalid) -> error %d", code);
  code = MPI_Bcast(&a, 1, MPI_INT, -7, MPI_COMM_WORLD);
  say("MPI_Bcast(buffer=#, count=1, datatype=MPI_INT, root=-7, comm=world) -> error %d", code);
}

static void long_array(void)
{
  enum { N = 3000 };
  int *lengths = malloc(N * sizeof *lengths), *places = malloc(N * sizeof *places);
  MPI_Datatype t;
  for (int i = 0; i < N; i++) {
    lengths[i] = 1;
    places[i] = 2 * i;
  }
  MPI_Type_indexed(N, lengths, places, MPI_CHAR, &t);
  say("MPI_Type_indexed(count=3000, array_of_blocklengths=*1,1,1], array_of_displacements=[0,2,4,*,5996,5998], oldtype=MPI_CHAR) -> newtype=type{MPI_COMBINER_INDEXED [3000 1 1 *5996 5998] [] MPI_CHAR}");
  MPI_Type_free(&t);
  say("MPI_Type_free(datatype=type{*}) -> datatype=null");
  free(lengths);
  free(places);
}

int main(int argc, char **argv)
{
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "says.%d", rank);
  says = fopen(name, "w");
  say("MPI_Init() -> ()");
  say("MPI_Comm_rank(comm=world) -> rank=%d", rank);
  say("MPI_Comm_size(comm=world) -> size=%d", size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  messages();
  buffered();
  collectives();
  datatypes();
  communicators();
  windows();
  long_array();
  errors();
  say("MPI_Finalize() -> ()");
  fclose(says);
  MPI_Finalize();
  return 0;
}
