package stopped

import (
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"laggard/binary/processor"
	"laggard/internal/procfs"
)

// Image is what can be read of a process at one moment.
type Image struct {
	PID     int
	Machine *processor.Processor // that it runs on
	Program string               // path of the program, "" unknown
	Environ []string             // variables that it was started with, as NAME=VALUE
	Signal  int                  // of which it died; 0: none, or it lives
	Maps    []Mapping
	Threads []Thread
	// Memory is the process's, by address.
	Memory io.ReaderAt
}

// Mapping is a range of addresses that has one origin.
type Mapping = procfs.Mapping

// Thread is one thread at the moment at which it was looked at.
type Thread struct {
	TID       int
	Registers processor.Registers
	// SystemCall is the number of the one that it is asleep in, -1: none, or not known.
	SystemCall int
	Ran        time.Duration // on a processor, since it began; 0 not known
	// Held: it was held to read its registers, which are then known all.
	Held bool
	// Stack is a copy of the memory from StackAt on, made together with the registers.
	Stack   []byte
	StackAt uint64
}

// MappingAt returns what is mapped at an address, nil if nothing is.
func (m *Image) MappingAt(address uint64) *Mapping {
	i := sort.Search(len(m.Maps), func(i int) bool { return m.Maps[i].Hi > address })
	if i == len(m.Maps) || m.Maps[i].Lo > address {
		return nil
	}
	return &m.Maps[i]
}

// EnvVariable returns a variable of the environment, "" if there is none.
func (m *Image) EnvVariable(name string) string {
	i := slices.IndexFunc(m.Environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	if i < 0 {
		return ""
	}
	return m.Environ[i][len(name)+1:]
}

// ThreadMemory is the memory of a process with the copy of a thread's stack before it: what
// belongs together.
func (m *Image) ThreadMemory(t *Thread) io.ReaderAt { return view{t.Stack, t.StackAt, m.Memory} }

type view struct {
	stack  []byte
	at     uint64
	memory io.ReaderAt
}

// ReadAt reads from the copy what is in it wholly.
func (v view) ReadAt(b []byte, address int64) (int, error) {
	if off := uint64(address) - v.at; off < uint64(len(v.stack)) && uint64(len(b)) <= uint64(len(v.stack))-off {
		return copy(b, v.stack[off:]), nil
	}
	return v.memory.ReadAt(b, address)
}
