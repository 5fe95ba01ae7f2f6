// Package scaling answers whether a run at a large scale behaves as the small,
// good runs of the same program predict, which ranks do not, and at which call
// sites that shows (paper Vrisha, §3–§5). Every rank may be wrong in the same
// way: ranks are compared with the models, not with each other.
//
// Input is a [Table]: for each rank of each run the control features (rank,
// ranks in the run, numeric arguments) and the bytes sent by call stack. Output
// of training is one [Model], of a test one [Verdict].
//
// A model has two halves. Kernel canonical correlation analysis ([KCCA], §3 and
// §5.2) sees the behaviour as a whole, but holds about one step of scale past
// training and is blind to sites with a small share of the bytes. A scaling
// model for each feature ([Feature]), a sum of c·pⁱ·log₂ʲp in the normal form
// of Extra-P, sees single sites and reaches further; features that it cannot
// predict are left out, as in WuKong. The verdict says which of them spoke and
// whether the run is inside its range.
//
// The work can be shared among analysis ranks:
//
//   - [Table]s of single ranks merge ([Merge]); all have the merged one.
//   - [Fit] does one part of the fitting; [Part]s merge ([MergeParts]).
//   - [Assemble] makes the model of them.
//   - [Model.Judge] judges a table of any rows of the run; [Judgement]s merge
//     ([MergeJudgements]).
//   - [Model.Conclude] draws the verdict and compares call stacks (§5.4).
//
// Table, Part and Judgement are monoids with deterministic encodings. See
// docs/scaling.md.
package scaling
