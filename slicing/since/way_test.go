package since_test

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/slicing/since"
)

// TestChange: a line ends with FROM or TO in a comment, and what may have happened to the names is in the first line.
func TestChange(t *testing.T) {
	for _, test := range []struct{ file, text string }{
		{"changed.c", `
// left=write step= n=
int main(void) {
  for (int step = 0; step < 6; step++) {
    left = take(n, step);
    if (left > 0)  // FROM
      MPI_Allreduce(&left, &s, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    left = step + 100;
    MPI_Barrier(MPI_COMM_WORLD); // TO
  }`},
		{"held.c", `
// n= rank= left= g.n=call p->n= p->m=
  while (rank != 2) {
    left = take(&n);
    if (n > 0) {  // FROM
      MPI_Send(&left, n, MPI_INT, 1, 0, MPI_COMM_WORLD);
      printf("%d %d\n", n == rank, p->n);
    }
    MPI_Recv(&g, 1, MPI_INT, rank - 1, n, p, /* n = 3 */
             MPI_STATUS_IGNORE); // n++
    MPI_Barrier(MPI_COMM_WORLD); // TO
  }`},
		{"scope.c", `
// n=other k= x=write
  int rank, n = 5, x = 0;
  {
    int n = get(rank), k;
    if (n > 0)  // FROM
      x = n;
  }
  MPI_Barrier(MPI_COMM_WORLD); // TO
`},
		{"inner.c", `
// i=other j=write n= m= k=write
  if (a)
  {
    m = a;
    for (int i = 0; i < n; i++, j++)
      if (i < j) // FROM
        continue;
  }
  k += 1;
  MPI_Barrier(MPI_COMM_WORLD); // TO
`},
		{"condition.c", `
// n= left=call a=call
  if (a) {
    n = f();
    if (n > 0) // FROM
      MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  look(n, &left);
  SWAP(a, max(n));
  MPI_Barrier(MPI_COMM_WORLD); // TO
`},
		{"round.c", `
// n=write step=write
  for (int step = 0; step < 6; step++) {
    MPI_Barrier(MPI_COMM_WORLD); // TO
    if (step == n) // FROM
      continue;
  }
`},
		{"last.c", `
// n=write i= *total= sum=call
  for (int i = 0; i < n--; i++) { // FROM
    n = 3;
  }
  MPI_Allreduce(total, &sum, 1, MPI_INT, MPI_SUM, // TO
      comm);
`},
		{"count.c", `
// n=write m= *level=call p->n=write q->k=write
  if (n-- > 0 || m > level) // FROM
    return;
  p->n = 3;
  r.k++;
  work();
  MPI_Barrier(MPI_COMM_WORLD); // TO
`},
		{"method.cc", `
// n=call m= *done_=call got=write g.n=call flag=call
  if (n && !done_) // FROM
    return;
  std::cin >> got;
  take(n, std::max(m, 3));
  g.grow();
  MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
  MPI_Bcast(buf, m, MPI_INT, 0, comm); // TO
`},
		{"halo.F90", `
! n= me= *left=call peer=call g%n=write *nranks=call k=write
  do step = 1, 10
    if (n > 0 .and. me == 2) then ! FROM
      call MPI_Send(x, n, MPI_REAL, me + 1, &
        & 3, comm, ierr)
    end if
    ! n = 3
    g%n = 4
    if (me == 3) k = 1
    call exchange(peer, &
      left)
    call MPI_Barrier(comm, ierr) ! TO
  end do
`},
		{"flat.f", `
! i=write n=
      do i = 1, n
      if (i .eq. 3) goto 10 ! FROM
      enddo
      call MPI_Barrier(comm, ierr) ! TO
`},
	} {
		lines := strings.Split(test.text, "\n")
		from, to := 0, 0
		for i, line := range lines {
			if strings.HasSuffix(line, "FROM") {
				from = i + 1
			}
			if strings.HasSuffix(line, "TO") {
				to = i + 1
			}
		}
		way := since.NewWay(test.file, lines, from, to)
		for _, each := range strings.Fields(lines[1])[1:] {
			name, want, _ := strings.Cut(each, "=")
			plain, shared := strings.CutPrefix(name, "*")
			checktest.Equal(t, since.Change(want), way.Change(plain, shared || strings.Contains(name, "->")), test.file, name)
		}
	}
}

// TestUnknownWay: of a line that is not there everything may have been written.
func TestUnknownWay(t *testing.T) {
	for _, at := range [][2]int{{0, 1}, {1, 0}, {1, 3}, {3, 3}, {2, 1}} {
		checktest.Equal(t, since.Write, since.NewWay("a.c", []string{"x;", "y;"}, at[0], at[1]).Change("n", false), at)
	}
}
