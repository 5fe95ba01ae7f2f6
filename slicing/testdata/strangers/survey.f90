! report: rank=0 size=3 stop=MPI_Barrier:6
! The shots of a seismic survey are fired in rounds, the same number of rounds on every boat:
! where the shots are shared the number of boats and the number of the boat are swapped.
module survey_lines
  implicit none
  private
  public :: seismic_line, survey, read_survey

  type seismic_line
    character(len=8) :: name
    integer :: metres, spacing
  contains
    procedure :: shots
  end type seismic_line

  type survey
    type(seismic_line), allocatable :: lines(:)
    integer :: nlines, nshots
  contains
    procedure :: append
    procedure :: finish
  end type survey

  character(len=24), parameter :: deck(5) = [ character(len=24) :: &
    '# the northern block', &
    'north 1200 m 300', &
    'dip 2.5 km 500', &
    '# tie lines', &
    'tie 900 m 450' ]

contains

  integer function shots(this)
    class(seismic_line), intent(in) :: this
    shots = this%metres / this%spacing + 1 ! slice
  end function shots

  subroutine append(this, l)
    class(survey), intent(inout) :: this
    type(seismic_line), intent(in) :: l
    type(seismic_line), allocatable :: more(:)
    if (this%nlines == size(this%lines)) then ! slice
      allocate (more(2 * this%nlines)) ! slice
      more(1:this%nlines) = this%lines ! slice
      call move_alloc(more, this%lines) ! slice
    end if
    this%nlines = this%nlines + 1 ! slice
    this%lines(this%nlines) = l ! slice
  end subroutine append

  subroutine finish(this)
    class(survey), intent(inout) :: this
    integer :: i
    this%nshots = 0 ! slice
    do i = 1, this%nlines ! slice
      this%nshots = this%nshots + this%lines(i)%shots() ! slice
    end do
  end subroutine finish

  ! The first word of a text, which is taken off.
  subroutine next_word(text, word)
    character(len=*), intent(inout) :: text
    character(len=*), intent(out) :: word
    integer :: blank
    text = adjustl(text) ! slice
    blank = index(text, ' ') ! slice
    word = text(1:blank - 1) ! slice
    text = text(blank:) ! slice
  end subroutine next_word

  integer function metres_of(number, unit)
    character(len=*), intent(in) :: number, unit
    real :: length
    read (number, *) length ! slice
    select case (unit) ! slice
    case ('km')
      metres_of = nint(1000 * length) ! slice
    case default
      metres_of = nint(length) ! slice
    end select
  end function metres_of

  subroutine read_survey(s)
    type(survey), intent(out) :: s
    type(seismic_line) :: l
    character(len=24) :: text
    character(len=8) :: number, unit
    integer :: i
    allocate (s%lines(1)) ! slice
    s%nlines = 0 ! slice
    do i = 1, size(deck) ! slice
      if (deck(i)(1:1) == '#') cycle ! slice
      text = deck(i) ! slice
      call next_word(text, l%name) ! slice
      call next_word(text, number) ! slice
      call next_word(text, unit) ! slice
      l%metres = metres_of(number, unit) ! slice
      call next_word(text, number) ! slice
      read (number, *) l%spacing ! slice
      call s%append(l) ! slice
    end do
    call s%finish() ! slice
  end subroutine read_survey

end module survey_lines

module survey_fleet
  use mpi
  use survey_lines, only: survey
  implicit none
  private
  public :: boat

  type boat
    integer :: comm
    integer :: part, nparts
    integer :: first, last, rounds
    double precision :: charge = 0
  contains
    procedure :: join
    procedure :: plan
    procedure :: fire
  end type boat

contains

  ! Shots are shared in pieces of the same length, the last ones shorter.
  subroutine share(n, part, nparts, first, last, most)
    integer, intent(in) :: n, part, nparts
    integer, intent(out) :: first, last, most
    most = (n + nparts - 1) / nparts ! slice
    first = (part - 1) * most + 1
    last = min(n, first + most - 1)
  end subroutine share

  subroutine join(this, comm)
    class(boat), intent(inout) :: this
    integer, intent(in) :: comm
    integer :: rank, ierr
    call MPI_Comm_dup(comm, this%comm, ierr) ! slice
    call MPI_Comm_rank(this%comm, rank, ierr) ! slice
    call MPI_Comm_size(this%comm, this%nparts, ierr)
    this%part = rank + 1 ! slice
  end subroutine join

  subroutine plan(this, s)
    class(boat), intent(inout) :: this
    type(survey), intent(in) :: s
    call share(s%nshots, this%nparts, this%part, this%first, this%last, this%rounds) ! root
  end subroutine plan

  subroutine fire(this)
    class(boat), intent(inout) :: this
    integer :: round, shot, ierr
    do round = 1, this%rounds ! slice
      shot = this%first + round - 1
      if (shot <= this%last) this%charge = this%charge + 0.5d0 * shot
      call MPI_Barrier(this%comm, ierr) ! stop
    end do
  end subroutine fire

end module survey_fleet

program surveying
  use mpi
  use survey_lines, only: survey, read_survey
  use survey_fleet, only: boat
  implicit none
  type(survey) :: s
  type(boat) :: b
  integer :: ierr
  call MPI_Init(ierr)
  call read_survey(s) ! slice
  call b%join(MPI_COMM_WORLD) ! slice
  call b%plan(s) ! slice
  call b%fire() ! slice
  print *, b%part, b%rounds, b%charge
  call MPI_Comm_free(b%comm, ierr)
  call MPI_Finalize(ierr)
end program surveying
