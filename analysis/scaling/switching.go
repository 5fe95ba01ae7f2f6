package scaling

import "slices"

// call is the key of the MPI call that a site inside a library is below: the
// call with the stack that led to it. "" for other sites.
func (s Site) call() string {
	if !s.inside() {
		return ""
	}
	at := slices.IndexFunc(s.Frames, func(f Frame) bool { return f.Module == callModule })
	return Site{Frames: s.Frames[at:]}.Key()
}

// switching lists the MPI calls whose bytes did not go out the same way in all
// training runs. A library that chose by scale there will choose again, so
// beyond training nothing is predicted of them.
func (m *Model) switching() map[string]bool {
	calls := make(map[string][]int) // sites
	for i, s := range m.Sites {
		if key := s.call(); key != "" {
			calls[key] = append(calls[key], i)
		}
	}
	out := make(map[string]bool)
	for key, sites := range calls {
		main := -1
		for _, run := range m.Past {
			most := sites[0]
			for _, i := range sites {
				if run.Volume[i] > run.Volume[most] {
					most = i
				}
			}
			if run.Volume[most] == 0 {
				continue
			}
			out[key] = out[key] || main >= 0 && most != main
			main = most
		}
	}
	return out
}

// beyond: some control is larger than in training.
func (m *Model) beyond(x []float64) bool {
	for i, r := range m.Ranges {
		if x[i+1] > r.High {
			return true
		}
	}
	return false
}
