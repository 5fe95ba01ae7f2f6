package sight

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"laggard/model/nodefile"
)

// The recorder has the kernel note the end of a process in the node file, by a futex
// on the robust list of its own thread there. That comes before the connections of the
// process are closed, by which a launcher learns of the end and ends the other ranks;
// what the kernel reports of the process itself comes after it.
const (
	ownerDied = 0x40000000      // FUTEX_OWNER_DIED
	perWait   = 128             // FUTEX_WAITV_MAX
	futex32   = 2               // FUTEX_32: of 32 bits, between processes
	lately    = 2 * time.Second // a process ends so soon after that thread, if both are killed
)

// waiter is struct futex_waitv of Linux 5.16.
type waiter struct {
	value, address uint64
	flags, _       uint32
}

// awaitEndings has somebody wait for the kernel's notes about the slots there are.
func (s *Sight) awaitEndings(slots int) {
	for ; s.awaited < min(slots, nodefile.MaxEndings); s.awaited += perWait {
		first := s.awaited
		s.waiting.Go(func() { s.watchEndings(first) })
	}
}

// watchEndings notes when the kernel noted ends, of the slots from first on, until the
// watching is over. A kernel that cannot wait for many futexes ends it.
func (s *Sight) watchEndings(first int) {
	for !s.over.Load() {
		words, died := s.readKernelNotes(first)
		s.recordEndings(died, time.Now())
		if !awaitFutexes(words, s.pause()) {
			return
		}
	}
}

// readKernelNotes returns those words of the kernel's notes that may change yet, and the slots of
// the others. There are none if the file was cut short.
func (s *Sight) readKernelNotes(first int) (open []waiter, died []int) {
	whole := readMapped(func() {
		for slot := first; slot < min(first+perWait, nodefile.MaxEndings); slot++ {
			word := (*uint32)(unsafe.Pointer(&s.head[nodefile.EndingsAt+4*slot]))
			if v := atomic.LoadUint32(word); v&ownerDied != 0 {
				died = append(died, slot)
			} else { // also one that no process has yet, as it may come and die before the next look
				open = append(open, waiter{uint64(v), uint64(uintptr(unsafe.Pointer(word))), futex32, 0})
			}
		}
	})
	if !whole {
		return nil, nil
	}
	return open, died
}

// recordEndings keeps when ends were first seen.
func (s *Sight) recordEndings(slots []int, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range slots {
		if s.ending[slot].IsZero() {
			s.ending[slot] = now
		}
	}
}

// awaitFutexes waits for one of the words to change; false: the kernel cannot.
func awaitFutexes(words []waiter, pause time.Duration) bool {
	if len(words) == 0 {
		time.Sleep(pause)
		return true
	}
	var until unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &until)
	until = unix.NsecToTimespec(until.Nano() + int64(pause))
	_, _, err := unix.Syscall6(unix.SYS_FUTEX_WAITV, uintptr(unsafe.Pointer(&words[0])), uintptr(len(words)), 0,
		uintptr(unsafe.Pointer(&until)), unix.CLOCK_MONOTONIC, 0)
	return err != unix.ENOSYS && err != unix.EPERM
}

// areEndsNoted reports whether the kernel noted the end of each process that has ended, shortly
// before, and one was seen to be the first.
func (s *Sight) areEndsNoted() bool {
	var first time.Time
	firsts := 0
	for slot, w := range s.ranks {
		gone := w.seen.Gone
		if gone.IsZero() {
			continue
		}
		if slot >= len(s.ending) || s.ending[slot].IsZero() || gone.Sub(s.ending[slot]) > lately {
			return false
		}
		switch at := s.ending[slot]; {
		case firsts == 0 || at.Before(first):
			first, firsts = at, 1
		case at.Equal(first):
			firsts++
		}
	}
	return firsts == 1
}
