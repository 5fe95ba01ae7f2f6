! ranks=4 about: mpi_f08 halo module with allocatable packed buffers, Waitany, interior update overlapped
module halo_mod
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: tile, tile_create, tile_destroy, halo_begin, halo_end, tile_peek, tile_step, tile_sum

  integer, parameter :: dp = real64

  type :: side_t
     integer :: nbr = MPI_PROC_NULL
     real(dp), allocatable :: sbuf(:), rbuf(:)
  end type side_t

  type :: tile
     integer :: nx = 0, ny = 0
     real(dp), allocatable :: u(:,:), v(:,:)
     type(side_t) :: side(2)
     type(MPI_Request) :: rreq(2), sreq(2)
     type(MPI_Comm) :: comm
  end type tile

contains

  subroutine tile_create(t, nx, ny, comm)
    type(tile), intent(out) :: t
    integer, intent(in) :: nx, ny
    type(MPI_Comm), intent(in) :: comm
    integer :: rank, nproc, s, i, j
    call MPI_Comm_dup(comm, t%comm)
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, nproc)
    t%nx = nx
    t%ny = ny
    allocate(t%u(0:nx+1, ny), t%v(0:nx+1, ny))
    do j = 1, ny
       do i = 0, nx + 1
          t%u(i, j) = real(rank, dp) + 1.0e-3_dp * i + 1.0e-5_dp * j
       end do
    end do
    t%v = 0.0_dp
    t%side(1)%nbr = modulo(rank - 1, nproc)
    t%side(2)%nbr = modulo(rank + 1, nproc)
    do s = 1, 2
       allocate(t%side(s)%sbuf(ny), t%side(s)%rbuf(ny))
       t%side(s)%sbuf = 0.0_dp
       t%side(s)%rbuf = 0.0_dp
    end do
  end subroutine tile_create

  subroutine tile_destroy(t)
    type(tile), intent(inout) :: t
    integer :: s
    deallocate(t%u, t%v)
    do s = 1, 2
       deallocate(t%side(s)%sbuf, t%side(s)%rbuf)
    end do
    call MPI_Comm_free(t%comm)
  end subroutine tile_destroy

  subroutine halo_begin(t)
    type(tile), intent(inout), target, asynchronous :: t
    integer :: s
    do s = 1, 2
       call MPI_Irecv(t%side(s)%rbuf, t%ny, MPI_DOUBLE_PRECISION, t%side(s)%nbr, 3 - s, t%comm, t%rreq(s))
    end do
    do s = 1, 2
       if (s == 1) then
          t%side(s)%sbuf(:) = t%u(1, :)
       else
          t%side(s)%sbuf(:) = t%u(t%nx, :)
       end if
       call MPI_Isend(t%side(s)%sbuf, t%ny, MPI_DOUBLE_PRECISION, t%side(s)%nbr, s, t%comm, t%sreq(s))
    end do
  end subroutine halo_begin

  ! a "quick look" at what is in the receive buffer
  function tile_peek(t, s) result(r)
    type(tile), intent(in), target, asynchronous :: t
    integer, intent(in) :: s
    real(dp) :: r
    integer :: j
    r = 0.0_dp
    do j = 1, t%ny
       r = r + t%side(s)%rbuf(j) ! LAGGARD: race
    end do
  end function tile_peek

  subroutine halo_end(t)
    type(tile), intent(inout), target, asynchronous :: t
    integer :: k, s, j
    do k = 1, 2
       call MPI_Waitany(2, t%rreq, s, MPI_STATUS_IGNORE)
       if (s == MPI_UNDEFINED) exit
       do j = 1, t%ny
          if (s == 1) then
             t%u(0, j) = t%side(s)%rbuf(j)
          else
             t%u(t%nx + 1, j) = t%side(s)%rbuf(j)
          end if
       end do
       t%side(s)%rbuf(1) = 0.0_dp
    end do
    call MPI_Waitall(2, t%sreq, MPI_STATUSES_IGNORE)
  end subroutine halo_end

  subroutine tile_step(t, i0, i1)
    type(tile), intent(inout), target, asynchronous :: t
    integer, intent(in) :: i0, i1
    integer :: i, j
    do j = 1, t%ny
       do i = i0, i1
          t%v(i, j) = 0.5_dp * t%u(i, j) + 0.25_dp * (t%u(i-1, j) + t%u(i+1, j))
       end do
    end do
  end subroutine tile_step

  function tile_sum(t) result(r)
    type(tile), intent(in) :: t
    real(dp) :: r
    r = sum(t%u(1:t%nx, :))
  end function tile_sum
end module halo_mod

program main
  use mpi_f08
  use halo_mod
  implicit none
  type(tile), target, asynchronous :: t
  integer :: rank, step
  character(len=16) :: mode
  double precision :: part, total, look
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  mode = 'correct'
  if (command_argument_count() >= 1) call get_command_argument(1, mode)
  call tile_create(t, 24, 15000, MPI_COMM_WORLD)
  look = 0.0d0
  do step = 1, 4
     call halo_begin(t)
     call tile_step(t, 2, t%nx - 1)
     ! the send buffers may be read meanwhile
     look = look + t%side(1)%sbuf(1) + t%side(2)%sbuf(t%ny)
     if (mode == 'faulty' .and. step == 2) look = look + tile_peek(t, 2)
     call halo_end(t)
     call tile_step(t, 1, 1)
     call tile_step(t, t%nx, t%nx)
     t%u(1:t%nx, :) = t%v(1:t%nx, :)
  end do
  part = tile_sum(t)
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,f16.6)', 'sum ', total
  if (look < -1.0d300) print *, 'look ', look
  call tile_destroy(t)
  call MPI_Finalize()
end program main
