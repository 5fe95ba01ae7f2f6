// tune: rank=2 size=4 stop=MPI_Recv:2 data=1
// Fields in a hash table with chains take their tags from a counter: a rank without
// cells of a kind does not register its field, and counts behind the others.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 8
#define FIRST_TAG 100

enum flags { F_HALO = 1, F_OUTPUT = 2, F_OPTIONAL = 4, F_READY = 8 };

struct field {
	char name[16];
	unsigned flags;
	int tag, count;
	double data[16];
	struct field *chain;
};

struct table {
	struct field *bucket[BUCKETS];
	int fields, hits;
};

struct domain {
	int rank, size;
	int cells[3];
	int left, right;
	struct table table;
};

struct declaration {
	const char *name;
	int kind;
	const char *attributes;
};

static unsigned hash(const char *s)
{
	unsigned h = 5381; // slice
	while (*s) // slice
		h = h * 33 + (unsigned char)*s++; // slice
	return h % BUCKETS; // slice
}

static int next_tag(void)
{
	static int tag = FIRST_TAG;
	return tag++; // slice
}

static unsigned attributes(const char *s)
{
	unsigned flags = 0; // slice
	for (; *s; s++) // slice
		switch (*s) { // slice
		case 'h':
			flags |= F_HALO; // slice
			break;
		case 'o':
			flags |= F_OUTPUT; // slice
			break;
		case '?':
			flags |= F_OPTIONAL; // slice
			break;
		}
	return flags; // slice
}

static struct field *register_field(struct table *t, const struct declaration *d, int cells)
{
	unsigned flags = attributes(d->attributes); // slice
	if (cells == 0 && (flags & F_OPTIONAL)) // root
		return NULL;
	struct field *f = calloc(1, sizeof *f); // slice
	snprintf(f->name, sizeof f->name, "%s", d->name); // slice
	f->flags = flags | F_READY; // slice
	f->tag = next_tag(); // slice
	f->count = cells < 16 ? cells : 16; // slice
	unsigned h = hash(f->name); // slice
	f->chain = t->bucket[h]; // slice
	t->bucket[h] = f; // slice
	t->fields++;
	return f;
}

static struct field *find(struct table *t, const char *name)
{
	t->hits++;
	for (struct field *f = t->bucket[hash(name)]; f; f = f->chain) // slice
		if (!strcmp(f->name, name)) // slice
			return f; // slice
	return NULL; // slice
}

static void decompose(struct domain *d, int total)
{
	d->left = (d->rank + d->size - 1) % d->size; // slice
	d->right = (d->rank + 1) % d->size;
	d->cells[0] = total / d->size; // slice
	d->cells[1] = d->rank < d->size / 2 ? total / d->size : 0; // slice
	d->cells[2] = d->rank % 3 + 1; // slice
}

static void declare(struct domain *d)
{
	static const struct declaration list[] = {
		{"density", 0, "ho"}, {"ice", 1, "h?"}, {"velocity", 0, "h"}, {"tracer", 2, "ho?"},
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) // slice
		register_field(&d->table, &list[i], d->cells[list[i].kind]); // slice
}

static void exchange(struct domain *d, const char *name)
{
	MPI_Status st;
	struct field *f = find(&d->table, name); // slice
	if (!f || !(f->flags & F_HALO)) // slice
		return;
	MPI_Send(f->data, f->count, MPI_DOUBLE, d->right, f->tag, MPI_COMM_WORLD);
	MPI_Recv(f->data, f->count, MPI_DOUBLE, d->left, f->tag, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	struct domain d;
	MPI_Init(&argc, &argv);
	memset(&d, 0, sizeof d); // slice
	MPI_Comm_rank(MPI_COMM_WORLD, &d.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &d.size); // slice
	decompose(&d, 12); // slice
	declare(&d); // slice
	exchange(&d, "density");
	exchange(&d, "ice");
	exchange(&d, "velocity"); // slice
	exchange(&d, "tracer");
	printf("%d %d\n", d.table.fields, d.table.hits);
	MPI_Finalize();
	return 0;
}
