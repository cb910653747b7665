// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_string.c - write a kernel module's event that consists of a string
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "activity.h"
#include "core/port.h"
#include "hotpath.h"

/*
 * Bytes of the string with its NUL; above ETW_RECORD_MAX if it is too long for an event;
 * 0 if it cannot be read.
 */
static u32 string_bytes(const u16 *string)
{
	u32 units;
	u16 unit;

	if (!etw_may_read((unsigned long)string))
		return 0;
	for (units = 0; units <= ETW_RECORD_MAX / sizeof(*string); units++) {
		ETW_MOVE(u16, &unit, &string[units], fault);
		if (!unit)
			break;
	}
	return (units + 1) * sizeof(*string);
fault:
	return 0;
}

static int write_string(struct etw_provider *provider, struct etw_record_source *source)
{
	int err = etw_record_measure(source);
	struct etw_guid activity;

	if (err == -EOVERFLOW)
		return etw_hotpath_drop(provider, source->desc, NULL, ETW_DROP_EVENT_SIZE);
	if (err)
		return err;
	if (static_branch_unlikely(&etw_activity_used) && !source->activity)
		source->activity = etw_activity_current(&activity);
	return etw_hotpath_write(provider, source, NULL);
}

/**
 * etw_write_string() - write an event that consists of a string
 * @provider: a provider; nothing is written unless it is registered
 * @level: the event's level
 * @keyword: the event's keyword
 * @activity: activity id, or NULL: the task's, see etw_activity_id_control()
 * @string: UTF-16, written with its NUL: L"..." in a kernel module
 *
 * The rest of the event's descriptor is zero, and its header has
 * ETW_EVENT_STRING_ONLY.  Any context, NMI included; does not sleep.  Semantics:
 * Microsoft's page "EtwWriteString function".
 *
 * Return: as etw_write_transfer(); -EINVAL: no string.
 */
int etw_write_string(struct etw_provider *provider, u8 level, u64 keyword,
		     const struct etw_guid *activity, const u16 *string)
{
	const struct etw_event_descriptor desc = { .level = level, .keyword = keyword };
	struct etw_data_descriptor data;
	struct etw_record_source source = {
		.provider = &provider->guid,
		.desc = &desc,
		.activity = activity,
		.data = &data,
		.count = 1,
		.thread_id = current->pid,
		.process_id = current->tgid,
		.type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE | ETW_EVENT_STRING_ONLY,
	};

	if (!string)
		return -EINVAL;
	if (!etw_entry_wants(&provider->enable, level, keyword))
		return 0;
	data = etw_data(string, string_bytes(string));
	if (!data.size)
		return etw_hotpath_drop(provider, &desc, NULL, ETW_DROP_COPY_FAULT);
	return write_string(provider, &source);
}
EXPORT_SYMBOL_GPL(etw_write_string);
