// Package timeline shows what the ranks of a job did over time: as text, JSON, a page, and a trace for Perfetto.
package timeline
