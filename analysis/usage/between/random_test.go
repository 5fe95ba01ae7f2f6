package between_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/musttest"
)

// program is a random correct program: actions that all ranks take part in, in one
// order, so that whoever is at the first open action finds all the others there or
// on the way. Requests are completed later.
type program struct {
	*rand.Rand
	ranks   int
	lines   []string
	pending [][]string // by rank: completions that are still to come
	number  int        // of requests and tags
}

func newProgram(seed uint64) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 7)), ranks: 2}
	p.ranks += p.IntN(6)
	p.pending = make([][]string, p.ranks)
	p.addLine("comm low 0-%d", p.ranks/2)
	for r := range p.ranks {
		p.addCall(r, "MPI_Type_vector(count=2, blocklength=3, stride=5, oldtype=MPI_INT) -> newtype=v")
		p.addCall(r, "MPI_Win_create(base=0x10000, size=4096, disp_unit=4) -> win=w")
		p.addCall(r, "MPI_Win_fence(win=w)")
	}
	return p
}

func (p *program) addLine(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// addCall adds a call of a rank. Now and then it completes something first.
func (p *program) addCall(r int, format string, args ...any) {
	for len(p.pending[r]) > 0 && p.IntN(3) == 0 {
		p.completeOne(r)
	}
	p.addLine("%d: "+format, append([]any{r}, args...)...)
}

func (p *program) completeOne(r int) {
	k := p.IntN(len(p.pending[r]))
	p.addLine("%d: %s", r, p.pending[r][k])
	p.pending[r] = slices.Delete(p.pending[r], k, k+1)
}

// addRequest adds the completion of a request.
func (p *program) addRequest(r int, status string) string {
	p.number++
	name := fmt.Sprintf("q%d", p.number)
	p.pending[r] = append(p.pending[r], fmt.Sprintf("MPI_Wait(request=%s) -> status=%s", name, status))
	return name
}

// twoRanks returns two different ranks.
func (p *program) twoRanks() (int, int) {
	a := p.IntN(p.ranks)
	return a, (a + 1 + p.IntN(p.ranks-1)) % p.ranks
}

// fitting are buffers of the same signature.
var fitting = []string{"count=1, datatype=v", "count=6, datatype=MPI_INT"}

func (p *program) randomBuffer() string { return fitting[p.IntN(len(fitting))] }

// actions are what a correct program does.
var actions = []func(*program){
	(*program).blockingMessage, (*program).ringExchange, (*program).nonblocking, (*program).persistent, (*program).wildcardReceive,
	(*program).probedMessage, (*program).bufferedExchange, (*program).collective, (*program).rootedCollective, (*program).begunTogether,
	(*program).fenceEpoch, (*program).lockEpochs, (*program).testedReceive,
}

func (p *program) blockingMessage() {
	a, b := p.twoRanks()
	send := []string{"MPI_Send", "MPI_Ssend", "MPI_Bsend"}[p.IntN(3)]
	tag := p.IntN(2)
	p.addCall(a, "%s(%s, dest=%d, tag=%d)", send, p.randomBuffer(), b, tag)
	p.addCall(b, "MPI_Recv(%s, source=%d, tag=%d) -> status=(%d,%d,24)", p.randomBuffer(), a, tag, a, tag)
}

// ringExchange is a ring of MPI_Sendrecv.
func (p *program) ringExchange() {
	for r := range p.ranks {
		p.addCall(r, "MPI_Sendrecv(dest=%d, sendtag=9, source=%d, recvtag=9) -> status=(%d,9,4)",
			(r+1)%p.ranks, (r+p.ranks-1)%p.ranks, (r+p.ranks-1)%p.ranks)
	}
}

func (p *program) nonblocking() {
	a, b := p.twoRanks()
	p.addCall(b, "MPI_Irecv(%s, source=%d, tag=5) -> request=%s", p.randomBuffer(), a, p.addRequest(b, fmt.Sprintf("(%d,5,24)", a)))
	p.addCall(a, "MPI_Isend(%s, dest=%d, tag=5) -> request=%s", p.randomBuffer(), b, p.addRequest(a, "nil"))
}

func (p *program) persistent() {
	a, b := p.twoRanks()
	p.number++
	s, r := fmt.Sprintf("s%d", p.number), fmt.Sprintf("r%d", p.number)
	p.addCall(a, "MPI_Send_init(dest=%d, tag=6) -> request=%s", b, s)
	p.addCall(b, "MPI_Recv_init(source=%d, tag=6) -> request=%s", a, r)
	for range 1 + p.IntN(3) {
		p.addCall(a, "MPI_Start(request=%s)", s)
		p.addCall(b, "MPI_Start(request=%s)", r)
		p.addCall(a, "MPI_Wait(request=%s)", s)
		p.addCall(b, "MPI_Wait(request=%s) -> status=(%d,6,4)", r, a)
	}
}

func (p *program) wildcardReceive() {
	a, b := p.twoRanks()
	p.number++
	tag := 100 + p.number
	p.addCall(a, "MPI_Send(dest=%d, tag=%d)", b, tag)
	if p.IntN(2) == 0 {
		p.addCall(b, "MPI_Recv(source=%d, tag=any) -> status=(%d,%d,4)", a, a, tag)
		return
	}
	p.addCall(b, "MPI_Recv(source=any, tag=%d) -> status=(%d,%d,4)", tag, a, tag)
}

func (p *program) probedMessage() {
	a, b := p.twoRanks()
	if p.IntN(2) == 0 {
		p.addCall(a, "MPI_Send(%s, dest=%d, tag=7)", p.randomBuffer(), b)
		p.addCall(b, "MPI_Probe(source=any, tag=7) -> status=(%d,7,24)", a)
		p.addCall(b, "MPI_Recv(%s, source=%d, tag=7) -> status=(%d,7,24)", p.randomBuffer(), a, a)
		return
	}
	p.number++
	p.addCall(a, "MPI_Send(%s, dest=%d, tag=8)", p.randomBuffer(), b)
	p.addCall(b, "MPI_Mprobe(source=%d, tag=8) -> message=m%d, status=(%d,8,24)", a, p.number, a)
	p.addCall(b, "MPI_Mrecv(%s, message=m%d) -> status=(%d,8,24)", p.randomBuffer(), p.number, a)
}

// bufferedExchange is the exchange that needs buffers, with buffers of the program's own.
func (p *program) bufferedExchange() {
	a, b := p.twoRanks()
	p.addCall(a, "MPI_Bsend(dest=%d, tag=8)", b)
	p.addCall(b, "MPI_Bsend(dest=%d, tag=8)", a)
	p.addCall(a, "MPI_Recv(source=%d, tag=8) -> status=(%d,8,4)", b, b)
	p.addCall(b, "MPI_Recv(source=%d, tag=8) -> status=(%d,8,4)", a, a)
}

func (p *program) collective() {
	what := []string{
		"MPI_Barrier()", "MPI_Allreduce(count=3, op=MPI_MAX)", "MPI_Allgather(sendcount=2, recvcount=2)",
		"MPI_Alltoall(sendcount=1, recvcount=1)", "MPI_Scan(count=2)", "MPI_Comm_split(color=1) -> newcomm=sub",
	}[p.IntN(6)]
	for r := range p.ranks {
		p.addCall(r, "%s", what)
	}
	for r := range p.ranks/2 + 1 {
		p.addCall(r, "MPI_Bcast(comm=low, %s, root=1)", p.randomBuffer())
	}
}

func (p *program) rootedCollective() {
	root := p.IntN(p.ranks)
	counts := strings.Trim(strings.Repeat("6,", p.ranks), ",")
	for r := range p.ranks {
		give := []string{"sendcount=1, sendtype=v", "sendcount=6"}[p.IntN(2)]
		p.addCall(r, "MPI_Gatherv(%s, recvcounts=[%s], displs=[%s], root=%d)", give, counts, counts, root)
	}
}

func (p *program) begunTogether() {
	for r := range p.ranks {
		p.addCall(r, "MPI_Ibarrier() -> request=%s", p.addRequest(r, "nil"))
		p.addCall(r, "MPI_Iallreduce(count=2) -> request=%s", p.addRequest(r, "nil"))
	}
}

func (p *program) fenceEpoch() {
	for r := range p.ranks {
		p.addCall(r, "MPI_Put(target_rank=%d, target_disp=%d, win=w)", p.IntN(p.ranks), r)
		p.addCall(r, "MPI_Accumulate(target_rank=%d, target_disp=500, win=w)", p.IntN(p.ranks))
	}
	asserts := []string{"0"}
	if p.IntN(2) == 0 {
		asserts = []string{"nosucceed", "noprecede"}
	}
	for _, assert := range asserts {
		for r := range p.ranks {
			p.addCall(r, "MPI_Win_fence(assert=%s, win=w)", assert)
		}
	}
}

// lockEpochs accesses under locks, and closes with a fence: its epoch must not have locks in it.
func (p *program) lockEpochs() {
	for range 3 {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Win_lock(lock_type=1, rank=%d, win=w)", b)
		p.addCall(a, "MPI_Put(target_rank=%d, target_disp=700, win=w)", b)
		p.addCall(a, "MPI_Win_unlock(rank=%d, win=w)", b)
	}
	for r := range p.ranks {
		p.addCall(r, "MPI_Win_fence(win=w)")
	}
}

func (p *program) testedReceive() {
	a, b := p.twoRanks()
	p.number++
	p.addCall(b, "MPI_Irecv(source=%d, tag=4) -> request=t%d", a, p.number)
	p.addCall(b, "MPI_Test(request=t%d) -> flag=0", p.number)
	p.addCall(a, "MPI_Ssend(dest=%d, tag=4)", b)
	p.addCall(b, "MPI_Test(request=t%d) -> flag=1, status=(%d,4,4)", p.number, a)
}

// addActions takes a number of actions.
func (p *program) addActions() {
	for range p.IntN(12) {
		actions[p.IntN(len(actions))](p)
	}
}

// endNormally completes what is open and finalizes.
func (p *program) endNormally() string {
	for r := range p.ranks {
		for len(p.pending[r]) > 0 {
			p.completeOne(r)
		}
	}
	for r := range p.ranks {
		p.addLine("%d: MPI_Win_fence(win=w)", r)
		p.addLine("%d: MPI_Finalize()", r)
	}
	return strings.Join(p.lines, "\n")
}

// endHanging is the end of a program in which some ranks never come back.
func (p *program) endHanging(stuck ...int) string {
	for r := range p.ranks {
		if !slices.Contains(stuck, r) {
			p.addLine("%d: MPI_Finalize() -> …", r)
		}
	}
	return strings.Join(p.lines, "\n")
}

// foundClasses judges a program.
func foundClasses(t *testing.T, text string) []string {
	t.Helper()
	traces := musttest.Get(usagetest.Parse(text))(t, text)
	var out []string
	for _, f := range judge(between.NewEvidence(digestsOf(traces)...)).WorstFirst() {
		out = append(out, f.Class)
	}
	return slices.Compact(out)
}

const programs = 300

// TestCorrectPrograms: nothing is found in a program that is correct by construction.
func TestCorrectPrograms(t *testing.T) {
	for seed := range uint64(programs) {
		p := newProgram(seed)
		p.addActions()
		p.addActions()
		text := p.endNormally()
		if got := foundClasses(t, text); len(got) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, got, text)
		}
	}
}

