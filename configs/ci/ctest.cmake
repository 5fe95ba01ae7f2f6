# MPI tests of CTest that cannot hang the suite:
#
#   include(ctest.cmake)
#   add_mpi_test(halo 4 $<TARGET_FILE:test_halo> --size 100)
#
# LAGGARD is the program; without it the tests run as they are.
find_program(LAGGARD laggard HINTS ENV LAGGARD_HOME)
find_package(MPI REQUIRED COMPONENTS C)

function(add_mpi_test name ranks)
  set(launch ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS})
  if(LAGGARD)
    set(launch ${LAGGARD} test --timeout 60s --name ${name} -- ${launch})
  endif()
  add_test(NAME ${name} COMMAND ${launch} ${ARGN})
endfunction()
