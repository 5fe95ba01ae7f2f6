! tune: rank=0 size=3 stop=MPI_Gather:5
! Frames of a model are buffered until the memory for output is used up; a full buffer is summed up on the writer.
! The writer takes the size of a value from storage_size, which are bits, and makes it to half-bytes: its buffer is full too early.
module options
  implicit none
  private
  public :: option_set, parse, get

  type option
    character(len=16) :: key, text
  end type option

  type option_set
    integer :: n
    type(option) :: item(12)
  end type option_set

  interface get
    module procedure get_text
    module procedure get_integer
  end interface get

contains

  ! "key = text, key = text, ..."
  recursive subroutine parse(set, line)
    type(option_set), intent(inout) :: set
    character(len=*), intent(in) :: line
    integer :: comma, eq
    comma = index(line, ',') ! slice
    if (comma == 0) comma = len(line) + 1 ! slice
    eq = index(line(1:comma - 1), '=') ! slice
    if (eq > 1 .and. set%n < size(set%item)) then ! slice
      set%n = set%n + 1 ! slice
      set%item(set%n)%key = adjustl(line(1:eq - 1)) ! slice
      set%item(set%n)%text = adjustl(line(eq + 1:comma - 1)) ! slice
    end if
    if (comma < len(line)) call parse(set, line(comma + 1:)) ! slice
  end subroutine parse

  subroutine get_text(set, key, value)
    type(option_set), intent(in) :: set
    character(len=*), intent(in) :: key
    character(len=*), intent(inout) :: value
    integer :: i
    do i = 1, set%n ! slice
      if (set%item(i)%key == key) value = set%item(i)%text ! slice
    end do
  end subroutine get_text

  subroutine get_integer(set, key, value)
    type(option_set), intent(in) :: set
    character(len=*), intent(in) :: key
    integer, intent(inout) :: value
    character(len=16) :: text
    integer :: number, ios
    text = ' ' ! slice
    call get_text(set, key, text) ! slice
    if (text == ' ') return ! slice
    read (text, *, iostat=ios) number ! slice
    if (ios == 0) value = number ! slice
    if (ios == 0 .and. index(text, 'kB') > 0) value = 1024 * number ! slice
  end subroutine get_integer

end module options

module sinks
  use mpi
  use options, only: option_set, get
  implicit none
  private
  public :: sink, make_sink

  type, abstract :: sink
    integer :: comm
    integer :: nvalue, memory
    integer :: used, nflush
    double precision :: total
  contains
    procedure(frame_size), deferred :: frame_bytes
    procedure(take_sums), deferred :: take
    procedure :: append
    procedure :: flush => flush_frames
    procedure :: finish
  end type sink

  abstract interface
    integer function frame_size(this)
      import :: sink
      class(sink), intent(in) :: this
    end function frame_size
    subroutine take_sums(this, sums)
      import :: sink
      class(sink), intent(inout) :: this
      double precision, intent(in) :: sums(:)
    end subroutine take_sums
  end interface

  type, extends(sink) :: worker_sink
  contains
    procedure :: frame_bytes => worker_bytes
    procedure :: take => worker_take
  end type worker_sink

  type, extends(sink) :: writer_sink
    double precision :: largest
  contains
    procedure :: frame_bytes => writer_bytes
    procedure :: take => writer_take
  end type writer_sink

contains

  integer function worker_bytes(this)
    class(worker_sink), intent(in) :: this
    worker_bytes = 8 * this%nvalue ! slice
  end function worker_bytes

  integer function writer_bytes(this)
    class(writer_sink), intent(in) :: this
    integer :: value_bytes
    value_bytes = storage_size(this%largest) / 4 ! root
    writer_bytes = value_bytes * this%nvalue ! slice
  end function writer_bytes

  subroutine worker_take(this, sums)
    class(worker_sink), intent(inout) :: this
    double precision, intent(in) :: sums(:)
    if (this%nflush < 0) print *, size(sums)
  end subroutine worker_take

  subroutine writer_take(this, sums)
    class(writer_sink), intent(inout) :: this
    double precision, intent(in) :: sums(:)
    this%largest = max(this%largest, maxval(sums))
  end subroutine writer_take

  subroutine make_sink(s, set, comm, nvalue)
    class(sink), allocatable, intent(out) :: s
    type(option_set), intent(in) :: set
    integer, intent(in) :: comm, nvalue
    integer :: me, writer, ierr
    writer = 0 ! slice
    call get(set, 'writer', writer) ! slice
    call MPI_Comm_rank(comm, me, ierr) ! slice
    if (me == writer) allocate (writer_sink :: s) ! slice
    if (me /= writer) allocate (worker_sink :: s) ! slice
    s%comm = comm ! slice
    s%nvalue = nvalue ! slice
    s%memory = 4096 ! slice
    call get(set, 'memory', s%memory) ! slice
    s%used = 0 ! slice
    s%nflush = 0
    s%total = 0d0
    select type (s)
    type is (writer_sink)
      s%largest = 0d0
    end select
  end subroutine make_sink

  subroutine append(this, frame)
    class(sink), intent(inout) :: this
    double precision, intent(in) :: frame(:)
    this%total = this%total + sum(frame(1:this%nvalue))
    this%used = this%used + this%frame_bytes() ! slice
    if (this%used + this%frame_bytes() > this%memory) call this%flush() ! slice
  end subroutine append

  subroutine flush_frames(this)
    class(sink), intent(inout) :: this
    double precision :: own(1), sums(16)
    integer :: ierr
    own(1) = this%total
    sums = 0d0
    call MPI_Gather(own, 1, MPI_DOUBLE_PRECISION, sums, 1, MPI_DOUBLE_PRECISION, 0, this%comm, ierr) ! stop
    call this%take(sums)
    this%nflush = this%nflush + 1
    this%used = 0 ! slice
  end subroutine flush_frames

  subroutine finish(this)
    class(sink), intent(inout) :: this
    if (this%used > 0) call this%flush()
  end subroutine finish

end module sinks

program framesink
  use mpi
  use options, only: option_set, parse, get
  use sinks, only: sink, make_sink
  implicit none
  character(len=*), parameter :: deck = 'steps = 10, memory = 1 kB, grid = 40, writer = 0, every = 1'
  type(option_set) :: set
  class(sink), allocatable :: out
  double precision, allocatable :: field(:)
  integer :: me, step, steps, every, grid, i, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  set%n = 0 ! slice
  call parse(set, deck) ! slice
  steps = 1 ! slice
  every = 2 ! slice
  grid = 8 ! slice
  call get(set, 'steps', steps) ! slice
  call get(set, 'every', every) ! slice
  call get(set, 'grid', grid) ! slice
  allocate (field(grid))
  call make_sink(out, set, MPI_COMM_WORLD, grid) ! slice
  do step = 1, steps ! slice
    do concurrent (i = 1:grid)
      field(i) = dble(step * i + me)
    end do
    where (field > 100d0) field = 100d0
    if (mod(step, every) == 0) call out%append(field) ! slice
  end do
  call out%finish()
  print '(a,i2,a,i3,f10.2)', 'rank', me, ': flushed', out%nflush, out%total
  call MPI_Finalize(ierr)
end program framesink
