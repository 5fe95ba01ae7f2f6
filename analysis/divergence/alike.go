package divergence

// IsAlike reports whether ranks parted on another communicator in the same way: a line left the many at the same collective, and both sides
// made the same calls there, as the groups of a program do that are set up alike.
func (d *Divergence) IsAlike(other *Divergence) bool {
	if d.Comm == other.Comm || len(d.Odd) != 1 || len(other.Odd) != 1 || !d.Majority || !other.Majority {
		return false
	}
	a, b := &d.Odd[0], &other.Odd[0]
	return a.Kind == b.Kind && a.Number == b.Number && a.Other == 0 && b.Other == 0 && len(a.Theirs) > 0 && len(b.Theirs) > 0 &&
		isSameCall(a.Own(), b.Own()) && isSameCall(&a.Theirs[0], &b.Theirs[0])
}

// isSameCall reports whether two calls were made at one place of the program.
func isSameCall(a, b *Call) bool {
	return a != nil && b != nil && a.State != nil && b.State != nil && a.State.ID == b.State.ID
}
