module field
  implicit none
contains
  subroutine relax(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
    do i = 2, n - 1
      a(i) = 0.5 * (a(i - 1) + a(i + 1))
    end do
    call show(a(1))
  contains
    subroutine show(x)
      real, intent(in) :: x
      print *, x
      print *, n
    end subroutine show
  end subroutine relax
end module field

subroutine plain(k)
  integer, intent(inout) :: k
  k = k + 1
  print *, k
end subroutine plain

program hello
  use field
  implicit none
  real :: a(10)
  integer :: k
  a = 1.0
  k = 3
  call relax(a, 10)
  call plain(k)
end program hello
