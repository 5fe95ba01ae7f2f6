package process

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

// TestWorkBeside: a thread that computes is at work, one inside MPI is not, whatever it does.
func TestWorkBeside(t *testing.T) {
	tid, over := make(chan int), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		tid <- syscall.Gettid()
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			default:
			}
		}
	}()
	r := &model.Rank{PID: os.Getpid(), Threads: []*model.Thread{{TID: <-tid, Op: model.Op{InMPI: true}}}}
	checktest.Equal(t, false, WorkBeside([]*model.Rank{r}), "inside MPI")
	r.Threads[0].Op.InMPI = false
	checktest.Equal(t, true, WorkBeside([]*model.Rank{r}), "outside")
	close(over)
}
