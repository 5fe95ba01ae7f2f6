! tune: rank=2 size=4 stop=MPI_Wait:4
! A registry of fields, each with the layout of its halo; layouts are derived from one another.
! The layout of the river mouths is no copy of the ring but the ring itself, which it turns to the river's source.
module layouts
  use mpi
  implicit none
  private
  public :: layout, layout_list, find_layout, add_layout, derive_layout

  type layout
    character(len=8) :: name
    integer :: from, to
    integer :: width
  end type layout

  type slot
    type(layout), pointer :: p
  end type slot

  type layout_list
    integer :: n
    type(slot) :: item(6)
  end type layout_list

contains

  function find_layout(list, name) result(l)
    type(layout_list), intent(in) :: list
    character(len=*), intent(in) :: name
    type(layout), pointer :: l
    integer :: i
    nullify (l) ! slice
    do i = 1, list%n ! slice
      if (list%item(i)%p%name == name) l => list%item(i)%p ! slice
    end do
  end function find_layout

  subroutine append(list, l)
    type(layout_list), intent(inout) :: list
    type(layout), pointer, intent(in) :: l
    list%n = list%n + 1 ! slice
    list%item(list%n)%p => l ! slice
  end subroutine append

  subroutine add_layout(list, name, from, to)
    type(layout_list), intent(inout) :: list
    character(len=*), intent(in) :: name
    integer, intent(in) :: from, to
    type(layout), pointer :: l
    allocate (l) ! slice
    l%name = name ! slice
    l%from = from ! slice
    l%to = to
    l%width = 2
    call append(list, l) ! slice
  end subroutine add_layout

  ! A layout as another one, but with other partners.
  subroutine derive_layout(list, name, base, from, to)
    type(layout_list), intent(inout) :: list
    character(len=*), intent(in) :: name, base
    integer, intent(in) :: from
    integer, intent(in), optional :: to
    type(layout), pointer :: l, parent
    parent => find_layout(list, base) ! slice
    if (.not. associated(parent)) return ! slice
    l => parent ! root
    l%name = name ! slice
    l%from = from ! slice
    l%to = MPI_PROC_NULL
    if (present(to)) l%to = to
    call append(list, l) ! slice
  end subroutine derive_layout

end module layouts

module fields
  use mpi
  use layouts, only: layout, layout_list, find_layout
  implicit none
  private
  public :: field, registry, register_field, exchange_all, print_all

  type field
    character(len=8) :: name
    integer :: id
    double precision :: inner(4), halo(4)
    type(layout), pointer :: shape
    type(field), pointer :: next
  end type field

  type registry
    integer :: comm, n
    type(layout_list) :: known
    type(field), pointer :: head
  end type registry

contains

  subroutine register_field(reg, name, layout_name, value, stat)
    type(registry), intent(inout) :: reg
    character(len=*), intent(in) :: name, layout_name
    double precision, intent(in) :: value
    integer, intent(out) :: stat
    type(layout), pointer :: l
    type(field), pointer :: f
    stat = 1
    l => find_layout(reg%known, layout_name) ! slice
    if (.not. associated(l)) return ! slice
    allocate (f) ! slice
    reg%n = reg%n + 1 ! slice
    f%name = name
    f%id = reg%n ! slice
    f%inner = value
    f%halo = 0d0
    f%shape => l ! slice
    f%next => reg%head ! slice
    reg%head => f ! slice
    stat = 0
  end subroutine register_field

  subroutine exchange_one(comm, f)
    integer, intent(in) :: comm
    type(field), intent(inout) :: f
    integer :: req, ierr, status(MPI_STATUS_SIZE)
    call MPI_Irecv(f%halo, 4, MPI_DOUBLE_PRECISION, f%shape%from, 700 + f%id, comm, req, ierr) ! slice
    call MPI_Send(f%inner, f%shape%width, MPI_DOUBLE_PRECISION, f%shape%to, 700 + f%id, comm, ierr)
    call MPI_Wait(req, status, ierr) ! stop
    f%inner = f%inner + 0.1d0 * f%halo
  end subroutine exchange_one

  subroutine exchange_all(reg)
    type(registry), intent(inout) :: reg
    type(field), pointer :: f
    f => reg%head ! slice
    do while (associated(f)) ! slice
      call exchange_one(reg%comm, f) ! slice
      f => f%next ! slice
    end do
  end subroutine exchange_all

  subroutine print_all(reg, me)
    type(registry), intent(in) :: reg
    integer, intent(in) :: me
    type(field), pointer :: f
    f => reg%head
    do while (associated(f))
      print '(i2,1x,a,2f9.4)', me, f%name, f%inner(1:2)
      f => f%next
    end do
  end subroutine print_all

end module fields

program fieldreg
  use mpi
  use layouts, only: add_layout, derive_layout
  use fields, only: registry, register_field, exchange_all, print_all
  implicit none
  integer, parameter :: source = 0, mouths(2) = [1, 2]
  type(registry) :: reg
  integer :: me, nprocs, i, stat, ierr
  double precision :: flow(2)
  call MPI_Init(ierr)
  reg%comm = MPI_COMM_WORLD ! slice
  reg%n = 0 ! slice
  reg%known%n = 0 ! slice
  nullify (reg%head) ! slice
  call MPI_Comm_rank(reg%comm, me, ierr) ! slice
  call MPI_Comm_size(reg%comm, nprocs, ierr) ! slice
  call add_layout(reg%known, 'ring', modulo(me - 1, nprocs), modulo(me + 1, nprocs)) ! slice
  call register_field(reg, 'temp', 'ring', 1d0 + me, stat) ! slice
  call register_field(reg, 'salt', 'ring', 35d0, stat) ! slice
  ! The spin-up runs without the rivers.
  call exchange_all(reg)
  if (any(mouths == me)) then ! slice
    call derive_layout(reg%known, 'mouth', 'ring', source) ! slice
    call register_field(reg, 'river', 'mouth', 0d0, stat) ! slice
  else if (me == source) then
    flow = [0.5d0, 0.25d0]
    do i = 1, size(mouths)
      call MPI_Send(flow, 2, MPI_DOUBLE_PRECISION, mouths(i), 703, reg%comm, ierr)
    end do
  end if
  call exchange_all(reg) ! slice
  print '(a,i2,a,i2)', 'fields on', me, ':', reg%n
  call print_all(reg, me)
  call MPI_Finalize(ierr)
end program fieldreg
