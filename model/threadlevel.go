package model

// ThreadMultiple is the level MPI_THREAD_MULTIPLE of Rank.ThreadLevel.
const ThreadMultiple = 3

// ThreadLevels are the names of the levels, by their number.
var ThreadLevels = [...]string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}
