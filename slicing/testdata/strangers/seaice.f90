! tune: rank=1 size=4 stop=MPI_Recv:1
! Groups of a text with settings are told apart by their names, which are cut: the
! settings of two groups are lost, and the blocks are thought to lie elsewhere.
module ice_settings
  implicit none
  private
  public :: settings, read_settings

  type settings
    integer :: nblock, chunk, layers, every
    double precision :: freeze
    logical :: cyclic
  end type settings

  character(len=32), parameter :: deck(11) = [ character(len=32) :: &
    '&grid', &
    '  nblock = 12', &
    '/', &
    '&ice_phys', &
    '  layers = 4', &
    '  freeze = -1.8', &
    '/', &
    '&ice_dist', &
    '  chunk = 3', &
    '  every = 1', &
    '/' ]

contains

  subroutine read_settings(s)
    type(settings), intent(out) :: s
    character(len=32) :: line
    character(len=12) :: group, key
    integer :: i, eq
    s%nblock = 8 ! slice
    s%chunk = 2 ! slice
    s%layers = 1
    s%every = 2
    s%freeze = 0d0
    s%cyclic = .false. ! slice
    group = ' ' ! slice
    do i = 1, size(deck) ! slice
      line = adjustl(deck(i)) ! slice
      if (line(1:1) == '&') then ! slice
        group = line(2:5) ! root
        cycle
      end if
      eq = index(line, '=') ! slice
      if (line(1:1) == '/' .or. eq == 0) cycle ! slice
      key = line(1:eq - 1) ! slice
      select case (group) ! slice
      case ('grid')
        call grid_key(s, key, line(eq + 1:)) ! slice
      case ('ice_phys')
        call phys_key(s, key, line(eq + 1:))
      case ('ice_dist')
        call dist_key(s, key, line(eq + 1:)) ! slice
      end select
    end do
  end subroutine read_settings

  subroutine grid_key(s, key, text)
    type(settings), intent(inout) :: s
    character(len=*), intent(in) :: key, text
    if (key == 'nblock') read (text, *) s%nblock ! slice
  end subroutine grid_key

  subroutine phys_key(s, key, text)
    type(settings), intent(inout) :: s
    character(len=*), intent(in) :: key, text
    select case (key)
    case ('layers')
      read (text, *) s%layers
    case ('freeze')
      read (text, *) s%freeze
    end select
  end subroutine phys_key

  subroutine dist_key(s, key, text)
    type(settings), intent(inout) :: s
    character(len=*), intent(in) :: key, text
    select case (key) ! slice
    case ('chunk')
      read (text, *) s%chunk ! slice
    case ('every')
      read (text, *) s%every
    case ('cyclic')
      s%cyclic = .true. ! slice
    end select
  end subroutine dist_key

end module ice_settings

module ice_domain
  use ice_settings, only: settings
  implicit none

  type block
    integer :: id, east_owner
    double precision, allocatable :: thick(:), east(:)
  end type block

  type domain
    integer :: rank, nprocs
    type(block), allocatable :: blocks(:)
  contains
    procedure :: setup
    procedure :: exchange
    procedure :: volume
  end type domain

contains

  integer function owner(s, id, nprocs)
    type(settings), intent(in) :: s
    integer, intent(in) :: id, nprocs
    owner = (id - 1) / s%chunk ! slice
    if (s%cyclic) owner = mod(owner, nprocs) ! slice
    owner = min(owner, nprocs - 1) ! slice
  end function owner

  subroutine setup(this, s, rank, nprocs)
    class(domain), intent(inout) :: this
    type(settings), intent(in) :: s
    integer, intent(in) :: rank, nprocs
    integer :: per, first, i
    this%rank = rank ! slice
    this%nprocs = nprocs
    per = (s%nblock + nprocs - 1) / nprocs ! slice
    first = rank * per ! slice
    allocate (this%blocks(min(per, s%nblock - first))) ! slice
    do i = 1, size(this%blocks) ! slice
      this%blocks(i)%id = first + i ! slice
      this%blocks(i)%east_owner = -1 ! slice
      if (first + i < s%nblock) this%blocks(i)%east_owner = owner(s, first + i + 1, nprocs) ! slice
      allocate (this%blocks(i)%thick(6), this%blocks(i)%east(6)) ! slice
      this%blocks(i)%thick = 0.5d0 * (first + i) + s%freeze
    end do
  end subroutine setup

  ! The western edge of a block goes to the west.
  subroutine exchange(this)
    include 'mpif.h'
    class(domain), intent(inout) :: this
    integer :: i, from, tag, ierr, status(MPI_STATUS_SIZE)
    if (this%rank > 0) call MPI_Send(this%blocks(1)%thick, 6, MPI_DOUBLE_PRECISION, &
      this%rank - 1, this%blocks(1)%id, MPI_COMM_WORLD, ierr)
    do i = 1, size(this%blocks) ! slice
      from = this%blocks(i)%east_owner ! slice
      if (from < 0 .or. from == this%rank) cycle ! slice
      tag = this%blocks(i)%id + 1 ! slice
      call MPI_Recv(this%blocks(i)%east, 6, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, status, ierr) ! stop
    end do
  end subroutine exchange

  double precision function volume(this)
    class(domain), intent(in) :: this
    integer :: i
    volume = 0
    do i = 1, size(this%blocks)
      volume = volume + sum(this%blocks(i)%thick)
    end do
  end function volume

end module ice_domain

program seaice
  use ice_settings, only: settings, read_settings
  use ice_domain, only: domain
  implicit none
  include 'mpif.h'
  type(settings) :: s
  type(domain) :: d
  integer :: rank, nprocs, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr) ! slice
  call read_settings(s) ! slice
  call d%setup(s, rank, nprocs) ! slice
  call d%exchange() ! slice
  print *, rank, d%volume(), s%layers
  call MPI_Finalize(ierr)
end program seaice
