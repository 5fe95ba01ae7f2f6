//go:build e2e && long

package e2e

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"laggard/analysis/usage/recorded"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/mpi"
)

// attachScore counts what was said of hangs that nobody recorded.
type attachScore struct {
	sync.Mutex
	jobs, exact    int // all; those whose least progressed ranks are all and alone named
	named, line    int // ranks named rightly; of these, with the right line
	wrong          int // named wrongly with a confidence above 0.5
	known, values  map[string]int
	wrongArguments []string
}

// TestAttachScore looks at every hang of the tests from outside, living and in core files. What is said of the
// arguments is held against the same program recorded. The goals are those of docs/results/accuracy.md.
func TestAttachScore(t *testing.T) {
	builds := []struct {
		name  string
		flags []string
		goal  float64 // of the arguments
	}{{"O0", []string{"-O0"}, 1}, {"O2", []string{"-O2"}, 0.9}, {"stripped", []string{"-O2", "-s"}, 0.6}}
	scores := map[string]*attachScore{}
	for _, name := range []string{"O0", "O2", "stripped", "cores"} {
		scores[name] = &attachScore{known: map[string]int{}, values: map[string]int{}}
	}
	truths := new(sync.Map)
	t.Run("jobs", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) {
			for i, s := range slices.Concat(hangs, blocking) {
				for k, build := range builds {
					if !s.runsAsCase(f, i+k) {
						continue
					}
					t.Run(s.String()+"/"+build.name, func(t *testing.T) {
						t.Parallel()
						once, _ := truths.LoadOrStore(f.String()+s.String(),
							sync.OnceValue(func() recordedHang { return f.recordHang(t, s) }))
						x := attachTrial{family: f, scenario: s, truth: once.(func() recordedHang)(), env: f.runEnvironment(t)}
						x.program = f.buildProgram(t, s.source, append(slices.Clone(build.flags), s.flags...)...)
						var cores *attachScore
						if build.name == "O0" {
							cores = scores["cores"]
						}
						x.runTrial(t, scores[build.name], cores, build.name != "stripped")
					})
				}
			}
		})
	})
	for _, build := range builds {
		scores[build.name].checkScore(t, build.name, 0.85, build.goal)
	}
	scores["cores"].checkScore(t, "cores", 0.8, 1)
}

