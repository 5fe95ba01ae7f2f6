// Package sentences holds the test that lists every sentence a user can read:
// help, messages, reports and pages, in one golden file, so that a change of
// words is seen as such, and the whole can be edited at once.
package sentences
