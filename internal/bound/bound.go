package bound

// Budget is what is left for one answer. It is not safe for concurrent use. The zero Budget refuses everything.
type Budget struct {
	depth, work int
	exceeded    bool
}

// New returns a Budget for a number of levels within each other, and a number of steps in all.
func New(depth, work int) *Budget { return &Budget{depth: depth, work: work} }

// Enter takes a step, one level further in. If it returns false, nothing is left for that; else the caller calls Leave
// when it comes back.
func (b *Budget) Enter() bool {
	if b.depth <= 0 || b.work <= 0 {
		b.exceeded = true
		return false
	}
	b.depth--
	b.work--
	return true
}

// Leave ends the level of an Enter that returned true.
func (b *Budget) Leave() { b.depth++ }

// Exceeded reports whether something was refused, so that the answer is a part.
func (b *Budget) Exceeded() bool { return b.exceeded }
