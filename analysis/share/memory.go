package share

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// perEventByte is how many bytes of memory an analysis takes at most for a byte of events. Measured where every call is
// wrong, and in runs without messages that arrive.
var perEventByte = map[nodefile.StreamKind]int64{nodefile.UsageStream: 160, nodefile.MovementStream: 64}

// Limit leaves out of an index what takes more than the memory, in bytes, when the events of a kind are analysed; 0:
// half of what is free.
func Limit(x *runfiles.Index, kind nodefile.StreamKind, memory int64) {
	if memory == 0 {
		memory = freeMemory() / 2
	}
	x.LimitEvents(kind, memory/perEventByte[kind])
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
