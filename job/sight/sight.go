package sight

import (
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"laggard/job/rundir"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/process"
)

const (
	round   = 100 * time.Millisecond // between two looks for new ranks
	perLook = 10                     // rounds between two looks for stopped processes
	known   = 5 * time.Second        // without a new rank; then a look for new ones comes with each for stopped processes
	settled = 2 * time.Second        // how long ranks may outlive their launcher
	halt    = 5 * time.Second / 2    // how long a process must be found stopped to count as such
)

// Sight watches the ranks of this node.
type Sight struct {
	dir   string // where the node file is or will be
	mu    sync.Mutex
	file  string // the node file, "" not there yet
	head  []byte // its first page, mapped: to look at it costs the file system nothing
	epoll int    // -1: the kernel tells of no ends; then they are looked for
	wake  int    // an event that ends its waiting; -1: there is none
	ranks map[int]*watchedProcess
	apart int // processes that are not watched, since their numbers count in a container only

	ending  [nodefile.MaxEndings]time.Time // by slot: when the kernel was first seen to have noted an end
	awaited int                            // the slots below it are waited for
	waiting sync.WaitGroup                 // those who do
	over    atomic.Bool                    // they are to end

	slots int       // that had been given out at the latest look
	grown time.Time // when there were more than before

	last time.Time // the latest end
	next time.Time // when the node file may be read again
	news bool      // something was seen that is not written down
}

// watchedProcess is a process that was found in the node file.
type watchedProcess struct {
	rank *model.Rank
	fd   int // of the process; -1: none, or it has ended
	seen process.Observation
	held time.Time // since when it is stopped; zero: it is not
}

// New watches the ranks whose node file is in a directory.
func New(dir string) *Sight {
	s := &Sight{dir: dir, ranks: map[int]*watchedProcess{}, wake: -1}
	var err error
	if s.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		s.epoll = -1
	}
	return s
}

// WatchUntil watches until over is closed and then until all ranks seen have ended, but
// not for long.
func (s *Sight) WatchUntil(over <-chan struct{}) {
	s.wakeAfter(over)
	var ended time.Time
	for n := 0; ; n++ {
		pause := s.pause()
		s.awaitEnds(pause)
		s.mu.Lock()
		s.findProcesses()
		if n%perLook == 0 || pause > round {
			s.checkProcesses()
		}
		live := s.countLive()
		if s.news && (live == 0 || time.Since(s.last) > round) {
			s.writeSightings(false)
		}
		s.mu.Unlock()
		select {
		case <-over:
			if ended.IsZero() {
				ended = time.Now()
			}
			if live == 0 || time.Since(ended) > settled {
				s.close()
				return
			}
		default:
		}
	}
}

// wakeAfter has the waiting for the ends of processes end when over is closed, so that a suite of many short programs
// does not last a round longer for each.
func (s *Sight) wakeAfter(over <-chan struct{}) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return
	}
	once := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: -1} // that is no rank
	if unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &once) != nil {
		unix.Close(fd)
		return
	}
	s.wake = fd
	go func() {
		<-over
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.wake >= 0 {
			_, _ = unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		}
	}()
}

// WriteNow writes down now what is seen of all processes.
func (s *Sight) WriteNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findProcesses()
	s.checkProcesses()
	s.writeSightings(true)
}

// pause is how long to wait for ends before the next look. Each look takes a processor from a rank for a moment, so there are few once all
// ranks are known, whose ends the kernel tells.
func (s *Sight) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == 0 || s.slots > len(s.ranks)+s.apart || s.news || s.wake < 0 || time.Since(s.grown) < known {
		return round
	}
	return perLook * round
}

// awaitEnds waits for processes to end. The kernel lists them in the order in
// which they did.
func (s *Sight) awaitEnds(pause time.Duration) {
	if s.epoll < 0 {
		time.Sleep(pause)
		return
	}
	events := make([]unix.EpollEvent, 64)
	n, err := unix.EpollWait(s.epoll, events, int(pause.Milliseconds()))
	if err != nil || n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events[:n] {
		if w := s.ranks[int(e.Fd)]; w != nil && w.fd >= 0 {
			s.noteGone(w)
		}
	}
}

// noteGone notes the end of a process.
func (s *Sight) noteGone(w *watchedProcess) {
	now := time.Now()
	if !now.After(s.last) {
		now = s.last.Add(1)
	}
	w.seen.Gone, s.last, s.news = now, now, true
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}

