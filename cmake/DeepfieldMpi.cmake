# Which MPI this is: DEEPFIELD_MPICH, and DEEPFIELD_MPI_SUMMARY for people. Each starts ranks by a launcher
# of its own (app/launch/mpirun.h).
include(CheckSymbolExists)
set(CMAKE_REQUIRED_INCLUDES ${MPI_C_INCLUDE_DIRS})
check_symbol_exists(MPICH_VERSION mpi.h DEEPFIELD_MPICH)
check_symbol_exists(OPEN_MPI mpi.h DEEPFIELD_OPEN_MPI)
unset(CMAKE_REQUIRED_INCLUDES)
if(DEEPFIELD_MPICH)
  set(DEEPFIELD_MPI_SUMMARY "MPICH, or an MPI made from it")
elseif(DEEPFIELD_OPEN_MPI)
  set(DEEPFIELD_MPI_SUMMARY "Open MPI")
else()
  set(DEEPFIELD_MPI_SUMMARY "neither Open MPI nor MPICH: --ranks calls the mpirun on PATH")
endif()
