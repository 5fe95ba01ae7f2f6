! report: rank=0 size=3 stop=MPI_Gather:4
! The catches of the chosen species are gathered, a species in a round: a summary inside of
! the season counts in the number of the chosen species of its host.
module fish_stocks
  implicit none
  private
  public :: stock, stocks, choose

  integer, parameter, public :: demersal = 1, pelagic = 2, shared = 4, closed = 8

  type stock
    character(len=8) :: name
    integer :: flags
    double precision :: mass, limit, growth
  end type stock

  type stocks
    type(stock), allocatable :: s(:)
  contains
    procedure :: found
    procedure, private :: grow_one
    procedure, private :: grow_all
    generic :: grow => grow_one, grow_all
  end type stocks

contains

  subroutine found(this, rank)
    class(stocks), intent(inout) :: this
    integer, intent(in) :: rank
    allocate (this%s(6)) ! slice
    this%s(1) = stock('cod', ior(demersal, shared), 90d0, 50d0, 0.1d0) ! slice
    this%s(2) = stock('herring', pelagic, 200d0, 120d0, 0.3d0) ! slice
    this%s(3) = stock('hake', ior(demersal, shared), 60d0, 20d0, 0.2d0) ! slice
    this%s(4) = stock('sprat', ior(pelagic, closed), 80d0, 30d0, 0.4d0) ! slice
    this%s(5) = stock('plaice', ior(demersal, shared), 70d0, 40d0, 0.1d0) ! slice
    this%s(6) = stock('sole', ior(ior(demersal, shared), closed), 15d0, 40d0, 0.1d0) ! slice
    this%s%mass = this%s%mass + 5 * rank ! slice
  end subroutine found

  subroutine grow_one(this, i, taken)
    class(stocks), intent(inout) :: this
    integer, intent(in) :: i
    double precision, intent(in) :: taken
    this%s(i)%mass = this%s(i)%mass - taken ! slice
  end subroutine grow_one

  subroutine grow_all(this, part)
    class(stocks), intent(inout) :: this
    double precision, intent(in) :: part
    where (this%s%mass < 3 * this%s%limit) this%s%mass = this%s%mass * (1 + part * this%s%growth) ! slice
  end subroutine grow_all

  ! The numbers of the stocks with all of the wanted flags and none of the others.
  pure subroutine choose(all, wanted, unwanted, list, n)
    type(stocks), intent(in) :: all
    integer, intent(in) :: wanted, unwanted
    integer, intent(out) :: list(:), n
    integer :: i
    n = 0 ! slice
    list = 1 ! slice
    do i = 1, size(all%s) ! slice
      if (iand(all%s(i)%flags, wanted) /= wanted) cycle ! slice
      if (iand(all%s(i)%flags, unwanted) /= 0) cycle ! slice
      n = n + 1 ! slice
      list(n) = i ! slice
    end do
  end subroutine choose

end module fish_stocks

module fish_season
  use mpi
  use fish_stocks
  implicit none
  private
  public :: fleet, season

  type fleet
    integer :: comm
    integer :: rank, size
    double precision :: effort
    double precision, allocatable :: landed(:)
  end type fleet

contains

  double precision function catch_of(f, one)
    type(fleet), intent(in) :: f
    type(stock), intent(in) :: one
    catch_of = 0 ! slice
    if (one%mass > one%limit) catch_of = f%effort * (one%mass - one%limit) ! slice
  end function catch_of

  subroutine season(f, all)
    type(fleet), intent(inout) :: f
    type(stocks), intent(inout) :: all
    integer :: list(8)
    integer :: nsel, nbig, round, ierr
    double precision :: taken

    nbig = 0
    call choose(all, ior(demersal, shared), closed, list, nsel) ! slice
    round = 0 ! slice
    do while (round < nsel) ! slice
      round = round + 1 ! slice
      taken = catch_of(f, all%s(list(round))) ! slice
      call MPI_Gather(taken, 1, MPI_DOUBLE_PRECISION, f%landed, 1, MPI_DOUBLE_PRECISION, 0, f%comm, ierr) ! stop
      call all%grow(list(round), taken) ! slice
      call all%grow(0.25d0) ! slice
      if (f%rank == 0) call summary() ! slice
    end do

  contains

    subroutine summary()
      character(len=8) :: name
      name = all%s(list(round))%name
      nsel = count(all%s%mass > all%s%limit) ! root
      print *, name, sum(f%landed), nbig
    end subroutine summary

  end subroutine season

end module fish_season

program fishery
  use mpi
  use fish_stocks, only: stocks
  use fish_season, only: fleet, season
  implicit none
  type(fleet) :: f
  type(stocks) :: all
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, f%comm, ierr) ! slice
  call MPI_Comm_rank(f%comm, f%rank, ierr) ! slice
  call MPI_Comm_size(f%comm, f%size, ierr)
  allocate (f%landed(f%size))
  f%landed = 0
  f%effort = 0.4d0 / (f%rank + 1) ! slice
  call all%found(f%rank) ! slice
  call season(f, all) ! slice
  print *, f%rank, sum(all%s%mass)
  call MPI_Comm_free(f%comm, ierr)
  call MPI_Finalize(ierr)
end program fishery
