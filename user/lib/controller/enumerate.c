/* SPDX-License-Identifier: MIT */
/*
 * enumerate.c - list providers and the sessions that enable them
 *
 * Semantics: Microsoft's pages "EnumerateTraceGuids function", "EnumerateTraceGuidsEx
 * function" and "TRACE_GUID_INFO structure".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "enumerate.h"
#include "groups.h"
#include "device/provider_list.h"
#include "lib/registered.h"

/* ------------------------------------------------------- TraceGuidQueryList */

static ULONG query_list(const void *in, ULONG in_size, struct etw_answer *answer)
{
	struct etw_guid *guids;
	uint32_t count;
	int fd, err;

	(void)in;
	if (in_size)
		return ERROR_INVALID_PARAMETER;
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_provider_list_guids(fd, &guids, &count);
	etw_kdev_close(fd);
	if (err)
		return etw_win32_from_errno(err);
	answer->data = guids;
	answer->len = count * sizeof(*guids);
	return ERROR_SUCCESS;
}

/* ------------------------------------------------------- TraceGuidQueryInfo */

/* Does the session with this id enable the registration? */
static bool enabled_by(const struct etw_provider_reg *reg, uint32_t logger_id)
{
	return logger_id && logger_id <= 64 && reg->sessions >> (logger_id - 1) & 1;
}

/* Write one instance at *at; reg NULL: the provider is not registered. */
static void put_instance(unsigned char **at, const struct etw_provider_reg *reg,
			 const struct etw_provider_list *look, bool last)
{
	TRACE_PROVIDER_INSTANCE_INFO head = {
		.Pid = reg ? reg->pid : 0,
		.Flags = reg ? 0 : TRACE_PROVIDER_FLAG_PRE_ENABLE,
	};
	unsigned char *start = *at, *to = start + sizeof(head);
	uint32_t i;

	if (reg && reg->flags & ETW_REGISTER_CLASSIC)
		head.Flags |= TRACE_PROVIDER_FLAG_LEGACY;
	for (i = 0; i < look->enable_count; i++) {
		const struct etw_provider_enable *e = &look->enables[i];
		TRACE_ENABLE_INFO info = {
			.IsEnabled = TRUE,
			.Level = e->level,
			.LoggerId = e->logger_id,
			.EnableProperty = e->property,
			.MatchAnyKeyword = e->any,
			.MatchAllKeyword = e->all,
		};

		if (reg && !enabled_by(reg, e->logger_id))
			continue;
		memcpy(to, &info, sizeof(info));
		to += sizeof(info);
		head.EnableCount++;
	}
	if (!last)
		head.NextOffset = to - start;
	memcpy(start, &head, sizeof(head));
	*at = to;
}

static ULONG describe(const struct etw_provider_list *look, struct etw_answer *answer)
{
	uint32_t instances = look->reg_count ? look->reg_count : 1, i;
	TRACE_GUID_INFO head = { .InstanceCount = instances };
	unsigned char *data, *at;

	data = calloc(1, sizeof(head) + (size_t)instances *
		      (sizeof(TRACE_PROVIDER_INSTANCE_INFO) +
		       look->enable_count * sizeof(TRACE_ENABLE_INFO)));
	if (!data)
		return ERROR_NOT_ENOUGH_MEMORY;
	memcpy(data, &head, sizeof(head));
	at = data + sizeof(head);
	for (i = 0; i < look->reg_count; i++)
		put_instance(&at, &look->regs[i], look, i + 1 == instances);
	if (!look->reg_count)
		put_instance(&at, NULL, look, true);
	answer->data = data;
	answer->len = at - data;
	return ERROR_SUCCESS;
}

static ULONG query_info(const void *in, ULONG in_size, struct etw_answer *answer)
{
	struct etw_provider_list look;
	struct etw_guid guid;
	ULONG ret;
	int fd, err;

	if (in_size != sizeof(guid))
		return ERROR_INVALID_PARAMETER;
	memcpy(&guid, in, sizeof(guid));
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_provider_list_provider(fd, &guid, &look);
	etw_kdev_close(fd);
	if (err)
		return etw_win32_from_errno(err);
	ret = describe(&look, answer);
	etw_provider_list_free(&look);
	return ret;
}

