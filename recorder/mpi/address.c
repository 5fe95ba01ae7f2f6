#include "format.h"
#include "mpi/address.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

struct known_address { /* of a variable that Fortran passes for a constant */
  const void *at[4];
  const void *const *pointed; /* where MPI keeps it, once a Fortran call was made */
};

static struct known_address bottom, in_place;

static void find_address(struct known_address *k, const char *const *names, const char *pointed)
{
  for (int i = 0; i < 4; i++)
    k->at[i] = lg_visible(names[i]);
  k->pointed = lg_visible(pointed);
}

void lg_addresses_start(void)
{
  static const char *const bottoms[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom", "MPIR_F08_MPI_BOTTOM", "mpi_fortran_bottom__"};
  static const char *const in_places[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place", "MPIR_F08_MPI_IN_PLACE", "mpi_fortran_in_place__"};
  find_address(&bottom, bottoms, "MPIR_F_MPI_BOTTOM");
  find_address(&in_place, in_places, "MPIR_F_MPI_IN_PLACE");
}

static bool is_address(const struct known_address *k, const void *p)
{
  for (int i = 0; i < 4; i++)
    if (k->at[i] && k->at[i] == p)
      return true;
  return k->pointed && *k->pointed && *k->pointed == p;
}

const void *lg_arg_buffer(const struct lg_call *c, int i)
{
  const void *p = (const void *)c->args[lg_arg_at(c, i)];
  return c->binding == LG_BIND_F08TS && p ? *(const void *const *)p : p;
}

int64_t lg_arg_address(const struct lg_call *c, int i)
{
  const void *p = lg_arg_buffer(c, i);
  if (c->binding == LG_BIND_C)
    return p == NULL ? LG_USE_BOTTOM : (long)p == lg_fam.in_place ? LG_USE_IN_PLACE : (int64_t)p;
  return is_address(&bottom, p) ? LG_USE_BOTTOM : is_address(&in_place, p) ? LG_USE_IN_PLACE : (int64_t)p;
}

bool lg_in_place(const struct lg_call *c, int i)
{
  return lg_arg_address(c, i) == LG_USE_IN_PLACE;
}
