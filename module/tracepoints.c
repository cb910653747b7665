// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoints.c - probes of the kernel's tracepoints, which are not exported
 *
 * They are looked up by name.  Probes must not sleep; newer kernels may preempt them.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoints.h"

struct probe_list {
	struct etw_probe *probes;
	int count;
};

static void probes_find(struct tracepoint *point, void *context)
{
	struct probe_list *list = context;
	int i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(point->name, list->probes[i].name))
			list->probes[i].point = point;
}

/* Process context, sleeps.  No probe runs any more afterwards. */
void etw_probes_unregister(struct etw_probe *probes, int count)
{
	while (count--)
		tracepoint_probe_unregister(probes[count].point, probes[count].probe, NULL);
	tracepoint_synchronize_unregister();
}

/* Process context, sleeps.  0; -EOPNOTSUPP: this kernel has no such tracepoint; -ENOMEM. */
int etw_probes_register(struct etw_probe *probes, int count)
{
	struct probe_list list = { probes, count };
	int i, err;

	for_each_kernel_tracepoint(probes_find, &list);
	for (i = 0; i < count; i++) {
		err = probes[i].point ?
		      tracepoint_probe_register(probes[i].point, probes[i].probe, NULL) :
		      -EOPNOTSUPP;
		if (err) {
			etw_probes_unregister(probes, i);
			return err;
		}
	}
	return 0;
}