/* ---------------------------------------------------- TraceGuidQueryProcess */

static bool has_pid(const struct etw_provider_list *look, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < look->reg_count; i++)
		if (look->regs[i].pid == pid && !(look->regs[i].flags & ETW_REG_KERNEL))
			return true;
	return false;
}

/* Keep only the GUIDs that the process has registered. */
static int keep_process(int fd, uint32_t pid, struct etw_guid *guids, uint32_t *count)
{
	uint32_t i, n = 0;

	for (i = 0; i < *count; i++) {
		struct etw_provider_list look;
		int err = etw_provider_list_provider(fd, &guids[i], &look);

		if (err == -ESRCH)	/* ended meanwhile */
			continue;
		if (err)
			return err;
		if (has_pid(&look, pid))
			guids[n++] = guids[i];
		etw_provider_list_free(&look);
	}
	*count = n;
	return 0;
}

static ULONG query_other(uint32_t pid, struct etw_answer *answer)
{
	struct etw_guid *guids;
	uint32_t count;
	int fd, err;

	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_provider_list_guids(fd, &guids, &count);
	if (!err) {
		err = keep_process(fd, pid, guids, &count);
		if (err)
			free(guids);
	}
	etw_kdev_close(fd);
	if (err)
		return etw_win32_from_errno(err);
	answer->data = guids;
	answer->len = count * sizeof(*guids);
	return ERROR_SUCCESS;
}

/* The library knows its own process's registrations, even without a device. */
static ULONG query_own(struct etw_answer *answer)
{
	etw_registered_fn *list = atomic_load(&etw_registered);
	size_t count = 0;
	GUID *guids = list ? list(&count) : calloc(1, sizeof(*guids));

	if (!guids)
		return ERROR_NOT_ENOUGH_MEMORY;
	answer->data = guids;
	answer->len = count * sizeof(*guids);
	return ERROR_SUCCESS;
}

static ULONG query_process(const void *in, ULONG in_size, struct etw_answer *answer)
{
	ULONG pid = 0;

	if (in_size && in_size != sizeof(pid))
		return ERROR_INVALID_PARAMETER;
	if (in_size)
		memcpy(&pid, in, sizeof(pid));
	if (in_size && !pid)
		return ERROR_INVALID_PARAMETER;
	return !pid || pid == (ULONG)getpid() ? query_own(answer) : query_other(pid, answer);
}

/* -------------------------------------- TraceGroupQueryList, TraceGroupQueryInfo */

static ULONG query_groups(const void *in, ULONG in_size, struct etw_answer *answer)
{
	ULONG size = 0, needed = 0, ret;
	void *guids = NULL;

	(void)in;
	if (in_size)
		return ERROR_INVALID_PARAMETER;
	/* The list may grow between the two calls. */
	while ((ret = etw_groups_list(guids, size, &needed)) == ERROR_INSUFFICIENT_BUFFER) {
		free(guids);
		size = needed;
		guids = malloc(size);
		if (!guids)
			return ERROR_NOT_ENOUGH_MEMORY;
	}
	if (ret) {
		free(guids);
		return ret;
	}
	answer->data = guids;
	answer->len = needed;
	return ERROR_SUCCESS;
}

/* Like a provider's answer: the instances are the members, whatever their GUIDs. */
static ULONG query_group(const void *in, ULONG in_size, struct etw_answer *answer)
{
	struct etw_group group = { .member_count = 0 };
	struct etw_provider_list look;
	GUID guid;
	ULONG ret;
	uint32_t i;

	if (in_size != sizeof(guid))
		return ERROR_INVALID_PARAMETER;
	memcpy(&guid, in, sizeof(guid));
	ret = etw_group_query(&guid, &group);
	if (ret)
		return ret;
	look = (struct etw_provider_list){
		.regs = calloc(group.member_count + 1, sizeof(*look.regs)),
		.reg_count = group.member_count,
		.enables = group.enables,
		.enable_count = group.enable_count,
	};
	for (i = 0; look.regs && i < group.member_count; i++)
		look.regs[i] = group.members[i].reg;
	ret = look.regs ? describe(&look, answer) : ERROR_NOT_ENOUGH_MEMORY;
	free(look.regs);
	etw_group_free(&group);
	return ret;
}

