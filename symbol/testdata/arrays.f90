! Arrays that begin at 1, at other numbers, and elsewhere.
module grids
  implicit none
  type :: patch
    integer :: id
    integer :: sizes(3)
    double precision, allocatable :: cells(:,:)
  end type patch
  type(patch) :: mine
  integer :: shifted(-2:5, 4)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    integer :: k, local(7)
    common /block/ k
    mine%id = n + shifted(0, 1)
    local = n
    mine%sizes(2) = sum(local) + k
  end subroutine fill
end module grids

program main
  use grids
  call fill(3)
end program main
