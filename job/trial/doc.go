// Package trial runs the jobs of a campaign of injected faults: first the program
// under a tracer at every rank, to learn which functions it enters, then one job a
// trial, until its fault is in and the job hangs or ends. What is injected and how
// the outcome is scored is package injector's; who diagnoses is for the caller to
// say.
package trial
