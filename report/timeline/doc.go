// Package timeline shows what analysis/timeline found: text for a terminal, JSON, a page, and a trace that Perfetto reads.
package timeline
