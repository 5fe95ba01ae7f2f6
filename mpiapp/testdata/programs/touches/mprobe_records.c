/* ranks=3 about: a record server that takes messages of unknown length with Mprobe/Imrecv and a struct type */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_REC 33

typedef struct {
  int id;
  char kind;
  double pos[3];
  float weight;
} record_t;

typedef struct inbox {
  record_t *rec;
  int n, source;
  MPI_Request req;
  struct inbox *next;
} inbox_t;

static MPI_Datatype record_type(void) {
  int len[4] = {1, 1, 3, 1};
  MPI_Aint off[4] = {offsetof(record_t, id), offsetof(record_t, kind), offsetof(record_t, pos),
                     offsetof(record_t, weight)};
  MPI_Datatype t[4] = {MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_FLOAT}, raw, out;
  MPI_Type_create_struct(4, len, off, t, &raw);
  MPI_Type_create_resized(raw, 0, sizeof(record_t), &out);
  MPI_Type_free(&raw);
  MPI_Type_commit(&out);
  return out;
}

/* takes one message of any length from anybody */
static inbox_t *inbox_take(MPI_Comm comm, MPI_Datatype type) {
  MPI_Message msg;
  MPI_Status st;
  inbox_t *in = malloc(sizeof *in);
  if (!in) MPI_Abort(comm, 1);
  MPI_Mprobe(MPI_ANY_SOURCE, TAG_REC, comm, &msg, &st);
  MPI_Get_count(&st, type, &in->n);
  in->source = st.MPI_SOURCE;
  in->rec = calloc(in->n + 1, sizeof(record_t)); /* one more: sentinel */
  if (!in->rec) MPI_Abort(comm, 1);
  MPI_Imrecv(in->rec, in->n, type, &msg, &in->req);
  in->next = NULL;
  return in;
}

static int inbox_first_id(const inbox_t *in) {
  return in->rec[0].id;
}

static double inbox_weight(const inbox_t *in) {
  double w = 0;
  for (int i = 0; i < in->n; i++) w += in->rec[i].weight * in->rec[i].pos[1];
  return w;
}

static void inbox_complete(inbox_t *in) {
  int flag = 0;
  while (!flag) MPI_Request_get_status(in->req, &flag, MPI_STATUS_IGNORE);
}

static double serve(MPI_Comm comm, MPI_Datatype type, int nmsg, int faulty) {
  inbox_t *head = NULL;
  double w = 0;
  long ids = 0;
  for (int m = 0; m < nmsg; m++) {
    inbox_t *in = inbox_take(comm, type);
    in->next = head;
    head = in;
    in->rec[in->n].id = -1; /* sentinel behind the received part */
    if (faulty && in->n > 1000) {
      for (int i = 0; i < in->n; i += 500)
        ids += in->rec[i].id; /* LAGGARD: race */
    }
    inbox_complete(in);
    /* known complete though the request still exists */
    ids += inbox_first_id(in);
    w += inbox_weight(in);
  }
  while (head) {
    inbox_t *n = head->next;
    MPI_Wait(&head->req, MPI_STATUS_IGNORE);
    free(head->rec);
    free(head);
    head = n;
  }
  if (ids == -123456789) printf("unlikely\n");
  return w;
}

static void client(MPI_Comm comm, MPI_Datatype type, int rank, int nmsg) {
  for (int m = 0; m < nmsg; m++) {
    int n = m % 2 ? 2 : 3000 + 100 * rank;
    record_t *r = malloc(n * sizeof *r);
    MPI_Request req;
    double check = 0;
    if (!r) MPI_Abort(comm, 1);
    for (int i = 0; i < n; i++) {
      r[i].id = rank * 100000 + i;
      r[i].kind = 'a' + i % 26;
      r[i].pos[0] = i;
      r[i].pos[1] = 0.5 * i;
      r[i].pos[2] = -i;
      r[i].weight = 1.0f;
    }
    MPI_Isend(r, n, type, 0, TAG_REC, comm, &req);
    for (int i = 0; i < n; i++) check += r[i].pos[0]; /* only reads */
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    r[0].id = check > 0 ? 1 : 0;
    free(r);
  }
}

int main(int argc, char **argv) {
  int rank, size, faulty;
  const int per_client = 4;
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
  type = record_type();
  if (rank == 0)
    printf("weight %.3f\n", serve(MPI_COMM_WORLD, type, per_client * (size - 1), faulty));
  else
    client(MPI_COMM_WORLD, type, rank, per_client);
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}
