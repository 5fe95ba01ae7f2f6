! ranks=4 about: mpi_f08 spectral code that fetches remote coefficient rows with MPI_Get and puts tiny tallies between fences
module coeff_store
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: store, store_open, store_close, store_fetch, store_tally, store_sync

  integer, parameter :: dp = kind(1.0d0)

  type :: store
     integer :: nrow = 0, ncol = 0, nproc = 0, rank = 0
     real(dp), pointer, contiguous :: mem(:) => null()
     type(MPI_Win) :: win
  end type store

contains

  subroutine store_open(s, nrow, ncol, comm)
    type(store), intent(out) :: s
    integer, intent(in) :: nrow, ncol
    type(MPI_Comm), intent(in) :: comm
    type(c_ptr) :: base
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: i
    call MPI_Comm_rank(comm, s%rank)
    call MPI_Comm_size(comm, s%nproc)
    s%nrow = nrow
    s%ncol = ncol
    bytes = 8_MPI_ADDRESS_KIND * (nrow * ncol + s%nproc)
    call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, comm, base, s%win)
    call c_f_pointer(base, s%mem, [nrow * ncol + s%nproc])
    do i = 1, nrow * ncol
       s%mem(i) = real(s%rank, dp) + 1.0e-4_dp * i
    end do
    s%mem(nrow*ncol+1:) = 0.0_dp
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, s%win)
  end subroutine store_open

  subroutine store_close(s)
    type(store), intent(inout) :: s
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, s%win)
    nullify(s%mem)
    call MPI_Win_free(s%win)
  end subroutine store_close

  subroutine store_sync(s)
    type(store), intent(inout) :: s
    call MPI_Win_fence(0, s%win)
  end subroutine store_sync

  ! starts to fetch rows r0 .. r0+nr-1 of rank "from"
  subroutine store_fetch(s, from, r0, nr, buf)
    type(store), intent(in) :: s
    integer, intent(in) :: from, r0, nr
    real(dp), intent(inout), contiguous, asynchronous :: buf(:)
    integer(MPI_ADDRESS_KIND) :: disp
    disp = int(r0 - 1, MPI_ADDRESS_KIND) * s%ncol
    call MPI_Get(buf, nr * s%ncol, MPI_DOUBLE_PRECISION, from, disp, nr * s%ncol, MPI_DOUBLE_PRECISION, s%win)
  end subroutine store_fetch

  subroutine store_tally(s, to, val)
    type(store), intent(in) :: s
    integer, intent(in) :: to
    real(dp), intent(inout), asynchronous :: val
    integer(MPI_ADDRESS_KIND) :: disp
    disp = int(s%nrow * s%ncol + s%rank, MPI_ADDRESS_KIND)
    call MPI_Put(val, 1, MPI_DOUBLE_PRECISION, to, disp, 1, MPI_DOUBLE_PRECISION, s%win)
  end subroutine store_tally
end module coeff_store

program main
  use mpi_f08
  use coeff_store
  implicit none
  integer, parameter :: nrow = 64, ncol = 256, nr = 50
  type(store) :: s
  double precision, allocatable, asynchronous :: rows(:, :)
  double precision, asynchronous :: tally
  double precision :: acc, total, early
  integer :: rank, nproc, step, from, cur, prev, i
  character(len=16) :: mode

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  mode = 'correct'
  if (command_argument_count() >= 1) call get_command_argument(1, mode)
  call store_open(s, nrow, ncol, MPI_COMM_WORLD)
  allocate(rows(nr * ncol + 4, 2))
  rows = 0.0d0
  acc = 0.0d0
  early = 0.0d0

  do step = 0, 5
     cur = 1 + modulo(step, 2)
     prev = 3 - cur
     from = modulo(rank + 1 + step, nproc)
     tally = dble(step + 1)
     call store_fetch(s, from, 1 + step, nr, rows(1:nr*ncol, cur))
     call store_tally(s, from, tally)
     ! work on the rows of the step before, and on the tail behind the fetched part
     do i = 1, nr * ncol
        rows(i, prev) = 0.5d0 * rows(i, prev)
        acc = acc + rows(i, prev)
     end do
     rows(nr * ncol + 1, cur) = dble(step)
     acc = acc + tally
     if (mode == 'faulty' .and. step == 3) then
        do i = 1, nr * ncol, 100
           early = max(early, rows(i, cur)) ! LAGGARD: race
        end do
     end if
     call store_sync(s)
     acc = acc + rows(1, cur)
     tally = 0.0d0
  end do

  call MPI_Reduce(acc, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,f18.6)', 'acc ', total
  if (early > 1.0d300) print *, 'early ', early
  call store_close(s)
  deallocate(rows)
  call MPI_Finalize()
end program main
