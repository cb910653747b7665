/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_parse.h - the filters of an enable request
 */
#ifndef ETW_PROVIDER_FILTER_PARSE_H
#define ETW_PROVIDER_FILTER_PARSE_H

#include "provider.h"

int etw_filters_read(struct etw_enable_request *req, u64 filters, u32 count);
void etw_filters_free(struct etw_enable_request *req);
void etw_event_filter_free(struct etw_event_filter *filter);

#endif /* ETW_PROVIDER_FILTER_PARSE_H */
