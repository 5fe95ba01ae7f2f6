package share

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// perEventByte is how many bytes of memory an analysis takes at most for a byte of events. Measured where every call is
// wrong, and in runs without messages that arrive.
var perEventByte = map[nodefile.StreamKind]int64{nodefile.UsageStream: 160, nodefile.MovementStream: 64}

// Limit leaves out of an index what takes more than the memory, in bytes, when the events of a kind are analysed; 0:
// half of what is free. A few packed bytes can stand for any number of events, so what is too much is taken from the slots that have
// most.
func Limit(x *runfiles.Index, kind nodefile.StreamKind, memory int64) {
	var sizes []int64
	for _, s := range x.Slots {
		sizes = append(sizes, s.Events[kind])
	}
	x.LimitEvents(kind, largestShare(sizes, usableMemory(memory)/perEventByte[kind]))
}

// largestShare is how much each of several may have of a total, so that those that need less have all they need and the others
// have the same.
func largestShare(needs []int64, total int64) int64 {
	needs = slices.Sorted(slices.Values(needs))
	for i, need := range needs {
		if most := total / int64(len(needs)-i); need > most {
			return most
		}
		total -= need
	}
	return math.MaxInt64
}

// Budget is the memory in which the ranks of a share are analysed one after the other, where what is kept of their events is known only
// afterwards: far less than at worst, as a rule. Each rank is sure of as much as [Limit] would leave it, and may take what the ranks
// before it did not and no other is sure of.
type Budget struct {
	allowed int64           // bytes that may be in use in the end for all up to the rank that is read
	sure    map[place]int64 // bytes, by slot
}

type place struct {
	file string
	slot int
}

// NewBudget divides the memory, in bytes, among the slots of an index by their events of a kind; 0: half of what is free.
func NewBudget(x *runfiles.Index, kind nodefile.StreamKind, memory int64) *Budget {
	var needs []int64
	for _, s := range x.Slots {
		needs = append(needs, s.Events[kind]*perEventByte[kind])
	}
	b := &Budget{allowed: usableMemory(memory), sure: map[place]int64{}}
	most := largestShare(needs, b.allowed)
	for i, s := range x.Slots {
		sure := min(needs[i], most)
		b.sure[place{s.File, s.Slot}] = sure
		b.allowed -= sure
	}
	return b
}

// perByteHeld is how many bytes are in use at most, when ranks are compared, for each that is held once all are read. Measured with ten
// million calls.
const perByteHeld = 2

// NextRank returns what reports whether a rank, read next, has taken all that it may.
func (b *Budget) NextRank(r *model.Rank) (isFull func() bool) {
	b.allowed += b.sure[place{r.File, r.Slot}]
	allowed, live := uint64(b.allowed), []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	return func() bool {
		metrics.Read(live)
		return perByteHeld*live[0].Value.Uint64() > allowed
	}
}

// usableMemory is how much memory, in bytes, an analysis may use that was allowed so much; 0: half of what is free.
func usableMemory(allowed int64) int64 {
	if allowed == 0 {
		return freeMemory() / 2
	}
	return allowed
}

// freeMemory is how many bytes of memory this process can have: of the machine, or of the group of processes that it is in.
func freeMemory() int64 {
	bytes := int64(math.MaxInt64)
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kb int64
			if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kb); err == nil {
				bytes = kb << 10
			}
		}
	}
	text, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
		bytes = min(bytes, most)
	}
	return bytes
}
