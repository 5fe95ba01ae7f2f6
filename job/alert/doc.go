// Package alert tells a user when the job that runs, or some ranks of it, becomes slower.
package alert
