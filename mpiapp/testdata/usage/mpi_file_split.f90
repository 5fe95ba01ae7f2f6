! usage: class=file_access ranks=2
! A collective write is begun while another is under way on the same file; the
! twin ends the first before.
program mpi_file_split
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=8) :: mode
  logical :: faulty
  integer :: file, word
  integer(kind=MPI_OFFSET_KIND) :: at
  call get_command_argument(1, mode)
  faulty = mode == 'faulty'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  word = rank
  at = 4 * rank
  call MPI_File_open(MPI_COMM_WORLD, 'file_split.out', &
    ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), MPI_INFO_NULL, file, ierr)
  call MPI_File_write_at_all_begin(file, at, word, 1, MPI_INTEGER, ierr)
  if (.not. faulty) call MPI_File_write_at_all_end(file, word, MPI_STATUS_IGNORE, ierr)
  at = at + 8
  call MPI_File_write_at_all_begin(file, at, word, 1, MPI_INTEGER, ierr) ! ERROR
  call MPI_File_write_at_all_end(file, word, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
  call MPI_Finalize(ierr)
end program mpi_file_split
