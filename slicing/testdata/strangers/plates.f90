! report: rank=1 size=4 stop=MPI_Recv:2
! The wells of a laboratory plate are spread over the ranks, and each asks for some by their
! names: a name is made an index with the columns of the plate for its rows.
module plate_layout
  implicit none
  private
  public :: plate_type, well_of, owner_of, rows_of_index

  type plate_type
    integer :: nrow, ncol
    integer :: per
    character(len=8) :: label
  end type plate_type

  integer :: nranks, myrank
  common /lab/ nranks, myrank

  interface owner_of
    module procedure owner_of_index
    module procedure owner_of_name
  end interface owner_of

contains

  subroutine rows_of_index(plate, well, row, col)
    type(plate_type), intent(in) :: plate
    integer, intent(in) :: well
    integer, intent(out) :: row, col
    col = (well - 1) / plate%nrow + 1
    row = well - (col - 1) * plate%nrow
  end subroutine rows_of_index

  ! Wells are counted down the columns.
  integer function well_of(plate, name)
    type(plate_type), intent(in) :: plate
    character(len=*), intent(in) :: name
    integer :: row, col
    row = iachar(name(1:1)) - iachar('A') + 1 ! slice
    read (name(2:), *) col ! slice
    well_of = (col - 1) * plate%ncol + row ! root
  end function well_of

  integer function owner_of_index(plate, well)
    type(plate_type), intent(in) :: plate
    integer, intent(in) :: well
    owner_of_index = min((well - 1) / plate%per, nranks - 1) ! slice
  end function owner_of_index

  integer function owner_of_name(plate, name)
    type(plate_type), intent(in) :: plate
    character(len=*), intent(in) :: name
    owner_of_name = owner_of_index(plate, well_of(plate, name)) ! slice
  end function owner_of_name

end module plate_layout

module assay_lists
  implicit none
  private
  public :: wish, wishes_of

  type wish
    character(len=4) :: name
    integer :: place
  end type wish

  character(len=20), parameter :: asked(0:3) = [ character(len=20) :: &
    'A1, D1', 'B1, C4, D2', 'A1', 'C1, B6' ]

contains

  ! The names of a list with commas.
  recursive subroutine split(text, list, n)
    character(len=*), intent(in) :: text
    type(wish), intent(inout) :: list(:)
    integer, intent(inout) :: n
    integer :: comma
    comma = index(text, ',') ! slice
    n = n + 1 ! slice
    list(n)%place = n ! slice
    if (comma == 0) then ! slice
      list(n)%name = adjustl(text) ! slice
    else
      list(n)%name = adjustl(text(1:comma - 1)) ! slice
      call split(text(comma + 1:), list, n) ! slice
    end if
  end subroutine split

  subroutine wishes_of(rank, list)
    integer, intent(in) :: rank
    type(wish), allocatable, intent(out) :: list(:)
    type(wish) :: found(8)
    integer :: n
    n = 0 ! slice
    call split(asked(rank), found, n) ! slice
    allocate (list(n)) ! slice
    list = found(1:n) ! slice
  end subroutine wishes_of

end module assay_lists

module assay_reader
  use mpi
  use plate_layout
  use assay_lists
  implicit none
  private
  public :: prepare, hand_out, take_in

  integer, parameter :: tag_base = 60
  integer :: nranks, myrank
  common /lab/ nranks, myrank

contains

  subroutine prepare(plate, nrow, ncol)
    type(plate_type), intent(out) :: plate
    integer, intent(in) :: nrow, ncol
    integer :: ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, myrank, ierr) ! slice
    call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr) ! slice
    plate%nrow = nrow ! slice
    plate%ncol = ncol ! slice
    plate%per = plate%nrow * plate%ncol / nranks ! slice
    plate%label = 'glucose'
  end subroutine prepare

  ! The wells of this rank go to everyone who has their name in a list.
  subroutine hand_out(plate)
    type(plate_type), intent(in) :: plate
    type(wish), allocatable :: list(:)
    character(len=4) :: name
    integer :: r, i, well, row, col, ierr
    double precision :: level
    do r = 0, nranks - 1
      if (r == myrank) cycle
      call wishes_of(r, list)
      do well = myrank * plate%per + 1, (myrank + 1) * plate%per
        call rows_of_index(plate, well, row, col)
        write (name, '(a,i0)') achar(iachar('A') + row - 1), col
        do i = 1, size(list)
          if (list(i)%name /= name) cycle
          level = 0.25d0 * well
          call MPI_Send(level, 1, MPI_DOUBLE_PRECISION, r, tag_base + list(i)%place, MPI_COMM_WORLD, ierr)
        end do
      end do
    end do
  end subroutine hand_out

  subroutine take_in(plate, total)
    type(plate_type), intent(in) :: plate
    double precision, intent(out) :: total
    type(wish), allocatable :: list(:)
    integer :: i, from, tag, ierr, status(MPI_STATUS_SIZE)
    double precision :: level
    total = 0
    call wishes_of(myrank, list) ! slice
    do i = 1, size(list) ! slice
      from = owner_of(plate, list(i)%name) ! slice
      if (from == myrank) cycle ! slice
      tag = tag_base + list(i)%place ! slice
      call MPI_Recv(level, 1, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, status, ierr) ! stop
      total = total + level
    end do
  end subroutine take_in

end module assay_reader

program plates
  use mpi
  use plate_layout, only: plate_type
  use assay_reader, only: prepare, hand_out, take_in
  implicit none
  type(plate_type) :: plate
  double precision :: total
  integer :: ierr
  call MPI_Init(ierr)
  call prepare(plate, 4, 6) ! slice
  call hand_out(plate)
  call take_in(plate, total) ! slice
  print *, plate%label, total
  call MPI_Finalize(ierr)
end program plates
