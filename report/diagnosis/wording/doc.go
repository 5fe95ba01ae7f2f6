// Package wording says in English what a hang diagnosis found. analysis/progress concludes in facts: the kind of a reason, ranks, calls
// and numbers. Every sentence about them is here.
package wording
