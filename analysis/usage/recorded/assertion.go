package recorded

// Assertion is what a program promises of a window, as bits (MPI-3.1 §11.5.5).
type Assertion uint8

const (
	NoPrecede Assertion = 1 << iota // MPI_MODE_NOPRECEDE: the fence completes no access of the rank
	NoSucceed                       // MPI_MODE_NOSUCCEED: nor does it begin an epoch of accesses
	NoPut                           // MPI_MODE_NOPUT: nobody writes to the rank's memory until the next fence
)

// assertions are the numbers of the three, by family of MPI.
var assertions = map[string][3]int64{
	"openmpi": {2, 16, 4}, "mpich": {8192, 16384, 4096}, "abi": {2048, 16384, 4096},
}

// Asserted returns what argument assert of a call says, nothing if it is not known.
func (t *Trace) Asserted(c *Call) Assertion {
	var out Assertion
	v, _ := c.Value1("assert")
	for i, number := range assertions[t.Family] {
		if v&number != 0 {
			out |= 1 << i
		}
	}
	return out
}
