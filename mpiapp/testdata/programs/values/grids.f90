! The ranks of a ring wait for each other. Behind a line stands what its names hold then.
module grids
  use mpi
  implicit none
  type extent
    integer :: lo, hi
  end type
  type grid
    integer :: nx
    type(extent) :: rows
    logical :: periodic
  end type
  integer :: me, nranks
contains
  subroutine halo(G, step)
    type(grid), intent(inout) :: G
    integer, intent(in) :: step
    integer :: ierr, peer, st(MPI_STATUS_SIZE)
    real(8) :: buf
    peer = mod(ME + nranks - 1, nranks) ! HOLDS: nranks = 4
    if (G%periodic .and. G % rows % hi > 0 .or. me < 0) then ! HOLDS: g%periodic = true, g%rows%hi = 16
      call MPI_Recv(buf, 1, MPI_DOUBLE_PRECISION, PEER, step + 10, MPI_COMM_WORLD, st, ierr) ! HOLDS: step = 1
    end if
  end subroutine
end module

program main
  use grids
  integer :: ierr, i
  type(grid) :: mesh
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr) ! HOLDS: nranks = 4
  mesh%nx = 8
  mesh%rows = extent(1, 16)
  mesh%periodic = .true.
  do i = 1, 4 ! HOLDS: i = 1
    call halo(mesh, i) ! HOLDS: i = 1
  end do
  call MPI_Finalize(ierr)
end program
