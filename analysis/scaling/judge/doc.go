// Package judge judges a run by a model of smaller ones: which ranks do not behave as
// predicted, and at which call sites that shows (paper Vrisha, §5.3 and §5.4).
//
// [Judge] judges a table of any rows of the run; a [Judgement] is a monoid (see
// [MergeJudgements]); [Conclude] draws the [Verdict] and compares call stacks, and
// [Unite] makes one answer of the verdicts of the sources.
package judge
