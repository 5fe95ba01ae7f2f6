! tune: rank=1 size=3 stop=MPI_Allreduce:4
! Every rank runs a region with a season of its own, but all seasons have as many days; every second day is averaged over all.
! The rule for leap years compares the wrong way: 1900 has a 29th of February, and its season a day more.
module calendar
  implicit none
  private
  public :: date, parse_date, next_day, operator(<), label

  type date
    integer :: year, month, day
  end type date

  interface operator(<)
    module procedure before
  end interface operator(<)

contains

  pure logical function leap(year)
    integer, intent(in) :: year
    leap = .false. ! slice
    if (mod(year, 4) /= 0) return ! slice
    leap = mod(year, 100) /= 0 .or. mod(year, 400) /= 0 ! root
  end function leap

  pure integer function month_length(year, month) result(n)
    integer, intent(in) :: year, month
    select case (month) ! slice
    case (4, 6, 9, 11)
      n = 30 ! slice
    case (2)
      n = 28 ! slice
      if (leap(year)) n = n + 1 ! slice
    case default
      n = 31 ! slice
    end select
  end function month_length

  elemental logical function before(a, b)
    type(date), intent(in) :: a, b
    before = key(a) < key(b) ! slice
  end function before

  pure integer function key(d)
    type(date), intent(in) :: d
    key = (d%year * 12 + d%month) * 31 + d%day ! slice
  end function key

  function parse_date(text, stat) result(d)
    character(len=*), intent(in) :: text
    integer, intent(out), optional :: stat
    type(date) :: d
    integer :: ios
    read (text, '(i4,1x,i2,1x,i2)', iostat=ios) d%year, d%month, d%day ! slice
    if (present(stat)) stat = ios ! slice
  end function parse_date

  type(date) function next_day(d)
    type(date), intent(in) :: d
    next_day = d ! slice
    next_day%day = d%day + 1 ! slice
    if (next_day%day <= month_length(d%year, d%month)) return ! slice
    next_day%day = 1 ! slice
    next_day%month = d%month + 1 ! slice
    if (next_day%month <= 12) return ! slice
    next_day%month = 1 ! slice
    next_day%year = d%year + 1 ! slice
  end function next_day

  function label(d) result(text)
    type(date), intent(in) :: d
    character(len=10) :: text
    write (text, '(i4.4,a,i2.2,a,i2.2)') d%year, '-', d%month, '-', d%day
  end function label

end module calendar

module seasons
  use calendar, only: date, parse_date, next_day, operator(<)
  implicit none
  private
  public :: region, open_region

  type entry_t
    type(date) :: when
    logical :: shared
    double precision :: sun
  end type entry_t

  type region
    character(len=8) :: name
    integer :: ndays
    type(entry_t), allocatable :: plan(:)
  end type region

  character(len=32), parameter :: table(3) = [ character(len=32) :: &
    'andes   1988-12-28 1989-01-03', &
    'sahel   1900-02-26 1900-03-04', &
    'tundra  2000-02-27 2000-03-04' ]

contains

  subroutine plan_day(r, when, every)
    type(region), intent(inout) :: r
    type(date), intent(in) :: when
    integer, intent(in) :: every
    type(entry_t), allocatable :: wider(:)
    if (r%ndays == size(r%plan)) then ! slice
      allocate (wider(2 * r%ndays)) ! slice
      wider(1:r%ndays) = r%plan ! slice
      call move_alloc(wider, r%plan) ! slice
    end if
    r%ndays = r%ndays + 1 ! slice
    r%plan(r%ndays)%when = when
    r%plan(r%ndays)%shared = mod(r%ndays, every) == 1 ! slice
    r%plan(r%ndays)%sun = 200d0 + 10d0 * when%month
  end subroutine plan_day

  subroutine open_region(r, number, stat)
    type(region), intent(out) :: r
    integer, intent(in) :: number
    integer, intent(out) :: stat
    type(date) :: now, finish
    stat = 1 ! slice
    if (number > size(table)) return ! slice
    r%name = table(number)(1:8)
    r%ndays = 0 ! slice
    allocate (r%plan(4)) ! slice
    now = parse_date(table(number)(9:18), stat) ! slice
    if (stat /= 0) return ! slice
    finish = parse_date(table(number)(20:29), stat) ! slice
    if (stat /= 0) return ! slice
    do while (now < finish) ! slice
      call plan_day(r, now, 2) ! slice
      now = next_day(now) ! slice
    end do
  end subroutine open_region

end module seasons

module averages
  use mpi
  use seasons, only: region
  implicit none
  private
  public :: run_region

  abstract interface
    function observer(comm, value) result(mean)
      integer, intent(in) :: comm
      double precision, intent(in) :: value
      double precision :: mean
    end function observer
  end interface

contains

  function shared_mean(comm, value) result(mean)
    integer, intent(in) :: comm
    double precision, intent(in) :: value
    double precision :: mean, own(1), total(1)
    integer :: ierr, n
    own(1) = value
    call MPI_Comm_size(comm, n, ierr)
    call MPI_Allreduce(own, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr) ! stop
    mean = total(1) / n
  end function shared_mean

  subroutine each_day(r, comm, observe, soil)
    type(region), intent(in) :: r
    integer, intent(in) :: comm
    procedure(observer) :: observe
    double precision, intent(inout) :: soil
    integer :: i
    do i = 1, r%ndays ! slice
      soil = soil + 1d-3 * (r%plan(i)%sun - 210d0)
      if (r%plan(i)%shared) soil = 0.5d0 * (soil + observe(comm, soil)) ! slice
    end do
  end subroutine each_day

  subroutine run_region(r, comm, soil)
    type(region), intent(in) :: r
    integer, intent(in) :: comm
    double precision, intent(inout) :: soil
    call each_day(r, comm, shared_mean, soil) ! slice
  end subroutine run_region

end module averages

program regiondays
  use mpi
  use calendar, only: label
  use seasons, only: region, open_region
  use averages, only: run_region
  implicit none
  type(region) :: mine
  integer :: comm, me, stat, ierr
  double precision :: soil
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr) ! slice
  call MPI_Comm_rank(comm, me, ierr) ! slice
  call open_region(mine, me + 1, stat) ! slice
  soil = 280d0
  if (stat == 0) call run_region(mine, comm, soil) ! slice
  print '(3a,i3,f9.3)', mine%name, ' until ', label(mine%plan(mine%ndays)%when), mine%ndays, soil
  call MPI_Finalize(ierr)
end program regiondays
