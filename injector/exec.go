package injector

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"laggard/injector/ptrace"
)

// Exec becomes the program, which keeps the process's number, files and place
// under the launcher. If the order concerns this rank, a tracer is started
// first: helper is the command line that calls Trace with the arguments added to
// it. Exec returns only with an error.
func Exec(orderFile string, command, helper []string) error {
	order, err := ReadOrder(orderFile)
	if err != nil {
		return err
	}
	rank, err := Rank()
	if err != nil {
		return err
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return fmt.Errorf("injector: %w", err)
	}
	runtime.LockOSThread() // the thread that is traced must be the one that executes the program
	if order.tracesRank(rank) {
		if err := startTracer(orderFile, rank, helper); err != nil {
			return fmt.Errorf("injector: rank %d: %w", rank, err)
		}
	}
	environment := os.Environ()
	if order.slows(rank) && order.Strike.Fault.Kind != Steal {
		if environment, err = slowedEnvironment(order, environment); err != nil {
			return err
		}
	}
	return fmt.Errorf("injector: %s: %w", path, syscall.Exec(path, command, environment))
}

// Rank returns the process's rank as launchers tell it before MPI_Init. The
// error wraps ErrNoRank.
func Rank() (int, error) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID"} {
		if rank, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return rank, nil
		}
	}
	return 0, fmt.Errorf("injector: %w", ErrNoRank)
}

// startTracer returns when the tracer has hold of this thread. The tracer's
// parent is gone by then, so that the program has no child it does not know of.
func startTracer(orderFile string, rank int, helper []string) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	// Where Yama restricts tracing to descendants, allow it. Elsewhere the call
	// fails and is not needed.
	_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
	args := append(append([]string{}, helper[1:]...), "start", orderFile,
		strconv.Itoa(rank), strconv.Itoa(os.Getpid()), strconv.Itoa(unix.Gettid()))
	c := exec.Command(helper[0], args...)
	c.ExtraFiles = []*os.File{write}
	c.Stderr = os.Stderr
	err = c.Run()
	write.Close()
	if err != nil {
		return err
	}
	said, err := io.ReadAll(read)
	if err == nil && string(said) != "ok" {
		err = fmt.Errorf("no tracer: %s", strings.TrimSpace(string(said)))
	}
	return err
}

// Trace is the tracer's side of Exec: args are the arguments that Exec added. It
// returns when the process has been let go or has ended.
func Trace(args []string) error {
	if len(args) != 5 {
		return fmt.Errorf("injector: %w: tracer called with %q", ErrOrder, args)
	}
	if args[0] == "start" {
		return startDetached(args)
	}
	order, err := ReadOrder(args[1])
	if err != nil {
		return err
	}
	var n [3]int // rank, process, thread
	for i := range n {
		if n[i], err = strconv.Atoi(args[2+i]); err != nil {
			return fmt.Errorf("injector: %w: %w", ErrOrder, err)
		}
	}
	return onOwnThread(func() error { return traceRank(order, n[0], n[1], n[2]) })
}

// startDetached starts the real tracer, in a session of its own and without the
// rank's files: the launcher takes a file that stays open for a living rank.
func startDetached(args []string) error {
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("injector: close_range: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("injector: %w", err)
	}
	own := os.Args[:len(os.Args)-len(args)]
	c := exec.Command(self, append(append([]string{}, own[1:]...), append([]string{"follow"}, args[1:]...)...)...)
	c.ExtraFiles = []*os.File{os.NewFile(ackFile, "ack")}
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c.Start()
}

// ackFile is the tracer's end of the pipe that the rank waits at.
const ackFile = 3

// traceRank traces a rank that is about to become the program.
func traceRank(order Order, rank, pid, tid int) error {
	ack := os.NewFile(ackFile, "ack")
	told := func(r Report) error { return writeJSON(order.reportFile(rank), r) }
	if order.slows(rank) { // beside the rank, which is left alone
		fmt.Fprint(ack, "ok")
		return errors.Join(ack.Close(), stealProcessor(*order.Strike, pid, told))
	}
	p, err := ptrace.Seize(pid, tid)
	if err != nil {
		fmt.Fprint(ack, err)
		return errors.Join(err, ack.Close())
	}
	fmt.Fprint(ack, "ok")
	if err := ack.Close(); err != nil {
		return errors.Join(err, p.Detach())
	}
	if order.Strike != nil {
		if order.Strike.Fault.CausesDivergence() {
			return traceDivergence(p, order, rank, told)
		}
		return executeStrike(p, *order.Strike, told)
	}
	options := *order.Profile
	options.Rank = rank
	profile, err := takeProfile(p, options)
	return errors.Join(err, writeJSON(order.profileFile(rank), profile), p.Detach())
}

// onOwnThread calls f on a thread of its own, which ends with it: the kernel ties a
// tracer to its thread, and lets go of what the thread still traces.
func onOwnThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	return <-done
}
