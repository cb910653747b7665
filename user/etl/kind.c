/* SPDX-License-Identifier: MIT */
/*
 * kind.c - what a record counts as in the summaries of all commands
 */
#include "kind.h"
#include "loss.h"

enum etw_kind etw_kind_of(const struct etw_record_view *record)
{
	const struct etw_event_header *header = record->header;
	struct etw_loss_payload loss;

	/* The kernel logger's other groups are events. */
	if (etw_etl_is_system(header))
		return header->desc.task >> 8 ? ETW_KIND_EVENT : ETW_KIND_TRACE;
	if (etw_kind_is_schema(header) || etw_loss_parse(record, &loss))
		return ETW_KIND_TRACE;
	return etw_kind_names_process(header) ? ETW_KIND_PROCESS : ETW_KIND_EVENT;
}
