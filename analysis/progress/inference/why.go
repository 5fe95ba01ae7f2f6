package inference

// Why is why an algorithm puts a rank ahead of another, or does not know which is.
type Why struct {
	Kind WhyKind
	// More and Fewer are what the two ranks have begun: collectives, or iterations of the loop on a level of those around both, from 1.
	More, Fewer uint64
	Level       int
	// From leads to To with probability Reach, and back with Back.
	From, To    Spot
	Reach, Back float64
}

// WhyKind is what an order of two ranks is known by.
type WhyKind int

// The kinds, of the loop-aware algorithm up to MixedOrder and of PDI.
const (
	ByCollectives WhyKind = iota // one has begun more on MPI_COMM_WORLD
	ByIterations                 // one is in a later iteration
	ByReturn                     // one has left the call that the other is in
	ByCourse                     // the program leads from one to the other
	MixedOrder                   // undefined: ranks go through the loop in different orders
	ByProbability                // the model of one leads to the other
	LeadBoth                     // undefined: each leads to the other
)

// Spot is a position in the words of MPI.
type Spot struct {
	Call  string // that ranks are in or made last; "" unknown
	Begun bool   // not before the first call
	InMPI bool
}
