package divergence

import "slices"

// Observed is the divergence before [Divergence.Decide] has asked the code: which calls the two sides
// made at the first place that differs, and not whether one was skipped, made in addition or made once
// more. It is d itself where the code cannot correct how the first odd line left the others.
func (d *Divergence) Observed() *Divergence {
	o := &d.Odd[0]
	own := o.Own()
	if o.Kind != Skipped && o.Kind != Extra && o.Kind != LoopCount || own == nil || len(o.Theirs) == 0 {
		return d
	}
	out := *d
	out.Odd = slices.Clone(d.Odd)
	o = &out.Odd[0]
	o.Kind, o.Calls, o.Fewer = Mismatch, []Call{*own}, false
	return &out
}
