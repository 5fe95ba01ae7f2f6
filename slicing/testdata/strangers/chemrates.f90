! tune: rank=3 size=4 stop=MPI_Recv:4
! Reactions of a chemistry are spread over the ranks; the rates of a species come from the rank to which its name hashes.
! A name behind a stoichiometric number keeps the blank between them, and hashes to another rank.
module strings
  implicit none
  private
  public :: tokens, split, has_word, hash

  type tokens
    integer :: n
    character(len=12) :: word(8)
  end type tokens

  interface split
    module procedure split_at_char
    module procedure split_at_set
  end interface split

contains

  subroutine split_at_set(text, set, list)
    character(len=*), intent(in) :: text
    character(len=*), intent(in) :: set(:)
    type(tokens), intent(inout) :: list
    character(len=64) :: plain
    integer :: i, k
    plain = text ! slice
    do i = 1, len(plain) ! slice
      do k = 1, size(set) ! slice
        if (plain(i:i) == set(k)(1:1)) plain(i:i) = '|' ! slice
      end do
    end do
    call split_at_char(plain, '|', list) ! slice
  end subroutine split_at_set

  subroutine split_at_char(text, mark, list)
    character(len=*), intent(in) :: text, mark
    type(tokens), intent(inout) :: list
    integer :: first, cut
    list%n = 0 ! slice
    first = 1 ! slice
    do while (first <= len_trim(text) .and. list%n < size(list%word)) ! slice
      cut = index(text(first:), mark) ! slice
      if (cut == 0) cut = len_trim(text) - first + 2 ! slice
      list%n = list%n + 1 ! slice
      list%word(list%n) = adjustl(text(first:first + cut - 2)) ! slice
      first = first + cut ! slice
    end do
  end subroutine split_at_char

  logical function has_word(text, word)
    character(len=*), intent(in) :: text, word
    has_word = index(' ' // trim(text) // ' ', ' ' // trim(word) // ' ') > 0
  end function has_word

  integer function hash(text)
    character(len=*), intent(in) :: text
    integer :: i
    hash = 17 ! slice
    do i = 1, len_trim(text) ! slice
      hash = mod(31 * hash + iachar(text(i:i)), 10007) ! slice
    end do
  end function hash

end module strings

module chemistry
  use mpi
  use strings, only: tokens, split, has_word, hash
  implicit none
  private
  public :: mechanism, setup, publish, collect

  character(len=4), parameter :: species(7) = [ character(len=4) :: &
    'O3', 'NO', 'NO2', 'NO3', 'O2', 'CO', 'OH' ]
  character(len=40), parameter :: reactions(6) = [ character(len=40) :: &
    'NO + O3 = NO2 + O2', &
    'NO2 + O3 = NO3 + O2', &
    'O3 + CO = O2', &
    'NO3 + NO = NO2', &
    'CO + OH = O2', &
    '2 NO + O2 = 2 NO2' ]

  type term
    integer :: number
    character(len=12) :: name
  end type term

  type known
    character(len=12) :: name
    double precision :: rate(2)
  end type known

  type mechanism
    integer :: comm, me, nprocs
    integer :: nknown
    type(known), allocatable :: cache(:)
  end type mechanism

contains

  subroutine setup(m, comm)
    type(mechanism), intent(out) :: m
    integer, intent(in) :: comm
    integer :: ierr
    m%comm = comm ! slice
    m%nknown = 0 ! slice
    allocate (m%cache(16)) ! slice
    call MPI_Comm_rank(comm, m%me, ierr) ! slice
    call MPI_Comm_size(comm, m%nprocs, ierr) ! slice
  end subroutine setup

  integer function owner(m, name)
    type(mechanism), intent(in) :: m
    character(len=*), intent(in) :: name
    owner = mod(hash(name), m%nprocs) ! slice
  end function owner

  integer function home(m, reaction)
    type(mechanism), intent(in) :: m
    integer, intent(in) :: reaction
    home = mod(reaction + 1, m%nprocs) ! slice
  end function home

  function parse_term(text) result(t)
    character(len=*), intent(in) :: text
    type(term) :: t
    integer :: k
    t%number = 1
    t%name = text ! slice
    k = verify(text, '0123456789') ! slice
    if (k <= 1) return ! slice
    read (text(1:k - 1), *) t%number
    t%name = text(k:) ! root
  end function parse_term

  ! Every owner tells the homes of the reactions with its species.
  subroutine publish(m)
    type(mechanism), intent(in) :: m
    double precision :: rate(2)
    logical :: wanted
    integer :: s, h, r, ierr
    do s = 1, size(species)
      if (owner(m, species(s)) /= m%me) cycle
      rate = [dble(s), 0.5d0 * s]
      do h = 0, m%nprocs - 1
        wanted = .false.
        do r = 1, size(reactions)
          if (home(m, r) == h) wanted = wanted .or. has_word(reactions(r), species(s))
        end do
        if (wanted .and. h /= m%me) &
          call MPI_Send(rate, 2, MPI_DOUBLE_PRECISION, h, hash(species(s)), m%comm, ierr)
      end do
    end do
  end subroutine publish

  subroutine need(m, t)
    type(mechanism), intent(inout) :: m
    type(term), intent(in) :: t
    double precision :: rate(2)
    integer :: i, ierr, from, status(MPI_STATUS_SIZE)
    do i = 1, m%nknown ! slice
      if (m%cache(i)%name == t%name) return ! slice
    end do
    from = owner(m, t%name) ! slice
    rate = 0d0
    if (from /= m%me) then ! slice
      call MPI_Recv(rate, 2, MPI_DOUBLE_PRECISION, from, hash(t%name), m%comm, status, ierr) ! stop
    end if
    m%nknown = m%nknown + 1 ! slice
    m%cache(m%nknown)%name = t%name ! slice
    m%cache(m%nknown)%rate = rate / t%number
  end subroutine need

  subroutine collect(m)
    type(mechanism), intent(inout) :: m
    type(tokens) :: list
    integer :: r, i
    do r = 1, size(reactions) ! slice
      if (home(m, r) /= m%me) cycle ! slice
      call split(reactions(r), ['+', '='], list) ! slice
      do i = 1, list%n ! slice
        call need(m, parse_term(list%word(i))) ! slice
      end do
    end do
  end subroutine collect

end module chemistry

program chemrates
  use mpi
  use chemistry, only: mechanism, setup, publish, collect
  implicit none
  type(mechanism) :: m
  integer :: i, ierr
  call MPI_Init(ierr)
  call setup(m, MPI_COMM_WORLD) ! slice
  call publish(m)
  call collect(m) ! slice
  print '(a,i2,8(1x,a,f6.2))', 'rank', m%me, (trim(m%cache(i)%name), m%cache(i)%rate(1), i = 1, m%nknown)
  call MPI_Finalize(ierr)
end program chemrates
