package share

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/model/runfiles"
)

// LeftOutNotes say which processes of a recording are not shown: other MPI jobs, and processes beyond one for each of the ranks,
// as [runfiles.Index] has them.
func LeftOutNotes(size, again int, others []runfiles.OtherJob) (notes []string) {
	if len(others) > 0 {
		notes = append(notes, otherJobsText(others))
	}
	if again > 0 {
		notes = append(notes, duplicatesText(size, again))
	}
	return notes
}

// duplicatesText says which of the processes of a rank is shown. In a job of one rank that is mostly a
// program whose MPI library does not understand its launcher: each process is alone then.
func duplicatesText(size, again int) string {
	switch {
	case size == 1:
		return fmt.Sprintf("%d processes were recorded, each the only rank of its job; only the last to start is "+
			"analysed. If they should be one job, the program's MPI does not match its launcher "+
			"(mpirun of another MPI, srun without the right --mpi): laggard doctor PROGRAM", again+1)
	case again == 1:
		return "one process has the rank of another that started later; it is ignored"
	}
	return fmt.Sprintf("%d processes have the rank of another that started later; they are ignored", again)
}

// mostKinds is how many kinds of other jobs are told.
const mostKinds = 4

// otherJobsText says how the other MPI jobs of a recording ended, and how to see them.
func otherJobsText(others []runfiles.OtherJob) string {
	number := map[runfiles.OtherJob]int{}
	var kinds []runfiles.OtherJob
	for _, job := range others {
		if number[job]++; number[job] == 1 {
			kinds = append(kinds, job)
		}
	}
	slices.SortFunc(kinds, func(a, b runfiles.OtherJob) int { return cmp.Or(int(b.State-a.State), b.Size-a.Size) })
	var told []string
	for i, kind := range kinds {
		if i == mostKinds {
			told = append(told, "others are not listed")
			break
		}
		jobs := fmt.Sprintf("%d jobs", number[kind])
		if number[kind] == 1 {
			jobs = "one job"
		}
		told = append(told, jobs+" of "+ranksOf(kind.Size)+" "+stateText(kind.State))
	}
	return fmt.Sprintf("one of %d MPI jobs in this recording is shown; of the others, %s. "+
		"To see each, start each launcher (mpirun, srun) with a laggard run of its own", len(others)+1, strings.Join(told, ", "))
}

func ranksOf(size int) string {
	if size == 1 {
		return "one rank"
	}
	return fmt.Sprintf("%d ranks", size)
}

func stateText(s runfiles.JobState) string {
	switch s {
	case runfiles.JobFinished:
		return "finished"
	case runfiles.JobFailed:
		return "failed: a rank ended before MPI_Finalize"
	}
	return "did not finish"
}
