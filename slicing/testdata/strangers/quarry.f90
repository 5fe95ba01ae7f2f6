! report: rank=0 size=3 stop=MPI_Wait:2
! A dispatcher of trucks keeps its events in a list by time: of events at the same time the
! later one is put before the earlier one, and a load is awaited that was not ordered.
module event_list
  implicit none
  private
  public :: event, agenda, ev_order, ev_arrive

  integer, parameter :: ev_order = 1, ev_arrive = 2

  type event
    integer :: time = 0
    integer :: kind = 0
    integer :: truck = 0
    type(event), pointer :: next => null()
  end type event

  type agenda
    type(event), pointer :: anchor => null()
    integer :: length = 0
  contains
    procedure :: open => agenda_open
    procedure :: insert => agenda_insert
    procedure :: take => agenda_take
  end type agenda

contains

  subroutine agenda_open(this)
    class(agenda), intent(inout) :: this
    allocate (this%anchor) ! slice
    this%length = 0
  end subroutine agenda_open

  subroutine agenda_insert(this, time, kind, truck)
    class(agenda), intent(inout) :: this
    integer, intent(in) :: time, kind, truck
    type(event), pointer :: at, ev
    allocate (ev) ! slice
    ev%time = time ! slice
    ev%kind = kind ! slice
    ev%truck = truck ! slice
    at => this%anchor ! slice
    do while (associated(at%next)) ! slice
      if (time <= at%next%time) exit ! root
      at => at%next ! slice
    end do
    ev%next => at%next ! slice
    at%next => ev ! slice
    this%length = this%length + 1
  end subroutine agenda_insert

  logical function agenda_take(this, ev)
    class(agenda), intent(inout) :: this
    type(event), intent(out) :: ev
    type(event), pointer :: first
    first => this%anchor%next ! slice
    agenda_take = associated(first) ! slice
    if (.not. agenda_take) return ! slice
    ev = first ! slice
    this%anchor%next => first%next ! slice
    this%length = this%length - 1
    deallocate (first)
  end function agenda_take

end module event_list

module quarry_pit
  use mpi
  use event_list
  implicit none
  private
  public :: dispatch, drive, trips_of

  integer, parameter :: tag_order = 11, tag_load = 12

  type truck
    integer :: rank
    integer :: distance, speed, rest
    integer :: trips
    integer :: request
    double precision :: load = 0
  end type truck

  type pit
    type(truck), allocatable :: trucks(:)
    type(agenda) :: day
    double precision :: stone = 0
  end type pit

contains

  integer function trips_of(rank)
    integer, intent(in) :: rank
    trips_of = 4 - rank ! slice
  end function trips_of

  ! A trip: an order, and a load after the way.
  subroutine trip(p, i, start)
    type(pit), intent(inout), target :: p
    integer, intent(in) :: i, start
    type(truck), pointer :: t
    integer :: way, ierr
    t => p%trucks(i) ! slice
    if (t%trips == 0) return ! slice
    t%trips = t%trips - 1 ! slice
    way = t%distance / t%speed ! slice
    call MPI_Irecv(t%load, 1, MPI_DOUBLE_PRECISION, t%rank, tag_load, MPI_COMM_WORLD, t%request, ierr) ! slice
    call p%day%insert(start, ev_order, i) ! slice
    call p%day%insert(start + way, ev_arrive, i) ! slice
  end subroutine trip

  subroutine prepare(p, ntrucks)
    type(pit), intent(inout) :: p
    integer, intent(in) :: ntrucks
    integer :: i
    allocate (p%trucks(ntrucks)) ! slice
    call p%day%open() ! slice
    do i = 1, ntrucks ! slice
      p%trucks(i)%rank = i ! slice
      p%trucks(i)%distance = 24 / i**2 ! slice
      p%trucks(i)%speed = 12 ! slice
      p%trucks(i)%rest = 2 + i ! slice
      p%trucks(i)%trips = trips_of(i) ! slice
      call trip(p, i, 3 * (i - 1)) ! slice
    end do
  end subroutine prepare

  subroutine order(t)
    type(truck), intent(in) :: t
    integer :: ierr
    call MPI_Send(t%load, 1, MPI_DOUBLE_PRECISION, t%rank, tag_order, MPI_COMM_WORLD, ierr)
  end subroutine order

  subroutine arrive(p, i, now)
    type(pit), intent(inout) :: p
    integer, intent(in) :: i, now
    integer :: ierr, status(MPI_STATUS_SIZE)
    call MPI_Wait(p%trucks(i)%request, status, ierr) ! stop
    p%stone = p%stone + p%trucks(i)%load
    call trip(p, i, now + p%trucks(i)%rest) ! slice
  end subroutine arrive

  subroutine dispatch(ntrucks)
    integer, intent(in) :: ntrucks
    type(pit) :: p
    type(event) :: ev
    call prepare(p, ntrucks) ! slice
    do while (p%day%take(ev)) ! slice
      select case (ev%kind) ! slice
      case (ev_order)
        call order(p%trucks(ev%truck))
      case (ev_arrive)
        call arrive(p, ev%truck, ev%time) ! slice
      end select
    end do
    print *, 'stone', p%stone
  end subroutine dispatch

  subroutine drive(rank)
    integer, intent(in) :: rank
    integer :: k, ierr, status(MPI_STATUS_SIZE)
    double precision :: load, before
    do k = 1, trips_of(rank)
      call MPI_Recv(before, 1, MPI_DOUBLE_PRECISION, 0, tag_order, MPI_COMM_WORLD, status, ierr)
      load = 10d0 * rank + 0.1d0 * k + 0.01d0 * before
      call MPI_Send(load, 1, MPI_DOUBLE_PRECISION, 0, tag_load, MPI_COMM_WORLD, ierr)
    end do
  end subroutine drive

end module quarry_pit

program quarry
  use mpi
  use quarry_pit, only: dispatch, drive
  implicit none
  integer :: rank, nranks, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr) ! slice
  if (rank == 0) then ! slice
    call dispatch(nranks - 1) ! slice
  else
    call drive(rank)
  end if
  call MPI_Finalize(ierr)
end program quarry
