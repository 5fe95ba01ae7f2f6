// Package checks holds the test of how the recorder finds out who is in a group, recorder/identity/members.c.
package checks
