! ranks=3 about: "use mpi" parameter broadcast (Ibcast, double-buffered) and Igather of results in a small ensemble driver
module ensemble
  use mpi
  implicit none
  integer, parameter :: npar = 16384
  integer, parameter :: nres = 5

  type :: generation
     double precision, allocatable :: par(:)
     integer :: req = MPI_REQUEST_NULL
     integer :: number = 0
  end type generation

contains

  subroutine check(ierr, where)
    integer, intent(in) :: ierr
    character(len=*), intent(in) :: where
    integer :: e
    if (ierr /= MPI_SUCCESS) then
       print *, 'MPI error in ', where
       call MPI_Abort(MPI_COMM_WORLD, 1, e)
    end if
  end subroutine check

  subroutine gen_new(g)
    type(generation), intent(inout) :: g
    allocate(g%par(npar))
    g%par = 0.0d0
  end subroutine gen_new

  subroutine gen_fill(g, number)
    type(generation), intent(inout) :: g
    integer, intent(in) :: number
    integer :: i
    g%number = number
    do i = 1, npar
       g%par(i) = number + 1.0d-5 * i
    end do
  end subroutine gen_fill

  subroutine gen_bcast(g)
    type(generation), intent(inout), target, asynchronous :: g
    integer :: ierr
    call MPI_Ibcast(g%par, npar, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, g%req, ierr)
    call check(ierr, 'gen_bcast')
  end subroutine gen_bcast

  subroutine gen_wait(g)
    type(generation), intent(inout), target, asynchronous :: g
    integer :: ierr
    call MPI_Wait(g%req, MPI_STATUS_IGNORE, ierr)
    call check(ierr, 'gen_wait')
  end subroutine gen_wait

  ! the root perturbs some parameters of a generation
  subroutine gen_perturb_pending(g)
    type(generation), intent(inout), target, asynchronous :: g
    integer :: i
    do i = 1, npar, 37
       g%par(i) = g%par(i) + 0.125d0 ! LAGGARD: race
    end do
  end subroutine gen_perturb_pending

  subroutine evaluate(g, res)
    type(generation), intent(in) :: g
    double precision, intent(out) :: res(nres)
    integer :: k
    do k = 1, nres
       res(k) = sum(g%par(k::nres))
    end do
  end subroutine evaluate
end module ensemble

program main
  use mpi
  use ensemble
  implicit none
  type(generation), target, asynchronous :: gen(2)
  double precision, allocatable, asynchronous :: res(:), allres(:, :)
  double precision :: best, peek
  integer :: ierr, rank, nproc, step, cur, nxt, greq
  logical :: done
  character(len=16) :: mode

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  mode = 'correct'
  if (command_argument_count() >= 1) call get_command_argument(1, mode)
  call gen_new(gen(1))
  call gen_new(gen(2))
  allocate(res(nres), allres(nres, nproc))
  allres = 0.0d0
  best = 0.0d0
  peek = 0.0d0

  if (rank == 0) call gen_fill(gen(1), 1)
  call gen_bcast(gen(1))
  do step = 1, 5
     cur = 1 + modulo(step - 1, 2)
     nxt = 3 - cur
     ! the broadcast of "cur" is pending; "nxt" is free
     if (rank == 0) then
        call gen_fill(gen(nxt), step + 1)
        peek = peek + gen(cur)%par(npar)  ! root's buffer is only read by MPI
        if (mode == 'faulty' .and. step == 3) call gen_perturb_pending(gen(cur))
     end if
     call gen_wait(gen(cur))
     call gen_bcast(gen(nxt))
     call evaluate(gen(cur), res)
     gen(cur)%par(1) = 0.0d0
     call MPI_Igather(res, nres, MPI_DOUBLE_PRECISION, allres, nres, MPI_DOUBLE_PRECISION, 0, &
          MPI_COMM_WORLD, greq, ierr)
     peek = peek + res(1)
     done = .false.
     do while (.not. done)
        call MPI_Test(greq, done, MPI_STATUS_IGNORE, ierr)
     end do
     if (rank == 0) best = max(best, maxval(allres))
     res = 0.0d0
  end do
  call gen_wait(gen(1 + modulo(5, 2)))

  if (rank == 0) print '(a,f16.6)', 'best ', best
  if (peek < -1.0d300) print *, peek
  deallocate(res, allres, gen(1)%par, gen(2)%par)
  call MPI_Finalize(ierr)
end program main
