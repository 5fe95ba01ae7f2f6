! tune: rank=2 size=4 stop=MPI_Barrier:5
! A coupled clock: alarms of the components are registered by name and ring on model time.
! The interval of one alarm, given in hours, is scaled by the unit of the entry before it.
module clock_units
  implicit none
  private
  public :: unit_table, to_seconds

  type unit_table
    character(len=1) :: letter
    integer :: seconds
  end type unit_table

  type(unit_table), parameter :: units(4) = [ &
    unit_table('s', 1), unit_table('m', 60), unit_table('h', 3600), unit_table('d', 86400) ]

contains

  ! Seconds of a text such as "6h"; zero if it cannot be read.
  integer function to_seconds(text, fallback) result(seconds)
    character(len=*), intent(in) :: text
    integer, intent(in), optional :: fallback
    integer :: i, number, last, iostat
    seconds = 0 ! slice
    if (present(fallback)) seconds = fallback ! slice
    last = len_trim(text) ! slice
    if (last < 2) return ! slice
    read (text(1:last - 1), *, iostat=iostat) number ! slice
    if (iostat /= 0) return ! slice
    do i = 1, size(units) ! slice
      if (units(i)%letter /= text(last:last)) cycle ! slice
      seconds = number * units(max(i - 1, 1))%seconds ! root
      return
    end do
  end function to_seconds

end module clock_units

module alarms
  use clock_units, only: to_seconds
  implicit none
  private

  type, public :: alarm
    character(len=12) :: name
    integer :: interval, next
    integer :: rung
  contains
    procedure :: rings
    procedure :: reset
  end type alarm

  type, public :: alarm_list
    integer :: n
    type(alarm), allocatable :: item(:)
  contains
    procedure :: add
    procedure :: find
  end type alarm_list

contains

  logical function rings(this, now)
    class(alarm), intent(in) :: this
    integer, intent(in) :: now
    rings = this%interval > 0 .and. now >= this%next ! slice
  end function rings

  subroutine reset(this)
    class(alarm), intent(inout) :: this
    this%next = this%next + this%interval ! slice
    this%rung = this%rung + 1
  end subroutine reset

  subroutine add(this, line)
    class(alarm_list), intent(inout) :: this
    character(len=*), intent(in) :: line
    type(alarm), allocatable :: wider(:)
    integer :: colon
    colon = index(line, ':') ! slice
    if (colon == 0) return ! slice
    if (.not. allocated(this%item)) allocate (this%item(2)) ! slice
    if (this%n == size(this%item)) then ! slice
      allocate (wider(2 * this%n)) ! slice
      wider(1:this%n) = this%item ! slice
      call move_alloc(wider, this%item) ! slice
    end if
    this%n = this%n + 1 ! slice
    this%item(this%n)%name = adjustl(line(1:colon - 1)) ! slice
    this%item(this%n)%interval = to_seconds(adjustl(line(colon + 1:)), 600) ! slice
    this%item(this%n)%next = this%item(this%n)%interval ! slice
    this%item(this%n)%rung = 0
  end subroutine add

  integer function find(this, name)
    class(alarm_list), intent(in) :: this
    character(len=*), intent(in) :: name
    do find = 1, this%n ! slice
      if (this%item(find)%name == name) return ! slice
    end do
    find = 0 ! slice
  end function find

end module alarms

module component
  use mpi
  use clock_units, only: to_seconds
  use alarms, only: alarm_list
  implicit none

  character(len=20), parameter :: common_lines(4) = [ character(len=20) :: &
    'couple : 3600s', 'history: 20m', '# restart: 1d', 'report : 30s' ]
  character(len=20), parameter :: ice_lines(2) = [ character(len=20) :: &
    'couple2: 1h', 'rheology: 2m' ]

  type model
    integer :: comm, me
    integer :: now, step, stop_time
    double precision :: heat
    type(alarm_list) :: list
  end type model

contains

  subroutine model_init(m, comm)
    type(model), intent(out) :: m
    integer, intent(in) :: comm
    integer :: i, ierr
    call MPI_Comm_dup(comm, m%comm, ierr) ! slice
    call MPI_Comm_rank(m%comm, m%me, ierr) ! slice
    m%now = 0 ! slice
    m%step = 900 ! slice
    m%stop_time = to_seconds('14400s') ! slice
    m%heat = 1d0
    m%list%n = 0 ! slice
    do i = 1, size(common_lines) ! slice
      if (common_lines(i)(1:1) == '#') cycle ! slice
      call m%list%add(common_lines(i)) ! slice
    end do
    ! The ice runs on the third rank only; its coupling replaces that of the others.
    if (m%me == 2) then ! slice
      do i = 1, size(ice_lines) ! slice
        call m%list%add(ice_lines(i)) ! slice
      end do
    end if
  end subroutine model_init

  integer function coupler(m)
    type(model), intent(in) :: m
    coupler = m%list%find('couple2') ! slice
    if (coupler == 0) coupler = m%list%find('couple') ! slice
  end function coupler

  subroutine couple(m)
    type(model), intent(inout) :: m
    integer :: ierr
    m%heat = 0.5d0 * m%heat + 1d-3 * m%now
    call MPI_Barrier(m%comm, ierr) ! stop
  end subroutine couple

  subroutine run(m)
    type(model), intent(inout) :: m
    integer :: i, partner
    partner = coupler(m) ! slice
    do while (m%now < m%stop_time) ! slice
      m%now = m%now + m%step ! slice
      do i = 1, m%list%n ! slice
        if (.not. m%list%item(i)%rings(m%now)) cycle ! slice
        call m%list%item(i)%reset() ! slice
        if (i == partner) then ! slice
          call couple(m) ! slice
        else if (m%list%item(i)%name == 'rheology') then
          m%heat = 0.99d0 * m%heat
        end if
      end do
    end do
  end subroutine run

end module component

program ocnalarm
  use mpi
  use component, only: model, model_init, run
  implicit none
  type(model) :: ocean
  integer :: i, ierr
  call MPI_Init(ierr)
  call model_init(ocean, MPI_COMM_WORLD) ! slice
  call run(ocean) ! slice
  do i = 1, ocean%list%n
    print '(i2,1x,a,i4,f8.3)', ocean%me, ocean%list%item(i)%name, ocean%list%item(i)%rung, ocean%heat
  end do
  call MPI_Comm_free(ocean%comm, ierr)
  call MPI_Finalize(ierr)
end program ocnalarm
