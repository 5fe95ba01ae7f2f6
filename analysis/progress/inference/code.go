package inference

// Code is the dependence between two positions, given in some order (PDI
// Figure 5, line 7).
type Code uint8

// The codes, as in the paper. They are bits, so that the union of two
// dependences is their bitwise OR.
const (
	Null      Code = 0 // no dependence: different execution branches
	Forward   Code = 1 // first → second: the first waits for the second
	Backward  Code = 2 // second → first: the second waits for the first
	Undefined Code = 3 // the probabilities do not tell, or two models disagree
)

// Union joins what two models say of the same pair in the same order (PDI
// Table 2).
func (c Code) Union(d Code) Code { return c | d }

// Swap returns the code for the pair in the other order.
func (c Code) Swap() Code { return (c&1)<<1 | c>>1 }

// String returns the paper's sign for the code of the pair (i, j).
func (c Code) String() string {
	return [...]string{"null", "i→j", "i←j", "i?j"}[c&3]
}

// Dependence returns the code of the pair (i, j), given the probability that a
// rank in i ever reaches j, and that a rank in j ever reaches i (PDI Table 1).
// Who must still come to the other's place is behind, and waited for. Both
// are compared with 0 and 1 exactly: see Chain.Reach.
func Dependence(ij, ji float64) Code {
	switch {
	case ij == 1 && ji == 1:
		return Undefined
	case ij == 1:
		return Backward
	case ji == 1:
		return Forward
	case ij > 0 && ji > 0:
		return Undefined
	case ij > 0:
		return Backward
	case ji > 0:
		return Forward
	}
	return Null
}
