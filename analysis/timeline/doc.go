// Package timeline answers what each rank did over time: computing, waiting and for whom,
// I/O, without samples because it was stopped, without a processor; and how many iterations a
// second the job made.
//
// Input is a [Question] about a run directory, output of [Run] a [Result] at analysis rank 0:
// rows of columns of equal length, a row for each rank or for ranks that are alike. It reads
// the samples that ranks take of themselves ([model.Interval]). The steps of these get longer
// the longer ago they are, and columns are never shorter than a step, so that nothing is
// guessed within one.
//
// An analysis rank reads its share of the ranks once and keeps of each the sums of its columns,
// 52 bytes a column. The longest run decides on the length of the columns ([Scale]), to which
// the finer ones are added up. Where there are more ranks than rows, rank 0 gets what they did
// in windows of several lengths, groups those that are alike, and tells the others; then the
// columns of each row merge over the tree ([Sum]).
package timeline
