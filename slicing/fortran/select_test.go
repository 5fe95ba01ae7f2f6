package fortran_test

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/slicing/fortran"
)

// The lines that GNU Fortran 12 has for the jumps of a SELECT construct, and where they are.
func TestBranchLine(t *testing.T) {
	text := strings.Split(`subroutine f(k, x)
  choice: SELECT CASE (g(k)) ! not: select case (k)
  case (1)
     x = 1
     call a('! no comment', x)
  case (2:5)
     select case (x)
     case (1)
        call b(x)
     case default
        if (x > 1) call b(x)
     end select
  case default
     x = 3
     call c(x, &
            k)

     ! the end
  end select choice
  if (x > 0) then
     x = 1
  end if
  select type (y)
  class default
10   continue
  endselect
end subroutine`, "\n")
	for line, want := range map[int]int{4: 4, 5: 5, 9: 9, 11: 11, 14: 14, 15: 2, 21: 21, 25: 23, 0: 0, 99: 99} {
		checktest.Equal(t, want, fortran.BranchLine(text, line), "line", line)
	}
}

func TestIsSource(t *testing.T) {
	for file, want := range map[string]bool{"/a/b.F90": true, "b.f": true, "b.c": false, "f90": false} {
		checktest.Equal(t, want, fortran.IsSource(file), file)
	}
}
