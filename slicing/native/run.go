package native

import (
	"context"
	"fmt"
	"slices"

	"laggard/slicing"
	"laggard/slicing/folded"
)

// activation is a function in the context of the calls that lead to it.
type activation struct {
	f          *function
	parent     *activation // nil: nothing is known of the caller
	call       int         // instruction of the parent
	depth      int         // calls descended into from the observed stack, without those of libraries
	nested     int         // all of them
	caught     bool        // a caller handles exceptions that leave it
	viaPointer bool        // it is called through a pointer, or a caller that was descended into is
}

// run is the making of one slice.
type run struct {
	prog            *program
	criterion       slicing.Criterion
	budget          slicing.Budget
	options         Options
	files           *folded.Files
	queue           queue
	nodes           map[nodeKey]bool
	queries         map[queryKey]bool
	children        map[childKey]*activation
	entered         map[enterKey]bool
	askedLibrary    map[*activation]bool    // calls of libraries of which it was asked what they are given
	explainedThrows map[nodeKey]bool        // calls of which it was found why they throw
	resolved        map[nodeKey][]*function // targets of indirect calls
	peerActivations map[int]*activation     // of Peers that were gone to
	peerCalls       map[int]int
	used            map[*module]bool
	lines           map[slicing.LineID]*slicing.Line
	shares          map[slicing.LineID]share
	counted         map[*function]instructions // in these
	links           map[link]bool
	spots           map[nodeKey]spot
	stack           []slicing.Line // where the observed frames are
	jump            slicing.LineID // where the slice begins, if that is a jump that decides
	notes           []string
	truncated       bool
	headers         int // of nodes, those in functions of library headers
	searchSteps     int // instructions that were looked at to find what is called
	knownStrays     map[*activation][]stray
	strayScanned    int  // instructions that were looked at for these
	tracedStrays    int  // of these, those whose pointer was followed
	partial         bool // what is known of the program may be a part, as the time of a search within the answer was over
}

type nodeKey struct {
	a *activation
	i int
}

type queryKey struct {
	nodeKey
	p place
}

type childKey struct {
	nodeKey
	callee *function
}

type enterKey struct {
	a *activation
	p place
	i int // atReturn or atThrow
}

// item is a step of the search. With a place it asks what defines it before
// instruction i; with throws, why call i throws an exception; with strays, what in these calls writes the place through
// a pointer that is not known; else instruction i itself is in the slice.
type item struct {
	nodeKey
	asks     bool
	throws   bool
	strays   []int // calls
	place    place
	kind     slicing.Kind
	distance int
	from     slicing.LineID // the line that needs it
}

// strayDelay is how many dependences of others come before a search for what writes through pointers that are not known,
// which takes long.
const strayDelay = 2

// dueDistance is the distance at which an item comes.
func (it *item) dueDistance() int {
	switch {
	case it.strays != nil:
		return it.distance + strayDelay
	case it.asks && it.i < 0: // its call is on a line of its own
		return it.distance + 1
	}
	return it.distance
}

// queue has the nearest items first, and those that are equally near in the order in which they came.
type queue struct {
	due   [][]item // by when they come
	first int      // of these, where the next item is
	count int
}

func (q *queue) push(it item) {
	n := it.dueDistance()
	for len(q.due) <= n {
		q.due = append(q.due, nil)
	}
	if q.count == 0 || n < q.first {
		q.first = n
	}
	q.due[n] = append(q.due[n], it)
	q.count++
}

// next is the item that comes next; there must be one.
func (q *queue) next() *item {
	for len(q.due[q.first]) == 0 {
		q.first++
	}
	return &q.due[q.first][0]
}

func (q *queue) pop() item {
	it := *q.next()
	q.due[q.first] = q.due[q.first][1:]
	q.count--
	return it
}

func newRun(ctx context.Context, p *program, c slicing.Criterion, b slicing.Budget, o Options) *run {
	if b.Time <= 0 {
		b.Time = defaultTime
	}
	if b.Nodes <= 0 {
		b.Nodes = defaultNodes
	}
	p.beginAnswer(ctx, b.Time)
	return emptyRun(p, c, b, o)
}

// emptyRun is a run that shares the time of the answer that was begun.
func emptyRun(p *program, c slicing.Criterion, b slicing.Budget, o Options) *run {
	return &run{
		prog: p, criterion: c, budget: b, options: o, explainedThrows: map[nodeKey]bool{},
		nodes: map[nodeKey]bool{}, queries: map[queryKey]bool{}, children: map[childKey]*activation{},
		entered: map[enterKey]bool{}, resolved: map[nodeKey][]*function{}, peerActivations: map[int]*activation{},
		peerCalls: map[int]int{}, used: map[*module]bool{}, lines: map[slicing.LineID]*slicing.Line{},
		shares: map[slicing.LineID]share{}, counted: map[*function]instructions{}, links: map[link]bool{},
		spots: map[nodeKey]spot{}, knownStrays: map[*activation][]stray{}, askedLibrary: map[*activation]bool{},
	}
}

func (r *run) addNote(text string) {
	if text != "" && !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// searchBackward goes from what is needed to what defines it, the nearest first.
func (r *run) searchBackward() {
	for r.queue.count > 0 && !r.budgetExhausted() {
		it := r.queue.pop()
		switch {
		case it.asks:
			r.visitor().askPlace(it)
		case it.throws:
			r.followThrow(it)
		case it.strays != nil:
			r.followStrays(it)
		default:
			r.visitor().visitInst(it)
		}
	}
}

// budgetExhausted reports whether a budget ends the search, and notes which.
func (r *run) budgetExhausted() bool {
	if r.beyondDepth(r.queue.next().distance) {
		return true
	}
	if len(r.nodes)-r.headers+r.headers/headerShare >= r.budget.Nodes {
		r.markTruncated(fmt.Sprintf("cut at %d instructions", r.budget.Nodes))
		return true
	}
	if r.queue.count > maxQueued {
		r.markTruncated(fmt.Sprintf("cut at %d open dependences", maxQueued))
		return true
	}
	if r.prog.timeOver() {
		r.markTruncated(r.prog.limitReached())
		return true
	}
	return false
}

// maxQueued bounds what is still to be followed, and so the memory of a search: in a large program the calls by which an
// exception may have come are millions, as each is followed for each way to it.
const maxQueued = 500_000

// beyondDepth reports whether a distance is beyond the budget, and notes that.
func (r *run) beyondDepth(distance int) bool {
	if r.budget.Depth <= 0 || distance <= r.budget.Depth {
		return false
	}
	r.markTruncated(fmt.Sprintf("cut at the distance of %d dependences", r.budget.Depth))
	return true
}

func (r *run) markTruncated(why string) {
	r.truncated = true
	r.addNote(why + ", nearest lines first")
}

func (r *run) push(it item) { r.queue.push(it) }
