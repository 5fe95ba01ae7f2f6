! tune: rank=2 size=3 stop=MPI_Recv:4 data=4 peer=0:MPI_Bcast:1
! Species of a plasma in a linked list: the first rank tells how many of them it
! will send, and counts as mobile what is only hot or only light.
module species_list
  implicit none

  type species
    integer :: charge
    double precision :: mass, temperature
    logical :: mobile
    type(species), pointer :: next
  end type species

  type list
    type(species), pointer :: head
    integer :: n
  end type list

contains

  subroutine add(l, charge, mass, temperature)
    type(list), intent(inout) :: l
    integer, intent(in) :: charge
    double precision, intent(in) :: mass, temperature
    type(species), pointer :: s
    allocate (s) ! slice
    s%charge = charge ! slice
    s%mass = mass ! slice
    s%temperature = temperature ! slice
    s%next => l%head ! slice
    l%head => s ! slice
    l%n = l%n + 1
  end subroutine add

  subroutine fill(l)
    type(list), intent(inout) :: l
    nullify (l%head) ! slice
    l%n = 0
    call add(l, -1, 5.4d-4, 40d0) ! slice
    call add(l, 1, 2d0, 12d0) ! slice
    call add(l, 2, 4d0, 30d0) ! slice
    call add(l, 1, 40d0, 8d0) ! slice
    call add(l, 0, 2d0, 0.5d0) ! slice
  end subroutine fill

  ! cool takes energy out until the hottest ion is below the limit.
  subroutine cool(l, limit)
    type(list), intent(inout) :: l
    double precision, intent(in) :: limit
    type(species), pointer :: s
    double precision :: hottest
    integer :: it
    do it = 1, 50 ! slice
      hottest = 0 ! slice
      s => l%head ! slice
      do while (associated(s)) ! slice
        s%temperature = s%temperature * (1 - 0.05d0 * abs(s%charge)) ! slice
        if (s%charge > 0) hottest = max(hottest, s%temperature) ! slice
        s => s%next ! slice
      end do
      if (hottest < limit) exit ! slice
    end do
  end subroutine cool

  subroutine mark(l)
    type(list), intent(inout) :: l
    type(species), pointer :: s
    s => l%head ! slice
    do while (associated(s)) ! slice
      select case (s%charge) ! slice
      case (0)
        s%mobile = .false. ! slice
      case (:-1)
        s%mobile = .true. ! slice
      case default
        s%mobile = s%temperature > 5d0 .or. s%mass < 10d0 ! root
      end select
      s => s%next ! slice
    end do
  end subroutine mark

  integer function mobile(l)
    type(list), intent(in) :: l
    type(species), pointer :: s
    mobile = 0 ! slice
    s => l%head ! slice
    do while (associated(s)) ! slice
      if (s%mobile) mobile = mobile + 1 ! slice
      s => s%next ! slice
    end do
  end function mobile

end module species_list

module sharing
  use species_list
  implicit none
  include 'mpif.h'
contains

  subroutine announce(counts)
    integer, intent(inout) :: counts(2)
    integer :: ierr
    call MPI_Bcast(counts, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! slice
  end subroutine announce

  ! A species goes out if it can be moved at all: heavy ones must be hot.
  subroutine hand_out(l, nprocs)
    type(list), intent(in) :: l
    integer, intent(in) :: nprocs
    type(species), pointer :: s
    double precision :: out(3)
    integer :: r, ierr
    s => l%head
    do while (associated(s))
      if (s%charge /= 0 .and. s%temperature / s%mass > 0.2d0 * s%charge) then
        out = [s%mass, s%temperature, dble(s%charge)]
        do r = 1, nprocs - 1
          call MPI_Send(out, 3, MPI_DOUBLE_PRECISION, r, 12, MPI_COMM_WORLD, ierr)
        end do
      end if
      s => s%next
    end do
  end subroutine hand_out

  subroutine take_in(n, energy)
    integer, intent(in) :: n
    double precision, intent(out) :: energy
    double precision :: in(3)
    integer :: i, ierr, status(MPI_STATUS_SIZE)
    energy = 0
    do i = 1, n ! slice
      call MPI_Recv(in, 3, MPI_DOUBLE_PRECISION, 0, 12, MPI_COMM_WORLD, status, ierr) ! stop
      energy = energy + in(2)
    end do
  end subroutine take_in

end module sharing

program subcycles
  use sharing
  implicit none
  type(list) :: plasma
  integer :: rank, nprocs, ierr, counts(2)
  double precision :: energy
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! slice
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  energy = 0
  if (rank == 0) then ! slice
    call fill(plasma) ! slice
    call cool(plasma, 20d0) ! slice
    call mark(plasma) ! slice
    counts(1) = plasma%n
    counts(2) = mobile(plasma) ! slice
  end if
  call announce(counts) ! slice
  if (rank == 0) then ! slice
    call hand_out(plasma, nprocs)
  else
    call take_in(counts(2), energy) ! slice
  end if
  print *, rank, counts, energy
  call MPI_Finalize(ierr)
end program subcycles