/* ------------------------------------------------------------------ dispatch */

static const struct {
	TRACE_QUERY_INFO_CLASS class;
	etw_enumerate_fn answer;
} classes[] = {
	{ TraceGuidQueryList, query_list },
	{ TraceGuidQueryInfo, query_info },
	{ TraceGuidQueryProcess, query_process },
	{ TraceGroupQueryList, query_groups },
	{ TraceGroupQueryInfo, query_group },
};

static etw_enumerate_fn find_class(TRACE_QUERY_INFO_CLASS class)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].class == class)
			return classes[i].answer;
	return NULL;
}

ULONG EnumerateTraceGuidsEx(TRACE_QUERY_INFO_CLASS TraceQueryInfoClass,
			    PVOID InBuffer, ULONG InBufferSize, PVOID OutBuffer,
			    ULONG OutBufferSize, PULONG ReturnLength)
{
	struct etw_answer answer = { .len = 0 };
	etw_enumerate_fn ask;
	ULONG ret;

	ask = find_class(TraceQueryInfoClass);
	if (!ask)
		return ERROR_INVALID_PARAMETER;
	if (!ReturnLength || !InBuffer != !InBufferSize || (OutBufferSize && !OutBuffer))
		return ERROR_INVALID_PARAMETER;
	ret = ask(InBuffer, InBufferSize, &answer);
	if (ret)
		return ret;
	*ReturnLength = answer.len;
	if (answer.len > OutBufferSize)
		ret = ERROR_INSUFFICIENT_BUFFER;
	else if (answer.len)
		memcpy(OutBuffer, answer.data, answer.len);
	free(answer.data);
	return ret;
}

/* ------------------------------------------------------- EnumerateTraceGuids */

static void fill_properties(TRACE_GUID_PROPERTIES *to, const struct etw_guid *guid,
			    const struct etw_provider_list *look)
{
	memset(to, 0, sizeof(*to));
	memcpy(&to->Guid, guid, sizeof(to->Guid));
	if (!look->enable_count)
		return;
	to->LoggerId = look->enables[0].logger_id;
	to->EnableLevel = look->enables[0].level;
	to->EnableFlags = (ULONG)look->enables[0].any;
	to->IsEnable = TRUE;
}

static int fill_all(int fd, PTRACE_GUID_PROPERTIES *array, ULONG room, ULONG *found)
{
	struct etw_guid *guids;
	uint32_t count, i;
	ULONG n = 0;
	int err;

	err = etw_provider_list_guids(fd, &guids, &count);
	if (err)
		return err;
	for (i = 0; i < count; i++) {
		struct etw_provider_list look;

		if (n >= room) {
			n++;
			continue;
		}
		err = etw_provider_list_provider(fd, &guids[i], &look);
		if (err == -ESRCH) {
			err = 0;
			continue;
		}
		if (err)
			break;
		fill_properties(array[n++], &guids[i], &look);
		etw_provider_list_free(&look);
	}
	free(guids);
	*found = n;
	return err;
}

ULONG EnumerateTraceGuids(PTRACE_GUID_PROPERTIES *GuidPropertiesArray,
			  ULONG PropertyArrayCount, PULONG GuidCount)
{
	ULONG found, i;
	int fd, err;

	if (!GuidPropertiesArray || !PropertyArrayCount || !GuidCount)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < PropertyArrayCount; i++)
		if (!GuidPropertiesArray[i])
			return ERROR_INVALID_PARAMETER;
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = fill_all(fd, GuidPropertiesArray, PropertyArrayCount, &found);
	etw_kdev_close(fd);
	if (err)
		return etw_win32_from_errno(err);
	*GuidCount = found;
	return found > PropertyArrayCount ? ERROR_MORE_DATA : ERROR_SUCCESS;
}