// findProcesses finds the processes that have come since the last time.
func (s *Sight) findProcesses() {
	if s.head == nil && !s.mapNodeFile() {
		return
	}
	begin := time.Now()
	slots := s.slotCount()
	if slots > s.slots {
		s.slots, s.grown = slots, begin
	}
	s.awaitEndings(slots)
	if slots <= len(s.ranks)+s.apart || begin.Before(s.next) {
		return
	}
	if run := rundir.OpenOwn(s.dir); run != nil {
		s.apart = 0
		for _, r := range run.Processes() {
			switch {
			case !process.IsLocal(r, r.Host): // the file is this node's own
				s.apart++
			case s.ranks[r.Slot] == nil && r.PID > 0:
				s.addRank(r)
			}
		}
	}
	s.next = time.Now().Add(20 * time.Since(begin)) // a twentieth of a core
}

// slotCount is how many slots have been given out; 0 if the file was cut short.
func (s *Sight) slotCount() (n int) {
	readMapped(func() { n = int(atomic.LoadUint32((*uint32)(unsafe.Pointer(&s.head[nodefile.SlotCountAt])))) })
	return n
}

// readMapped reads the first page; false if the file was cut short.
func readMapped(read func()) (ok bool) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() { ok = recover() == nil }()
	read()
	return true
}

func (s *Sight) mapNodeFile() bool {
	if s.file = rundir.OwnFile(s.dir); s.file == "" {
		return false
	}
	file, err := os.Open(s.file)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() < int64(os.Getpagesize()) {
		return false
	}
	s.head, err = unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	return err == nil
}

func (s *Sight) addRank(r *model.Rank) {
	w := &watchedProcess{rank: r, fd: -1, seen: process.Observation{Slot: r.Slot, PID: r.PID}}
	s.ranks[r.Slot] = w
	if s.epoll >= 0 {
		if fd, err := unix.PidfdOpen(r.PID, 0); err == nil {
			w.fd = fd
			end := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(r.Slot)}
			_ = unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &end)
		}
	}
	if process.StateOf(r) == process.Gone { // before it was watched, or its number is another's
		s.noteGone(w)
	}
}

// checkProcesses sees which processes are stopped, and which have ended where the kernel does
// not tell.
func (s *Sight) checkProcesses() {
	for _, w := range s.ranks {
		if !w.seen.Gone.IsZero() {
			continue
		}
		switch process.StateOf(w.rank) {
		case process.Stopped:
			if !process.IsTraced(w.rank) { // by whoever looks at the job
				s.noteStopped(w, time.Now())
			}
		case process.Alive:
			s.news = s.news || !w.seen.Stopped.IsZero()
			w.held, w.seen.Stopped = time.Time{}, time.Time{}
		case process.Gone:
			if w.fd < 0 {
				s.noteGone(w)
			}
		}
	}
}

// noteStopped notes a process that is stopped, unless that may be for a moment only, as
// a tracer does it at each system call.
func (s *Sight) noteStopped(w *watchedProcess, now time.Time) {
	if w.held.IsZero() {
		w.held = now
	}
	if w.seen.Stopped.IsZero() && now.Sub(w.held) >= halt {
		w.seen.Stopped, s.news = w.held, true
	}
}

// countLive counts the processes that have not ended.
func (s *Sight) countLive() (n int) {
	for _, w := range s.ranks {
		if w.seen.Gone.IsZero() {
			n++
		}
	}
	return n
}

// writeSightings writes down what was seen, if all is to be told or a rank was stopped or
// ended before it was done with MPI.
func (s *Sight) writeSightings(all bool) {
	s.news = false
	run := rundir.OpenOwn(s.dir)
	if run == nil {
		return
	}
	out := process.Observations{Processes: []process.Observation{}}
	noted := s.areEndsNoted()
	for _, r := range run.Processes() {
		if w := s.ranks[r.Slot]; w != nil {
			seen := w.seen
			if noted && !seen.Gone.IsZero() {
				seen.Gone, seen.Noted = s.ending[r.Slot], true
			}
			out.Processes = append(out.Processes, seen)
			all = all || r.Phase < model.Finalized && (!w.seen.Gone.IsZero() || !w.seen.Stopped.IsZero())
		}
	}
	if all {
		_ = out.Write(s.file) // a full disk must not end the watching
	}
}

func (s *Sight) close() {
	s.over.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.ranks {
		if w.fd >= 0 {
			unix.Close(w.fd)
		}
	}
	if s.epoll >= 0 {
		unix.Close(s.epoll)
	}
	if s.wake >= 0 {
		unix.Close(s.wake)
		s.wake = -1
	}
	if s.head != nil {
		go func() { s.waiting.Wait(); unix.Munmap(s.head) }()
	}
}
