! ranks=3 about: "use mpi" particle exchange with an indexed type that picks scattered particles from an array of derived type
module particles_mod
  use mpi
  implicit none

  type :: particle
     sequence
     double precision :: x(3)
     double precision :: q
     integer :: id
     integer :: flag
  end type particle

contains

  subroutine make_particle_type(t, ierr)
    integer, intent(out) :: t, ierr
    type(particle) :: p(2)
    integer :: lens(4), types(4), raw, k
    integer(kind=MPI_ADDRESS_KIND) :: disp(4), base, next, extent, zero
    lens = [3, 1, 1, 1]
    types = [MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_INTEGER]
    call MPI_Get_address(p(1), base, ierr)
    call MPI_Get_address(p(1)%x, disp(1), ierr)
    call MPI_Get_address(p(1)%q, disp(2), ierr)
    call MPI_Get_address(p(1)%id, disp(3), ierr)
    call MPI_Get_address(p(1)%flag, disp(4), ierr)
    call MPI_Get_address(p(2), next, ierr)
    do k = 1, 4
       disp(k) = disp(k) - base
    end do
    extent = next - base
    zero = 0
    call MPI_Type_create_struct(4, lens, disp, types, raw, ierr)
    call MPI_Type_create_resized(raw, zero, extent, t, ierr)
    call MPI_Type_free(raw, ierr)
    call MPI_Type_commit(t, ierr)
  end subroutine make_particle_type

  subroutine init_particles(p, rank)
    type(particle), intent(out) :: p(:)
    integer, intent(in) :: rank
    integer :: i
    do i = 1, size(p)
       p(i)%x = [dble(i), 0.5d0 * i, dble(rank)]
       p(i)%q = 1.0d0
       p(i)%id = rank * 1000000 + i
       p(i)%flag = 0
    end do
  end subroutine init_particles

  ! which: 0 = particles that stay, 1 = particles that leave
  subroutine kick(p, leave, which)
    type(particle), intent(inout), asynchronous :: p(:)
    logical, intent(in) :: leave(:)
    integer, intent(in) :: which
    integer :: i
    do i = 1, size(p)
       if (leave(i) .neqv. (which == 1)) cycle
       p(i)%x(1) = p(i)%x(1) + 0.25d0
       p(i)%flag = p(i)%flag + 1
    end do
  end subroutine kick

  subroutine kick_leaving_early(p, leave)
    type(particle), intent(inout), asynchronous :: p(:)
    logical, intent(in) :: leave(:)
    integer :: i
    do i = 1, size(p)
       if (.not. leave(i)) cycle
       p(i)%x(1) = p(i)%x(1) + 0.25d0 ! LAGGARD: race
    end do
  end subroutine kick_leaving_early
end module particles_mod

program main
  use mpi
  use particles_mod
  implicit none
  integer, parameter :: n = 9000
  type(particle), allocatable, asynchronous :: p(:), arrived(:)
  logical, allocatable :: leave(:)
  integer, allocatable :: displs(:)
  integer :: ierr, rank, nproc, ptype, itype, i, nleave, step, right, left
  integer :: reqs(2), statuses(MPI_STATUS_SIZE, 2), got
  character(len=16) :: mode
  double precision :: part(2), total(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  mode = 'correct'
  if (command_argument_count() >= 1) call get_command_argument(1, mode)
  right = modulo(rank + 1, nproc)
  left = modulo(rank - 1, nproc)

  allocate(p(n), arrived(n), leave(n))
  call init_particles(p, rank)
  call init_particles(arrived, -1)
  call make_particle_type(ptype, ierr)
  part = 0.0d0

  do step = 1, 3
     do i = 1, n
        leave(i) = modulo(i * 7 + step, 5) == 0
     end do
     nleave = count(leave)
     displs = pack([(i - 1, i = 1, n)], leave)
     call MPI_Type_create_indexed_block(nleave, 1, displs, ptype, itype, ierr)
     call MPI_Type_commit(itype, ierr)
     call MPI_Irecv(arrived, n, ptype, left, step, MPI_COMM_WORLD, reqs(1), ierr)
     call MPI_Isend(p, 1, itype, right, step, MPI_COMM_WORLD, reqs(2), ierr)
     ! the type may be freed while the operation is pending
     call MPI_Type_free(itype, ierr)
     ! the particles between the picked ones are not part of the message
     call kick(p, leave, 0)
     if (mode == 'faulty' .and. step == 2) call kick_leaving_early(p, leave)
     ! reading all of them is fine
     do i = 1, n
        part(1) = part(1) + p(i)%q
     end do
     call MPI_Waitall(2, reqs, statuses, ierr)
     call MPI_Get_count(statuses(:, 1), ptype, got, ierr)
     if (got == MPI_UNDEFINED) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
     call kick(p, leave, 1)
     do i = 1, got
        part(2) = part(2) + arrived(i)%q
     end do
     deallocate(displs)
  end do

  call MPI_Reduce(part, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,2f16.3)', 'charge ', total
  call MPI_Type_free(ptype, ierr)
  deallocate(p, arrived, leave)
  call MPI_Finalize(ierr)
end program main
