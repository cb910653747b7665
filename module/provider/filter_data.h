/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_data.h - filters that the callback of a provider interprets
 */
#ifndef ETW_PROVIDER_FILTER_DATA_H
#define ETW_PROVIDER_FILTER_DATA_H

#include "provider.h"

struct etw_memory;

struct etw_filter_data *etw_filter_data_get(struct etw_filter_data *data);
void etw_filter_data_put(struct etw_filter_data *data);
int etw_filter_data_read(struct etw_enable_request *req, const struct etw_filter *f);
void etw_filter_data_bind(struct etw_enable_request *req);
void etw_filter_data_chain(const struct etw_filter_data *const *links, u32 count,
			   struct etw_memory *memory, struct etw_filter_data **chain);
bool etw_filter_data_fits(const struct etw_filter_data *data, const struct etw_notify *n);
int etw_filter_data_copy_out(const struct etw_filter_data *data, struct etw_notify *n);

#endif /* ETW_PROVIDER_FILTER_DATA_H */
