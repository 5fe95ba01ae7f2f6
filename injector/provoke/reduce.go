package provoke

import (
	"cmp"
	"slices"

	"laggard/model/mpi"
)

const (
	mostSingle = 256 // up to so many choices are tried one by one
	mostMore   = 2   // by so many more than rules they may be, to be told instead of them
)

func compareMade(a, b Made) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Rank, b.Rank),
		cmp.Compare(a.Count, b.Count), cmp.Compare(a.Value, b.Value), cmp.Compare(a.At, b.At))
}

// isSame reports whether two are one choice that ranks made alike.
func isSame(a, b Made) bool {
	a.At, b.At = 0, 0
	return a == b
}

// sites knows the sites by their numbers in journals.
type sites map[uint64]Site

// learn makes those of places known at which choices are open.
func (s sites) learn(open []*Open) {
	for _, o := range open {
		s[o.Site.Key()] = o.Site
	}
}

// ruleFor narrows the rule by which a choice was made to where it was made: a rule of the schedule's seed makes the same
// choices there, whatever other rules are left out.
func (s *Schedule) ruleFor(m Made, known sites) (Rule, bool) {
	for _, r := range s.Rules {
		if r.Choice() != m.Kind || r.Rank != EveryRank && r.Rank != m.Rank || r.Key() != 0 && r.Key() != m.Key ||
			r.Count != 0 && r.Count != m.Count {
			continue
		}
		site, ok := known[m.Key]
		r.Rank, r.Site = m.Rank, site
		return r, ok
	}
	return Rule{}, false
}

