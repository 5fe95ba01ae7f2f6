package usage

import (
	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/reduce"
)

// What the analysis ranks reduce, to analysis rank 0.
var (
	findings = reduce.Monoid[*finding.Group]{
		Codec: reduce.Codec[*finding.Group]{Encode: finding.EncodeGroup, Decode: finding.DecodeGroup},
		Merge: finding.MergeGroups,
	}
	evidence = reduce.Monoid[*between.Evidence]{
		Codec: reduce.Codec[*between.Evidence]{Encode: between.Encode, Decode: between.Decode},
		Merge: between.Merge,
	}
	sum = reduce.JSONMonoid(func(a, b int) int { return a + b })
)
