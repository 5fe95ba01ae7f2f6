// tune: rank=2 size=4 stop=MPI_Sendrecv:3 data=1 peer=1:MPI_Sendrecv:1
// A solver object over a vector object, with options in a small data base: the number
// of smoothing steps is set from the option that was found before it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXOPT 16

struct option {
	char key[24], value[24];
	int used;
};

struct options {
	struct option item[MAXOPT];
	int n;
};

struct vec {
	int n, rank, size;
	double *a;
	MPI_Comm comm;
};

struct ksp;

struct ksp_ops {
	const char *name;
	int (*setup)(struct ksp *);
	void (*step)(struct ksp *, struct vec *);
	double (*residual)(const struct ksp *, const struct vec *);
};

struct ksp {
	const struct ksp_ops *ops;
	int its, maxits, smooth, overlap;
	double rtol, omega;
	struct vec *work;
};

static void options_put(struct options *o, const char *key, const char *value)
{
	if (o->n == MAXOPT) // slice
		return;
	struct option *it = &o->item[o->n++]; // slice
	snprintf(it->key, sizeof it->key, "%s", key); // slice
	snprintf(it->value, sizeof it->value, "%s", value); // slice
	it->used = 0;
}

static void options_read(struct options *o, const char *text)
{
	char key[24], value[24];
	int used = 0;
	while (sscanf(text, " -%23s %23s%n", key, value, &used) == 2) { // slice
		options_put(o, key, value); // slice
		text += used; // slice
	}
}

static int options_int(struct options *o, const char *key, int *value)
{
	char *end;
	for (int i = 0; i < o->n; i++) { // slice
		if (strcmp(o->item[i].key, key)) // slice
			continue;
		long v = strtol(o->item[i].value, &end, 0); // slice
		if (*end) // slice
			return 0; // slice
		o->item[i].used = 1;
		*value = (int)v; // slice
		return 1; // slice
	}
	return 0; // slice
}

static struct vec *vec_create(MPI_Comm comm, int n)
{
	struct vec *v = malloc(sizeof *v); // slice
	v->comm = comm; // slice
	v->n = n; // slice
	MPI_Comm_rank(comm, &v->rank); // slice
	MPI_Comm_size(comm, &v->size); // slice
	v->a = calloc((size_t)n + 2, sizeof *v->a); // slice
	return v; // slice
}

static void vec_ghost(struct vec *v, int tag)
{
	MPI_Status st;
	int left = (v->rank + v->size - 1) % v->size; // slice
	int right = (v->rank + 1) % v->size; // slice
	MPI_Sendrecv(v->a + v->n, 1, MPI_DOUBLE, right, tag, v->a, 1, MPI_DOUBLE, left, tag, v->comm, &st); // stop
}

static int richardson_setup(struct ksp *k)
{
	k->omega = 0.5; // slice
	return k->smooth > 0; // slice
}

static void richardson_step(struct ksp *k, struct vec *v)
{
	for (int s = 0; s < k->smooth; s++) { // slice
		vec_ghost(v, 600 + s); // slice
		for (int i = 1; i <= v->n; i++) // slice
			v->a[i] += k->omega * (v->a[i - 1] - v->a[i]); // slice
	}
}

static double norm(const struct ksp *k, const struct vec *v)
{
	double sum = 0; // slice
	for (int i = 1; i <= v->n; i++) // slice
		sum += v->a[i] * v->a[i]; // slice
	return sum * k->omega * k->omega; // slice
}

static const struct ksp_ops richardson = {"richardson", richardson_setup, richardson_step, norm};

static struct ksp *ksp_create(struct options *o, struct vec *work)
{
	struct ksp *k = calloc(1, sizeof *k); // slice
	int value = 1; // slice
	k->ops = &richardson; // slice
	k->work = work; // slice
	k->rtol = 1e-6; // slice
	k->maxits = options_int(o, "ksp_max_it", &value) ? value : 10; // slice
	if (options_int(o, "pc_overlap", &value)) // slice
		k->overlap = value;
	options_int(o, "pc_smooth", &value); // slice
	k->smooth = value; // root
	return k; // slice
}

static void ksp_solve(struct ksp *k)
{
	if (!k->ops->setup(k)) // slice
		return;
	for (k->its = 0; k->its < k->maxits; k->its++) { // slice
		k->ops->step(k, k->work); // slice
		if (k->ops->residual(k, k->work) < k->rtol) // slice
			break;
	}
}

int main(int argc, char **argv)
{
	struct options o = {0}; // slice
	const char *text = getenv("SOLVER_OPTIONS"); // slice
	options_read(&o, text ? text : "-ksp_max_it 4 -pc_overlap 3 -pc_smoth 1"); // slice
	MPI_Init(&argc, &argv);
	struct vec *v = vec_create(MPI_COMM_WORLD, 16); // slice
	v->a[1] = v->rank + 1; // slice
	struct ksp *k = ksp_create(&o, v); // slice
	ksp_solve(k); // slice
	printf("%d %g %d\n", k->its, v->a[1], k->overlap);
	MPI_Finalize();
	return 0;
}
