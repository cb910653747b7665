// SPDX-License-Identifier: MIT
/* report_load - the time, memory and page that etw report takes, compared with etw dump */
#include <stdbool.h>

#include "bench/load_run.h"
#include "lib/tap.h"

#define EVENTS		400000
#define HOSTILE		150000	/* fill all tables */
#define ROUNDS		3
#define MB_MAX		64
#define PAGE_MAX	5.0	/* MB */

/*
 * Of the CPU time of etw dump, the least of each. bench/report has figures: this is what a noisy
 * machine cannot exceed, unless something is read, decoded or looked up once more for each event.
 */
#define RATIO_MAX	2.3

int main(void)
{
	struct load_cost cost;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/etw-load-%d.etl", (int)getpid());
	for (unsigned int i = 0; i < LOADS; i++) {
		const bool is_hostile = loads[i].most;

		if (load_write(path, &loads[i], is_hostile ? HOSTILE : EVENTS))
			abort();
		ok(load_measure("build/etw", path, is_hostile ? 1 : ROUNDS, &cost), "%s", loads[i].title);
		ok(cost.mb <= MB_MAX, "in %.1f MB of memory", cost.mb);
		ok(cost.page_mb <= PAGE_MAX, "a page of %.2f MB", cost.page_mb);
		if (!is_hostile)
			ok(cost.report <= RATIO_MAX * cost.dump,
			   "in %.2f of the time of etw dump, which is %.2f s",
			   cost.report / cost.dump, cost.dump);
		unlink(path);
	}
	return done_testing();
}