// narrowed are the rules of the places where choices were made, by rank, each once.
func (s *Schedule) narrowed(made []Made, known sites) []Rule {
	var out []Rule
	for _, m := range made {
		if r, ok := s.ruleFor(m, known); ok && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// atSites are rules of the same sites for the ranks that the schedule's own rules are for.
func (s *Schedule) atSites(rules []Rule) []Rule {
	var out []Rule
	for _, r := range rules {
		for _, own := range s.Rules {
			if own.Kind == r.Kind && (own.Rank == EveryRank || own.Rank == r.Rank) && (own.Key() == 0 || own.Key() == r.Key()) {
				r.Rank = own.Rank
				break
			}
		}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// single are rules that make exactly the choices that were made.
func (s *Schedule) single(made []Made, known sites) []Rule {
	var out []Rule
	for _, m := range made {
		r, ok := s.ruleFor(m, known)
		r.Count, r.Often, r.Value = m.Count, million, m.Value
		if ok && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// by groups rules that are alike in what key takes of them.
func by(rules []Rule, key func(Rule) Rule) [][]Rule {
	var out [][]Rule
	at := map[Rule]int{}
	for _, r := range rules {
		k := key(r)
		i, known := at[k]
		if !known {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// Places are the keys of the places where a rule made choices, of all that were made; without a site that is all of its
// kind. Where a run failed before it came to the site, that is the place.
func (r Rule) Places(made []Made) (keys []uint64) {
	for _, m := range made {
		if m.Kind == r.Choice() && (r.Key() == 0 || r.Key() == m.Key) && (r.Count == 0 || r.Count == m.Count) &&
			(r.Rank == EveryRank || r.Rank == m.Rank) && !slices.Contains(keys, m.At) {
			keys = append(keys, m.At)
		}
	}
	if len(keys) == 0 && r.Key() != 0 {
		keys = append(keys, r.Key())
	}
	return keys
}

// levels are the groups in which rules are left out, coarse ones first.
var levels = []func(Rule) Rule{
	func(r Rule) Rule { return Rule{Kind: r.Kind} },
	func(r Rule) Rule { return Rule{Kind: r.Kind, Site: r.Site} },
	func(r Rule) Rule { return Rule{Kind: r.Kind, Site: r.Site, Rank: r.Rank} },
	func(r Rule) Rule { return r },
}

// demand says how often a candidate must fail to be good.
type demand int

// The demands.
const (
	once  demand = iota
	twice        // in a row, where it decides much
	lucky        // in one of a few runs: the failure needs luck besides
)

// reduction is a search for a schedule with fewer rules that still fails.
type reduction struct {
	*Schedule
	fails  func(candidate *Schedule, d demand) (bool, []Made) // with what the latest failing run of a candidate made
	demand demand
	latest []Made
	passed [][]Rule // candidates that did not fail, with all that they contain
}

// mostPassed is how often what contains a candidate, or the candidate itself, must have passed before it is not asked about: where
// a failure needs luck, the first time may be bad luck.
func (r *reduction) mostPassed() int {
	if r.demand == lucky {
		return 2
	}
	return 1
}

func (r *reduction) try(rules []Rule) bool {
	passed := 0
	for _, p := range r.passed {
		if containsAll(p, rules) {
			passed++
		}
	}
	return passed < r.mostPassed() && r.ask(rules)
}

// ask runs a candidate, whatever is known.
func (r *reduction) ask(rules []Rule) bool {
	ok, made := r.fails(r.with(rules), r.demand)
	if ok {
		r.latest = made
	} else {
		r.passed = append(r.passed, rules)
	}
	return ok
}

// containsAll reports whether some rules are all among others.
func containsAll(others, some []Rule) bool {
	return !slices.ContainsFunc(some, func(r Rule) bool { return !slices.Contains(others, r) })
}

// begin returns rules for the places where failing runs made choices, with which the failure comes: for the ranks that came there;
// or for any, as another may come first the next time; or for those ranks with luck. nil: the journals do not say all that was chosen.
func (r *reduction) begin(made []Made, known sites) []Rule {
	rules := r.narrowed(made, known)
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(preference(a.Choice()), preference(b.Choice())) })
	if len(rules) == 0 || len(rules) > maxRules {
		return nil
	}
	if r.try(rules) {
		return rules
	}
	if wide := r.atSites(rules); r.try(wide) {
		return wide
	}
	if r.demand == lucky {
		return nil
	}
	r.demand = lucky
	r.passed = nil
	if r.try(rules) {
		return rules
	}
	return nil
}

// preference orders kinds by how plainly they explain a failure: first those that go either way, last those whose lengths matter.
func preference(c mpi.Choice) int {
	switch {
	case slices.Contains(everywhere, c):
		return 0
	case c&(mpi.Match|mpi.Completion) != 0:
		return 1
	}
	return 2
}

// run returns the schedule with fewer rules, given what some failing runs made.
func (r *reduction) run(made []Made, known sites) *Schedule {
	r.latest, r.passed = made, nil
	rules := r.begin(made, known)
	if rules == nil {
		return r.Schedule
	}
	for _, level := range levels {
		groups := Minimize(by(rules, level), func(g [][]Rule) bool { return r.try(slices.Concat(g...)) })
		rules = slices.Concat(groups...)
		if r.demand == twice { // which kinds it takes decides most
			r.demand = once
		}
	}
	rules = withoutChance(rules, r.try)
	plain := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !r.isPlain() })
	drawn := slices.DeleteFunc(slices.Clone(rules), Rule.isPlain)
	with := func(single []Rule) []Rule { return slices.Concat(plain, single) }
	if single := r.with(drawn).single(r.latest, known); len(drawn) > 0 && len(single) <= mostSingle && r.try(with(single)) {
		if single = Minimize(single, func(g []Rule) bool { return r.try(with(g)) }); len(single) <= len(drawn)+mostMore {
			rules = with(single)
		}
	}
	return r.with(r.withoutEach(withoutChance(rules, r.try)))
}

// mostAgain is up to how many rules withoutEach asks about.
const mostAgain = 6

// withoutEach leaves out each rule by itself once more: an earlier candidate may have passed by luck.
func (r *reduction) withoutEach(rules []Rule) []Rule {
	if len(rules) > mostAgain || r.demand == lucky {
		return rules
	}
	for _, rule := range slices.Clone(rules) {
		left := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r == rule })
		if len(left) > 0 && r.ask(left) {
			rules = left
		}
	}
	return rules
}

// isPlain reports whether a rule makes a choice that goes either way, at all calls of its place: then single choices say no
// more, and the sentence about it is a plain one.
func (r Rule) isPlain() bool { return r == r.plain() }

// plain is the rule without what it draws, if it need not draw.
func (r Rule) plain() Rule {
	if r.Choice()&(mpi.SendMode|mpi.BufferUse|mpi.EpochEnd) != 0 {
		r.Count, r.Often = 0, million
		return r
	}
	return Rule{}
}

// withoutChance drops what rules draw, where the failure does not need it: of all at once if that will do.
func withoutChance(rules []Rule, try func([]Rule) bool) []Rule {
	var at []int
	all := slices.Clone(rules)
	for i, r := range rules {
		if p := r.plain(); p != r && p != (Rule{}) {
			all[i] = p
			at = append(at, i)
		}
	}
	if len(at) > 0 && try(all) {
		return all
	}
	if len(at) < 2 {
		return rules
	}
	for _, i := range at {
		simpler := slices.Clone(rules)
		simpler[i] = all[i]
		if try(simpler) {
			rules = simpler
		}
	}
	return rules
}
