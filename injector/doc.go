// Package injector puts faults into real, unmodified MPI programs while they run,
// and says how well a diagnosis finds them (PDI §5.2).
//
// It answers: at how many of the places where a program can get stuck is the
// stuck rank named? Input: a campaign (CAMPAIGN.toml) and somebody who runs and
// diagnoses one trial (Runner). Output: a record per trial and the paper's table:
// recall, isolation, imprecision, exact.
//
//  1. A run under Order.Profile tells, for each rank, which functions it enters
//     and how often (Profile).
//  2. Draw takes from a seed a rank, a function or MPI call that it enters, and
//     one of these entries (Trial).
//  3. Exec, placed between the launcher and the program, lets every rank become
//     the program. The chosen one gets a tracer beside it, which counts the
//     entries and brings the fault about at the right one (Order.Strike).
//  4. Campaign.Run keeps the outcome of each trial in a file that a later call
//     goes on with; NewScore sums them up.
//
// The breakpoints are those of package ptrace. No rank but the chosen one is
// touched, and that one is let go as soon as it has its fault, except where the
// fault is to be slow.
//
// Other faults let ranks leave the common sequence of collectives: a rank skips a
// call, makes one more, changes an argument or the order, takes an error path, or
// takes the other way at a jump of the program (Fault.Parts). For these every rank is
// traced, and writes down the collectives that the program makes (Collective). What
// is true follows from these alone (TruthOf), and a diagnosis is held against it
// (JudgeParting): who left, how, with which call, and at which line it was decided.
package injector