func (x *attachScore) checkScore(t *testing.T, name string, exact, arguments float64) {
	text := fmt.Sprintf("%s: %d jobs: exact %.2f; right line of %d named %.2f; wrong above 0.5: %d;", name, x.jobs,
		ratio(x.exact, x.jobs), x.named, ratio(x.line, x.named), x.wrong)
	for _, kind := range slices.Sorted(maps.Keys(x.values)) {
		got := ratio(x.known[kind], x.values[kind])
		text += fmt.Sprintf(" %s %.2f of %d;", kind, got, x.values[kind])
		if got < arguments && !strings.HasPrefix(kind, "request") {
			t.Errorf("%s: %s recovered of %.2f, want %.2f", name, kind, got, arguments)
		}
	}
	t.Log(text)
	lines := name == "stripped" || ratio(x.line, x.named) >= 0.95
	if ratio(x.exact, x.jobs) < exact || !lines || x.wrong > 0 || len(x.wrongArguments) > 0 {
		t.Errorf("%s: want exact %.2f, lines 0.95, nothing wrong; wrong arguments %q", name, exact, x.wrongArguments)
	}
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// recordedHang is a hang as recorded.
type recordedHang struct {
	*model.Run
	traces []*recorded.Trace
}

func (f family) recordHang(t *testing.T, s scenario) recordedHang {
	env := f.runEnvironment(t, "LAGGARD_RECORD=usage")
	dir := filepath.Join(t.TempDir(), "run")
	j := f.startRecorded(t, dir, env, s.rankCount(), nil, f.buildProgram(t, s.source, "-O0"), s.mode)
	j.awaitHang()
	run := recordedHang{openRun(t, dir), usageTraces(t, dir)}
	j.killTree()
	return run
}

// elementCounts are the numbers of elements of the call that the first thread of a rank is in, in order.
func (r recordedHang) elementCounts(rank int) (out []string) {
	i := slices.IndexFunc(r.traces, func(x *recorded.Trace) bool { return x.Rank == rank })
	if i < 0 {
		return nil
	}
	for _, c := range slices.Backward(callsOf(r.traces[i])) {
		if c.Thread > 0 {
			continue
		}
		for k, p := range c.Func.Params[:max(len(c.Func.Params)-1, 0)] {
			elements := !p.Ref && p.Kind == mpi.Int && c.Func.Params[k+1].Kind == mpi.Datatype
			if c.Return == 0 && elements && len(c.In[k]) == 1 {
				out = append(out, fmt.Sprintf("%s %d", p.Name, c.In[k][0]))
			}
		}
		return out
	}
	return nil
}

// attachTrial is a job that hangs without a recorder.
type attachTrial struct {
	family
	scenario
	program string
	truth   recordedHang
	env     []string
}

func (x *attachTrial) runTrial(t *testing.T, live, cores *attachScore, lines bool) {
	j := startJob(t, x.env, nil, append(x.launchCommand(x.rankCount()), x.program, x.mode)...)
	var pids []int
	j.eventually("all ranks", func() bool {
		pids = programPIDs(t, x.env, x.program)
		return j.hasEnded() || len(pids) == x.rankCount()
	})
	dir, got := attachUntilStill(t, x.env, x.program, x.rankCount())
	if got.status != exitDone {
		t.Errorf("attach: %+v", got)
	}
	x.scoreDiagnosis(t, "attached", dir, live, lines)
	if cores == nil {
		return
	}
	for _, pid := range pids { // ranks that spin would keep the debugger from its work
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	dir = filepath.Join(t.TempDir(), "cores")
	args := []string{laggardPath(t), "import", "-o", dir}
	for _, pid := range pids {
		core := filepath.Join(t.TempDir(), "core")
		musttest.Run(t, exec.Command("timeout", "100", "gcore", "-o", core, strconv.Itoa(pid)))
		args = append(args, fmt.Sprintf("%s.%d", core, pid))
	}
	runCommand(t, x.env, args...).mustSucceed(t)
	x.scoreDiagnosis(t, "cores", dir, cores, lines)
}

// scoreDiagnosis adds what is said of the job.
func (x *attachTrial) scoreDiagnosis(t *testing.T, how, dir string, score *attachScore, lines bool) {
	a, run := runDiagnose(t, x.env, dir), openRun(t, dir)
	score.Lock()
	defer score.Unlock()
	score.jobs++
	named := a.LeastProgressed
	switch {
	case named != nil && slices.Equal(named.Ranks, x.least):
		score.exact++
		for _, l := range named.Locations {
			score.named++
			if lines && slices.ContainsFunc(l.Stack, func(f frame) bool { return x.isMarked(t, f) }) {
				score.line++
			} else if lines {
				t.Logf("%s: rank %d is told to be in %+v", how, l.Rank, l.frame)
			}
		}
	case named == nil:
		t.Logf("%s: nobody is named, want %v", how, x.least)
	default:
		t.Logf("%s: named %v with %.2f, want %v", how, named.Ranks, named.Confidence, x.least)
		if named.Confidence > 0.5 {
			score.wrong++
		}
	}
	for _, got := range run.Ranks {
		if i := slices.IndexFunc(x.truth.Ranks, func(r *model.Rank) bool { return r.Rank == got.Rank }); i >= 0 {
			score.scoreArguments(t, how, x.truth.Ranks[i], got, x.truth.elementCounts(got.Rank))
		}
	}
}

var noted = regexp.MustCompile(`\b\w*count -?\d+`)

// scoreArguments compares what is known of the call that a rank is in, where the same call was recorded.
func (x *attachScore) scoreArguments(t *testing.T, how string, want, got *model.Rank, counts []string) {
	if len(want.Threads) == 0 || len(got.Threads) == 0 {
		return
	}
	w, g := want.Threads[0], got.Threads[0]
	if !w.Op.InMPI || !g.Op.InMPI || w.Op.State < 0 || g.Op.State < 0 ||
		w.Model.States[w.Op.State].Call != g.Model.States[g.Op.State].Call {
		return
	}
	call := w.Model.States[w.Op.State].Call
	prefix := ""
	if f := mpi.FindFunction(call); f == nil || f.ParamIndex("comm") < 0 && f.ParamIndex("win") < 0 && f.ParamIndex("fh") < 0 &&
		f.Class != mpi.ClassNewcommLeaders && f.Class != mpi.ClassNewcommGroups {
		prefix = "request's " // which an earlier call began
	}
	whose := fmt.Sprintf("%s: rank %d in %s", how, want.Rank, call)
	for _, pair := range pairOperations(want, got, w.Op.Pending, g.Op.Pending) {
		switch {
		case pair.got == nil && g.Op.Unlisted == 0:
			// That it is not waited for is what was said: a recorder lists requests that are complete as well.
		case pair.want == nil:
			x.scoreValue(t, prefix+"operation", true, false, fmt.Sprintf("%s: want none, got %+v", whose, *pair.got))
		default:
			x.scoreOperation(t, prefix, whose, want, got, *pair.want, pair.got)
		}
	}
	said := noted.FindAllString(strings.Join(got.Notes, " "), -1)
	for _, c := range counts {
		name, _, _ := strings.Cut(c, " ")
		known := slices.ContainsFunc(said, func(text string) bool { return strings.HasPrefix(text, name+" ") })
		x.scoreValue(t, "count", known, slices.Contains(said, c),
			fmt.Sprintf("%s: want %s, got %s", whose, c, said))
	}
}

// scoreValue counts one argument.
func (x *attachScore) scoreValue(t *testing.T, what string, known, right bool, whose string) {
	x.values[what]++
	switch {
	case known && right:
		x.known[what]++
	case known:
		x.wrongArguments = append(x.wrongArguments, t.Name()+": "+what+": "+whose)
	default:
		t.Logf("%s is not known: %s", what, whose)
	}
}

// operationPair is what was recorded and what was found of one operation; nil: there is no such.
type operationPair struct{ want, got *model.Pending }

// pairOperations puts together operations of a kind, those that agree best first. What says nothing is no
// operation.
func pairOperations(want, got *model.Rank, recorded, found []model.Pending) (out []operationPair) {
	var wants, gots []*model.Pending
	for i := range recorded {
		wants = append(wants, &recorded[i])
	}
	for i := range found {
		if q := &found[i]; q.Comm >= 0 || q.Peer >= 0 || q.Tag >= 0 {
			gots = append(gots, q)
		}
	}
	for agreed := 3; agreed >= 0; agreed-- {
		wants = slices.DeleteFunc(wants, func(p *model.Pending) bool {
			i := slices.IndexFunc(gots, func(q *model.Pending) bool {
				return q.Kind == p.Kind && countAgreements(want, got, *p, *q) == agreed
			})
			if i >= 0 {
				out = append(out, operationPair{p, gots[i]})
				gots = slices.Delete(gots, i, i+1)
			}
			return i >= 0
		})
	}
	for _, p := range wants {
		out = append(out, operationPair{p, nil})
	}
	for _, q := range gots {
		if q.Kind != model.RMA || q.Peer != model.None { // the rest of an epoch whose group is not known
			out = append(out, operationPair{nil, q})
		}
	}
	return out
}

// countAgreements counts in how much two operations agree.
func countAgreements(want, got *model.Rank, p, q model.Pending) (n int) {
	for _, same := range []bool{sameComm(want, got, p, q), p.Tag == q.Tag, p.Peer == q.Peer} {
		if same {
			n++
		}
	}
	return n
}

func sameComm(want, got *model.Rank, p, q model.Pending) bool {
	if p.Comm < 0 || q.Comm < 0 {
		return false
	}
	a, b := want.Comms[p.Comm], got.Comms[q.Comm]
	return slices.Equal(a.Members, b.Members) && slices.Equal(a.Remote, b.Remote)
}

// scoreOperation counts the arguments of an operation that was recorded: those that it has. A fence has
// no peer, nor has what waits for all members of a window; a lock has its type for a tag.
func (x *attachScore) scoreOperation(t *testing.T, prefix, whose string, want, got *model.Rank, p model.Pending,
	found *model.Pending) {
	q := model.Pending{Comm: -1, Peer: -1, Tag: model.None}
	if found != nil {
		q = *found
	}
	value := func(what string, known, right bool) {
		x.scoreValue(t, prefix+what, known, right, fmt.Sprintf("%s: want %+v, got %+v", whose, p, q))
	}
	if p.Comm >= 0 {
		value("communicator", q.Comm >= 0, sameComm(want, got, p, q))
	}
	switch p.Kind {
	case model.Send, model.Recv, model.Probe, model.RMA:
		if p.Peer != model.None || p.Kind != model.RMA {
			value("peer", q.Peer != -1, p.Peer == q.Peer)
		}
		if p.Tag != model.None || p.Kind != model.RMA {
			value("tag", q.Tag != model.None, p.Tag == q.Tag)
		}
	case model.Collective:
		if p.Peer != model.None {
			value("root", q.Peer != -1, p.Peer == q.Peer)
		}
	}
}
