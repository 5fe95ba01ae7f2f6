package wording

import (
	"fmt"
	"strings"

	"laggard/analysis/divergence"
)

// deviation says how the first odd line left the others.
func (n Names) deviation(d *divergence.Divergence) string {
	o := &d.Odd[0]
	who, others := o.Ranks.Phrase(), d.Agree.Phrase()
	where := fmt.Sprintf("collective %d on %s", o.Number, n.Comm(d.On))
	text := ""
	switch o.Kind {
	case divergence.LoopCount:
		if o.Fewer && o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s left the loop of %s, in which %s wait for messages, and continued to %s, %s",
				who, o.Theirs[0].Function(), others, o.Own().Function(), where)
			break
		}
		more := "more"
		if o.Fewer {
			more = "fewer"
		}
		text = fmt.Sprintf("%s executed %s iterations of the loop of %s than %s, from %s on", who, more, functions(o.Calls), others, where)
	case divergence.Skipped:
		if o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s continued to %s, %s, while %s wait for messages in %s",
				who, o.Own().Function(), where, others, o.Theirs[0].Function())
			break
		}
		text = fmt.Sprintf("%s skipped %s, %s, which %s called", who, functions(o.Calls), where, others)
	case divergence.Extra:
		if o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s called %s, %s, and %s continued without it",
				who, functions(o.Calls), where, others)
			break
		}
		text = fmt.Sprintf("%s called %s, %s, which %s did not call", who, functions(o.Calls), where, others)
	case divergence.Order:
		if o.Other != 0 {
			text = fmt.Sprintf("%s called %s, %s, and %s called %s on %s",
				who, o.Calls[0].Function(), where, others, o.Theirs[0].Function(), n.Comm(d.OtherOn))
			break
		}
		text = fmt.Sprintf("%s called %s in this order, from %s on; %s in reverse order",
			who, functions(o.Calls), where, others)
	case divergence.Arguments:
		text = fmt.Sprintf("%s called %s %s, %s; %s %s",
			who, o.Calls[0].Function(), difference(&o.Calls[0], &o.Theirs[0]), where,
			others, difference(&o.Theirs[0], &o.Calls[0]))
	case divergence.ErrorPath:
		text = fmt.Sprintf("%s went to %s instead of %s, %s, which %s called",
			who, o.Instead.Function(), o.Theirs[0].Function(), where, others)
	default:
		if o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s called %s, %s, while %s wait for messages in %s",
				who, o.Calls[0].Function(), where, others, o.Theirs[0].Function())
			break
		}
		theirs := o.Theirs[0].Function()
		if o.Instead != nil { // its call is on another object, or is for a message
			text = fmt.Sprintf("%s called %s instead of %s, %s, which %s called", who, o.Instead.Function(), theirs, where, others)
			break
		}
		switch {
		case theirs != o.Calls[0].Function():
		case n.fromSamePlace(&o.Calls[0], &o.Theirs[0]):
			theirs = "it through other callers"
		default:
			theirs = "it from a different place"
		}
		text = fmt.Sprintf("%s called %s as %s, %s called %s", who, o.Calls[0].Function(), where, others, theirs)
	}
	if more := len(d.Odd) - 1; more > 0 {
		text += fmt.Sprintf("; %d more groups of ranks differ", more)
	}
	return text
}

// fromSamePlace reports whether two calls are in the same line of the program, so that what differs is further out, such as the depth of a
// recursion.
func (n Names) fromSamePlace(a, b *divergence.Call) bool {
	if n.place == nil || a.State == nil || b.State == nil {
		return false
	}
	site := n.place(a.State)
	return site.File != "" && site == n.place(b.State)
}

// functions lists the functions of calls: "MPI_Bcast and MPI_Barrier", "MPI_Bcast 3
// times".
func functions(calls []divergence.Call) string {
	var out []string
	for i := 0; i < len(calls); {
		n := 1
		for i+n < len(calls) && calls[i+n].Function() == calls[i].Function() {
			n++
		}
		name := calls[i].Function()
		if n > 1 {
			name += fmt.Sprintf(" %d times", n)
		}
		out, i = append(out, name), i+n
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

// Root names the root of a collective, as a rank of the communicator, and behind that as one of MPI_COMM_WORLD; -1: not that.
func Root(root, rank int) string {
	if rank < 0 {
		return fmt.Sprintf("root %d", root)
	}
	return fmt.Sprintf("root %d (rank %d)", root, rank)
}

// difference says by which arguments a call differs from another one.
func difference(c, other *divergence.Call) string {
	var out []string
	if c.Root != other.Root {
		out = append(out, "with "+Root(c.Root, c.RootRank))
	}
	if c.Op != other.Op {
		out = append(out, "with "+c.Op)
	}
	if c.Bytes != other.Bytes {
		out = append(out, fmt.Sprintf("with %d bytes", c.Bytes))
	}
	return strings.Join(out, ", ")
}
