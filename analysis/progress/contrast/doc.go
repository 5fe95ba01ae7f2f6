// Package contrast says what differs between ranks that nothing tells apart: which
// calls only some of them ever made, how often they made the others, with how many
// ranks they exchanged messages, in how many communicators they are, and when they
// last made progress. It names no rank as the cause.
package contrast
