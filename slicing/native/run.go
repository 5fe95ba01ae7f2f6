package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"laggard/slicing"
	"laggard/slicing/folded"
)

// activation is a function in the context of the calls that lead to it.
type activation struct {
	f      *function
	parent *activation // nil: nothing is known of the caller
	call   int         // instruction of the parent
	depth  int         // calls descended into from the observed stack, without those of libraries
	nested int         // all of them
	caught bool        // a caller handles exceptions that leave it
	loose  bool        // it is called through a pointer, or a caller that was descended into is
}

// run is the making of one slice.
type run struct {
	ctx       context.Context
	prog      *program
	criterion slicing.Criterion
	budget    slicing.Budget
	options   Options
	files     *folded.Files
	queue     queue
	nodes     map[nodeKey]bool
	queries   map[queryKey]bool
	children  map[childKey]*activation
	entered   map[enterKey]bool
	inquired  map[*activation]bool    // calls of libraries of which it was asked what they are given
	threw     map[nodeKey]bool        // calls of which it was found why they throw
	resolved  map[nodeKey][]*function // targets of indirect calls
	sent      map[int]*activation     // of Peers that were gone to
	sentAt    map[int]int
	used      map[*module]bool
	lines     map[lineKey]*slicing.Line
	shares    map[lineKey]share
	counted   map[*function]instructions // in these
	links     map[link]bool
	places    map[nodeKey]spot
	stack     []slicing.Line // where the observed frames are
	jump      lineKey        // where the slice begins, if that is a jump that decides
	notes     []string
	truncated bool
	headers   int // of nodes, those in functions of library headers
	steps     int
	sought    int // instructions that were looked at to find what is called
	stray     map[*activation][]stray
	walked    int // instructions that were looked at for these
	led       int // of these, those whose pointer was followed
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

type lineKey struct {
	file string
	line int
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
	from     lineKey // the line that needs it
}

// later is how many dependences of others come before a search for what writes through pointers that are not known,
// which takes long.
const later = 2

// due is the distance at which an item comes.
func (it *item) due() int {
	switch {
	case it.strays != nil:
		return it.distance + later
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
	n := it.due()
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
	p.deadline, p.over = time.Now().Add(b.Time), false
	return &run{
		ctx: ctx, prog: p, criterion: c, budget: b, options: o, threw: map[nodeKey]bool{},
		nodes: map[nodeKey]bool{}, queries: map[queryKey]bool{}, children: map[childKey]*activation{},
		entered: map[enterKey]bool{}, resolved: map[nodeKey][]*function{}, sent: map[int]*activation{},
		sentAt: map[int]int{}, used: map[*module]bool{}, lines: map[lineKey]*slicing.Line{},
		shares: map[lineKey]share{}, counted: map[*function]instructions{}, links: map[link]bool{},
		places: map[nodeKey]spot{}, stray: map[*activation][]stray{}, inquired: map[*activation]bool{},
	}
}

// late tells whether the time is over.
func (p *program) late() bool {
	if !p.over {
		p.over = time.Now().After(p.deadline)
	}
	return p.over
}

func (r *run) note(text string) {
	if text != "" && !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// search goes from what is needed to what defines it, the nearest first.
func (r *run) search() {
	for r.queue.count > 0 && !r.exhausted() {
		it := r.queue.pop()
		switch {
		case it.asks:
			r.ask(it)
		case it.throws:
			r.thrown(it)
		case it.strays != nil:
			r.astray(it)
		default:
			r.visit(it)
		}
	}
}

// noTime is said of a slice that was not finished in its time. How much it had is no part of the answer: equal
// input gives equal output.
const noTime = "cut when its time was over"

// exhausted tells whether a budget ends the search, and notes which.
func (r *run) exhausted() bool {
	if r.tooFar(r.queue.next().distance) {
		return true
	}
	if len(r.nodes)-r.headers+r.headers/headerShare >= r.budget.Nodes {
		r.cut(fmt.Sprintf("cut at %d instructions", r.budget.Nodes))
		return true
	}
	if r.steps++; r.steps%64 == 0 && r.ctx.Err() != nil || r.prog.late() {
		r.cut(noTime)
		return true
	}
	return false
}

// tooFar tells whether a distance is beyond the budget, and notes that.
func (r *run) tooFar(distance int) bool {
	if r.budget.Depth <= 0 || distance <= r.budget.Depth {
		return false
	}
	r.cut(fmt.Sprintf("cut at the distance of %d dependences", r.budget.Depth))
	return true
}

func (r *run) cut(why string) {
	r.truncated = true
	r.note(why + ", nearest lines first")
}

func (r *run) push(it item) { r.queue.push(it) }
