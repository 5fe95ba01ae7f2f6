package movement

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/chain/chaintest"
	"laggard/analysis/movement/profile"
	"laggard/model"
)

// TestTranscripts runs the scenarios of testdata; -rewrite writes what came out.
// "train" is a known good run for the next "analyse" with argument trained, "train more"
// one besides.
func TestTranscripts(t *testing.T) {
	for _, name := range []string{"chains", "cases"} {
		var good profile.Profile
		datadriven.RunTest(t, "testdata/"+name+".txt", func(t *testing.T, d *datadriven.TestData) string {
			tables := chaintest.PlayScript(t, d.Input)
			tr := chain.Resolve(chaintest.MustMerge(t, tables, nil))
			switch d.Cmd {
			case "train":
				if !d.HasArg("more") {
					good = profile.Profile{}
				}
				good = profile.Merge(good, profile.New(tr))
				return ""
			case "analyse":
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			opts := parseOptions(t, d)
			if d.HasArg("trained") {
				opts.Training = &good
			}
			want := formatFound(Analyse(tr, opts))
			rng := rand.New(rand.NewPCG(1, 2))
			got := formatFound(Analyse(chain.Resolve(chaintest.MustMerge(t, chaintest.PlayScript(t, d.Input), rng)), opts))
			if diff := cmp.Diff(want, got); diff != "" {
				d.Fatalf(t, "merged in another order:\n%s", diff)
			}
			return want
		})
	}
}

func parseOptions(t *testing.T, d *datadriven.TestData) Options {
	opts := Options{LastPhase: d.HasArg("last-phase")}
	if a, ok := d.Arg("ranks"); ok {
		set, err := model.ParseRankSet(a.Vals[0])
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		opts.Ranks = set
	}
	return opts
}

// formatFound prints a result.
func formatFound(r Found) string {
	var b strings.Builder
	l := r.Links
	fmt.Fprintf(&b, "%d chains of ranks %s; linked %d of %d sends, %d of %d receives\n", r.Chains, r.Ranks,
		l.LinkedSends, l.Sends, l.LinkedRecvs, l.Recvs)
	for _, u := range r.Unreceived {
		fmt.Fprintf(&b, "not received: %d of rank %d's for rank %d, tag %d, %s\n", u.Count, u.From, u.To, u.Tag, u.Site)
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "  %d × %s\n", g.Count, chainText(g))
	}
	for i, p := range r.Invariants {
		fmt.Fprintf(&b, "invariant %d: %d, %.3g of its like: %s\n", i, p.Count, p.Share, chainText(p.Group))
	}
	for _, v := range r.Violations {
		fmt.Fprintf(&b, "violation of %d: A %.4f (S %.4f, R %.4f), %d of ranks %s to %s: %s\n", v.Invariant, v.Abnormality,
			v.Similarity, v.Rareness, v.Instances, v.Ranks, v.Ends, chainText(v.Chain))
		fmt.Fprintf(&b, "  context %d, completed %d, stale %d, evidence %.3f, first %+v; it lacks %v\n",
			v.ContextMatches, v.Completions, v.Stale, v.Evidence, v.Examples[0], operationTexts(v.Missing))
	}
	if r.Pruned > 0 {
		fmt.Fprintf(&b, "pruned: %d\n", r.Pruned)
	}
	for _, n := range r.Novel {
		fmt.Fprintf(&b, "in no good run: %d of ranks %s, first %+v: %s\n", n.Count, n.Ranks, n.First, chainText(n.Group))
	}
	for _, o := range r.Outliers {
		fmt.Fprintf(&b,
			"outlier %d: distance %.4g, ratio %.3g, without it %.3g; %.3g of its chains, %.3g of rank %d's: %s\n",
			o.Rank, o.K, o.Ratio, o.LeaveOneOut, o.Share, o.PeerShare, o.Neighbour, chainText(o.Group))
		fmt.Fprintf(&b, "  ends at %s\n", o.Ends)
	}
	if len(r.Outliers) > 0 {
		fmt.Fprintf(&b, "  among %d chains from %d to %d ns\n", r.Distances.Chains, r.Distances.From, r.Distances.To)
	}
	return b.String()
}

func chainText(g chain.Group) string {
	var ops []string
	for i, op := range g.Ops {
		text := operationText(op)
		if op.Kind == chain.Pack {
			text += fmt.Sprintf("×%.3g", g.Weight(i))
		}
		ops = append(ops, text)
	}
	return strings.Join(ops, " → ")
}

func operationTexts(list []chain.Operation) []string {
	var out []string
	for _, o := range list {
		out = append(out, operationText(o))
	}
	return out
}

// operationText writes an operation in one line: kind, call sites, buffers.
func operationText(o chain.Operation) string {
	site := o.Site
	if o.Kind == chain.Network {
		site += "/" + o.Partner
	}
	return o.Kind.String() + ":" + site + ":" + o.Source + ">" + o.Dest
}

func TestEmptyTrace(t *testing.T) {
	opts := Options{LastPhase: true, Training: &profile.Profile{}}
	if r := Analyse(chain.Resolve(chain.Table{}), opts); r.Chains != 0 || r.Outliers != nil {
		t.Errorf("a result of nothing: %+v", r)
	}
}
