! tune: rank=2 size=4 stop=MPI_Recv:1 data=12 peer=0:MPI_Bcast:1
! A namelist is read out of the lines of a deck: the interval of the coupling is in
! minutes or hours, and the unit of the interval of the output is taken for it.
module control
  implicit none
  integer, parameter :: minutes = 1, hours = 2, days = 3
  integer :: coupling = 60, output = 360, step = 20
  character(len=8) :: coupling_unit = 'minutes', output_unit = 'minutes'
  double precision :: albedo = 0.3d0
  namelist /times/ coupling, coupling_unit, output, output_unit, step, albedo
contains
  integer function unit_of(name)
    character(len=*), intent(in) :: name
    select case (trim(adjustl(name))) ! slice
    case ('hours', 'hour', 'h')
      unit_of = hours ! slice
    case ('days', 'day', 'd')
      unit_of = days ! slice
    case default
      unit_of = minutes ! slice
    end select
  end function unit_of

  integer function in_minutes(n, unit)
    integer, intent(in) :: n, unit
    integer, parameter :: factor(3) = [1, 60, 1440]
    in_minutes = n * factor(unit) ! slice
  end function in_minutes

  subroutine read_deck(deck)
    character(len=*), intent(in) :: deck(:)
    integer :: ios, unit
    read (deck, nml=times, iostat=ios) ! slice
    if (ios /= 0) coupling = 60 ! slice
    unit = unit_of(output_unit) ! root
    coupling = in_minutes(coupling, unit) ! slice
    output = in_minutes(output, unit) ! slice
  end subroutine read_deck
end module control

module clocks
  use control
  implicit none
  type alarm
    integer :: every = 0, last = 0, ringing = 0
  end type alarm
  type clock
    integer :: now = 0
    type(alarm), allocatable :: alarms(:)
  contains
    procedure :: set
    procedure :: tick
    procedure :: rings
  end type clock
contains
  subroutine set(self, number, every)
    class(clock), intent(inout) :: self
    integer, intent(in) :: number, every
    type(alarm), allocatable :: more(:)
    if (.not. allocated(self%alarms)) allocate (self%alarms(0)) ! slice
    if (number > size(self%alarms)) then ! slice
      allocate (more(number)) ! slice
      more(1:size(self%alarms)) = self%alarms ! slice
      call move_alloc(more, self%alarms) ! slice
    end if
    self%alarms(number)%every = every ! slice
    self%alarms(number)%last = self%now ! slice
  end subroutine set

  subroutine tick(self, by)
    class(clock), intent(inout) :: self
    integer, intent(in) :: by
    self%now = self%now + by ! slice
  end subroutine tick

  logical function rings(self, number)
    class(clock), intent(inout) :: self
    integer, intent(in) :: number
    rings = self%now - self%alarms(number)%last >= self%alarms(number)%every ! slice
    if (rings) then ! slice
      self%alarms(number)%last = self%now ! slice
      self%alarms(number)%ringing = self%alarms(number)%ringing + 1
    end if
  end function rings
end module clocks

subroutine couple(rank, nprocs, flux)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank, nprocs
  double precision, intent(inout) :: flux(8)
  integer :: ierr, other, status(MPI_STATUS_SIZE)
  other = nprocs - 1 - rank ! slice
  if (rank < nprocs / 2) then ! slice
    call MPI_Send(flux, 8, MPI_DOUBLE_PRECISION, other, 17, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(flux, 8, MPI_DOUBLE_PRECISION, other, 17, MPI_COMM_WORLD, status, ierr) ! stop
  end if
end subroutine couple

program main
  use clocks
  implicit none
  include 'mpif.h'
  character(len=40) :: deck(4)
  type(clock) :: c
  integer :: rank, nprocs, ierr, steps, s
  double precision :: flux(8), heat
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  deck(1) = '&times coupling = 2, step = 30,' ! slice
  deck(2) = " coupling_unit = 'hours'," ! slice
  deck(3) = " output = 90, output_unit = 'minutes'," ! slice
  deck(4) = ' albedo = 0.25 /' ! slice
  call read_deck(deck) ! slice
  call c%set(1, coupling) ! slice
  call c%set(2, output) ! slice
  steps = 4 + mod(output, 7) ! slice
  call MPI_Bcast(steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! slice
  flux = rank
  heat = 0
  do s = 1, steps ! slice
    call c%tick(step) ! slice
    if (c%rings(1)) call couple(rank, nprocs, flux) ! slice
    if (c%rings(2)) heat = heat + sum(flux) * (1 - albedo)
  end do
  print *, heat
  call MPI_Finalize(ierr)
end program main