// mistakes are single errors, with the class that must be found and what may follow.
var mistakes = []struct {
	class, also string
	make        func(*program) (stuck []int)
}{
	{"type_mismatch", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Send(%s, dest=%d, tag=50)", p.randomBuffer(), b)
		p.addCall(b, "MPI_Recv(count=3, datatype=MPI_DOUBLE, source=%d, tag=50)", a)
		return nil
	}},
	{"truncation", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Send(%s, dest=%d, tag=50)", p.randomBuffer(), b)
		p.addCall(b, "MPI_Recv(count=5, source=any, tag=50) -> status=(%d,50,20)", a)
		return nil
	}},
	{"unmatched_message", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Isend(dest=%d, tag=50) -> request=%s", b, p.addRequest(a, "nil"))
		return nil
	}},
	{"unmatched_message", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Isend(dest=%d, tag=50) -> request=%s", b, p.addRequest(a, "nil"))
		p.addCall(b, "MPI_Irecv(source=%d, tag=51) -> request=never", a)
		return nil
	}},
	{"unmatched_message", "deadlock", func(p *program) []int {
		a, b := p.twoRanks()
		p.addLine("%d: MPI_Ssend(dest=%d, tag=50) -> …", a, b)
		p.addLine("%d: MPI_Recv(source=%d, tag=51) -> …", b, a)
		return []int{a, b}
	}},
	{"deadlock", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addLine("%d: MPI_Recv(source=%d, tag=50) -> …", a, b)
		p.addLine("%d: MPI_Recv(source=%d, tag=50) -> …", b, a)
		return []int{a, b}
	}},
	{"deadlock", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addLine("%d: MPI_Barrier() -> …", a)
		p.addLine("%d: MPI_Recv(source=%d, tag=50) -> …", b, a)
		var all []int
		for r := range p.ranks {
			if all = append(all, r); r != a && r != b {
				p.addLine("%d: MPI_Barrier() -> …", r)
			}
		}
		return all
	}},
	{"potential_deadlock", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Send(dest=%d, tag=50)", b)
		p.addCall(b, "MPI_Send(dest=%d, tag=50)", a)
		p.addCall(a, "MPI_Recv(source=%d, tag=50)", b)
		p.addCall(b, "MPI_Recv(source=%d, tag=50)", a)
		return nil
	}},
	{"collective_mismatch", "", func(p *program) []int {
		odd := p.IntN(p.ranks)
		for r := range p.ranks {
			count := 2
			if r == odd {
				count = 3
			}
			p.addCall(r, "MPI_Allreduce(count=%d)", count)
		}
		return nil
	}},
	{"collective_mismatch", "", func(p *program) []int {
		odd := p.IntN(p.ranks)
		for r := range p.ranks {
			root := 0
			if r == odd {
				root = 1
			}
			p.addCall(r, "MPI_Reduce(root=%d)", root)
		}
		return nil
	}},
	{"collective_mismatch", "deadlock", func(p *program) []int {
		odd := p.IntN(p.ranks)
		var all []int
		for r := range p.ranks {
			name := "MPI_Barrier"
			if r == odd {
				name = "MPI_Bcast"
			}
			p.addLine("%d: %s() -> …", r, name)
			all = append(all, r)
		}
		return all
	}},
	{"one_sided", "", func(p *program) []int {
		a, b := p.twoRanks()
		p.addCall(a, "MPI_Put(target_rank=0, target_disp=900, win=w)")
		p.addCall(b, "MPI_Get(target_rank=0, target_disp=900, win=w)")
		return nil
	}},
}

// TestMistakes: a single error in a correct program is found as what it is, and
// nothing else but what follows from it.
func TestMistakes(t *testing.T) {
	for k, m := range mistakes {
		for seed := range uint64(programs / 10) {
			p := newProgram(seed + 1000)
			p.addActions()
			stuck := m.make(p)
			var text string
			if stuck == nil {
				p.addActions()
				text = p.endNormally()
			} else {
				text = p.endHanging(stuck...)
			}
			got := foundClasses(t, text)
			unknown := slices.ContainsFunc(got, func(c string) bool { return c != m.class && c != m.also })
			if !slices.Contains(got, m.class) || unknown {
				t.Fatalf("mistake %d (%s), seed %d: found %v\n%s", k, m.class, seed, got, text)
			}
		}
	}
}
