package judge

import "laggard/analysis/scaling/training"

// switchingCalls lists the MPI calls whose bytes were sent along different paths
// in different training runs. A library that chooses by scale will choose again,
// so beyond training their volumes are not predicted.
func switchingCalls(m *training.Model) map[string]bool {
	calls := make(map[string][]int) // sites
	for i, s := range m.Sites {
		if key := s.Call(); key != "" {
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

// isBeyondTraining: some control is larger than in training.
func (b *matchedModel) isBeyondTraining(x []float64) bool {
	for i, r := range b.m.Ranges {
		if x[i+1] > r.High {
			return true
		}
	}
	return false
}
