package chaintest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomScript writes a job whose ranks do anything with a few buffers.
func RandomScript(rng *rand.Rand) string {
	n := 1 + rng.IntN(6)
	var b strings.Builder
	fmt.Fprintf(&b, "size %d\n", n)
	for r := range n {
		fmt.Fprintf(&b, "on %d\n", r)
		for i := range 4 {
			fmt.Fprintf(&b, "alloc b%d 256 s%d\n", i, rng.IntN(3))
		}
		for range rng.IntN(120) {
			buffer := func() string { return fmt.Sprintf("b%d+%d", rng.IntN(4), 8*rng.IntN(24)) }
			length, peer := 8*(1+rng.IntN(8)), rng.IntN(n)
			switch rng.IntN(8) {
			case 0, 1, 2:
				fmt.Fprintf(&b, "copy c%d %s %s %d\n", rng.IntN(3), buffer(), buffer(), length)
			case 3:
				fmt.Fprintf(&b, "send w%d %s %d %d\n", rng.IntN(2), buffer(), length, peer)
			case 4:
				fmt.Fprintf(&b, "recv r%d %s %d %d\n", rng.IntN(2), buffer(), length, peer)
			case 5:
				fmt.Fprintf(&b, "msend m %s %d %d %d\n", buffer(), length, peer, rng.IntN(2))
			case 6:
				fmt.Fprintf(&b, "mrecv n %s %d %d %d\n", buffer(), length, peer, rng.IntN(2))
			case 7:
				fmt.Fprintf(&b, "thread %d\n", rng.IntN(3))
			}
		}
		b.WriteString("end\n")
	}
	return b.String()
}
