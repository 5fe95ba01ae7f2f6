! report: rank=2 size=3 stop=MPI_Allreduce:10
! The shells of a kiln cool, one on every rank and of different stuff, until none of them
! changes any more: the change of the own shell is compared, not the greatest of all.
module kiln_laws
  implicit none
  private
  public :: law, convect, radiate

  abstract interface
    double precision function law(t, ambient)
      double precision, intent(in) :: t, ambient
    end function law
  end interface

contains

  double precision function convect(t, ambient)
    double precision, intent(in) :: t, ambient
    convect = t - ambient ! slice
  end function convect

  double precision function radiate(t, ambient)
    double precision, intent(in) :: t, ambient
    double precision :: hot
    hot = t / 100d0 ! slice
    radiate = (t - ambient) * (0.5d0 + 0.02d0 * hot * hot) ! slice
  end function radiate

end module kiln_laws

module kiln_shells
  use kiln_laws
  implicit none
  private
  public :: shell

  type layer
    double precision :: temp, old
    double precision :: rate
    procedure(law), pointer, nopass :: loss => null()
  end type layer

  type shell
    type(layer), allocatable :: layers(:)
    double precision :: ambient
    double precision :: energy
    logical :: tiled
  contains
    procedure :: build
    procedure :: sweep
    procedure :: report
  end type shell

contains

  subroutine build(this, nlayer, kind, ambient)
    class(shell), intent(inout) :: this
    integer, intent(in) :: nlayer, kind
    double precision, intent(in), optional :: ambient
    integer :: i
    this%ambient = 20d0 ! slice
    if (present(ambient)) this%ambient = ambient ! slice
    this%tiled = kind == 2 ! slice
    this%energy = 0
    allocate (this%layers(nlayer)) ! slice
    do i = 1, nlayer ! slice
      associate (l => this%layers(i)) ! slice
        l%temp = 400d0 + 50d0 * i ! slice
        l%rate = 0.5d0 / (kind + 1) ! slice
        if (this%tiled .and. i == nlayer) then ! slice
          l%loss => radiate ! slice
        else
          l%loss => convect ! slice
        end if
      end associate
    end do
  end subroutine build

  ! A step of all layers, with the greatest change of them.
  subroutine sweep(this, change)
    class(shell), intent(inout) :: this
    double precision, intent(out) :: change
    integer :: i
    do i = 1, size(this%layers) ! slice
      this%layers(i)%old = this%layers(i)%temp ! slice
    end do
    change = 0 ! slice
    do i = 1, size(this%layers) ! slice
      associate (l => this%layers(i)) ! slice
        l%temp = l%old - l%rate * l%loss(l%old, this%ambient) ! slice
        if (i > 1) l%temp = l%temp + 0.01d0 * (this%layers(i - 1)%old - l%old) ! slice
        change = max(change, abs(l%temp - l%old)) ! slice
        this%energy = this%energy + l%old - l%temp
      end associate
    end do
  end subroutine sweep

  subroutine report(this, rank)
    class(shell), intent(in) :: this
    integer, intent(in) :: rank
    print *, rank, this%energy, maxval(this%layers%temp)
  end subroutine report

end module kiln_shells

module kiln_control
  use mpi
  use kiln_shells, only: shell
  implicit none
  private
  public :: monitor, cool

  type monitor
    integer :: comm
    integer :: steps = 0
    double precision :: own, all
    double precision :: tolerance
  contains
    procedure :: start
    procedure :: compare
    procedure :: settled
  end type monitor

contains

  subroutine start(this, comm, tolerance)
    class(monitor), intent(inout) :: this
    integer, intent(in) :: comm
    double precision, intent(in) :: tolerance
    integer :: ierr
    call MPI_Comm_dup(comm, this%comm, ierr) ! slice
    this%tolerance = tolerance ! slice
  end subroutine start

  subroutine compare(this)
    class(monitor), intent(inout) :: this
    integer :: ierr
    this%steps = this%steps + 1
    call MPI_Allreduce(this%own, this%all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, this%comm, ierr) ! stop
  end subroutine compare

  logical function settled(this)
    class(monitor), intent(in) :: this
    settled = this%own < this%tolerance ! root
  end function settled

  subroutine cool(s, m, most)
    type(shell), intent(inout) :: s
    type(monitor), intent(inout) :: m
    integer, intent(in) :: most
    integer :: step
    do step = 1, most ! slice
      call s%sweep(m%own) ! slice
      call m%compare() ! slice
      if (m%settled()) exit ! slice
    end do
  end subroutine cool

end module kiln_control

program kiln
  use mpi
  use kiln_shells, only: shell
  use kiln_control, only: monitor, cool
  implicit none
  type(shell) :: s
  type(monitor) :: m
  integer :: rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call m%start(MPI_COMM_WORLD, 2d0) ! slice
  call s%build(3, rank, 25d0) ! slice
  call cool(s, m, 200) ! slice
  call s%report(rank)
  call MPI_Comm_free(m%comm, ierr)
  call MPI_Finalize(ierr)
end program kiln
