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

#include <evntrace.h>
#include "device/provider_list.h"
#include "lib/registered.h"

/* The answer of a class; data is malloc()ed. */
struct answer {
	void *data;
	size_t len;
};

/* --------------------------------- TraceGuidQueryList, TraceGroupQueryList */

static int query_guids(int fd, int (*fill)(int fd, struct etw_provider_enum *list),
		       struct answer *answer)
{
	struct etw_guid *guids;
	uint32_t count;
	int err = etw_provider_guids(fd, fill, &guids, &count);

	if (err)
		return err;
	answer->data = guids;
	answer->len = count * sizeof(*guids);
	return 0;
}

static int query_list(int fd, const void *in, struct answer *answer)
{
	(void)in;
	return query_guids(fd, etw_kdev_provider_enum, answer);
}

static int query_groups(int fd, const void *in, struct answer *answer)
{
	(void)in;
	return query_guids(fd, etw_kdev_group_enum, answer);
}

/* --------------------------------- TraceGuidQueryInfo, TraceGroupQueryInfo */

/* Does the session with this id enable the registration? */
static bool enabled_by(const struct etw_provider_reg *reg, uint32_t logger_id)
{
	return logger_id && logger_id <= 64 && reg->sessions >> (logger_id - 1) & 1;
}

/* Write one instance at *at; reg NULL: the provider is not registered. */
static void put_instance(unsigned char **at, const struct etw_provider_reg *reg,
			 const struct etw_provider *provider, bool last)
{
	TRACE_PROVIDER_INSTANCE_INFO head = {
		.Pid = reg ? reg->pid : 0,
		.Flags = reg ? 0 : TRACE_PROVIDER_FLAG_PRE_ENABLE,
	};
	unsigned char *start = *at, *to = start + sizeof(head);
	uint32_t i;

	if (reg && reg->flags & ETW_REGISTER_CLASSIC)
		head.Flags |= TRACE_PROVIDER_FLAG_LEGACY;
	for (i = 0; i < provider->enable_count; i++) {
		const struct etw_provider_enable *e = &provider->enables[i];
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

static int describe(const struct etw_provider *provider, struct answer *answer)
{
	uint32_t instances = provider->reg_count ? provider->reg_count : 1, i;
	TRACE_GUID_INFO head = { .InstanceCount = instances };
	unsigned char *data, *at;

	data = calloc(1, sizeof(head) + (size_t)instances *
		      (sizeof(TRACE_PROVIDER_INSTANCE_INFO) +
		       provider->enable_count * sizeof(TRACE_ENABLE_INFO)));
	if (!data)
		return -ENOMEM;
	memcpy(data, &head, sizeof(head));
	at = data + sizeof(head);
	for (i = 0; i < provider->reg_count; i++)
		put_instance(&at, &provider->regs[i], provider, i + 1 == instances);
	if (!provider->reg_count)
		put_instance(&at, NULL, provider, true);
	answer->data = data;
	answer->len = at - data;
	return 0;
}

static int query_info(int fd, const void *in, struct answer *answer)
{
	struct etw_provider provider;
	struct etw_guid guid;
	int err;

	memcpy(&guid, in, sizeof(guid));
	err = etw_provider_query(fd, &guid, &provider);
	if (!err) {
		err = describe(&provider, answer);
		etw_provider_free(&provider);
	}
	return err;
}

/* Like a provider's answer: the instances are the members, whatever their GUIDs. */
static int query_group(int fd, const void *in, struct answer *answer)
{
	struct etw_provider look;
	struct etw_group group;
	struct etw_guid guid;
	uint32_t i;
	int err;

	memcpy(&guid, in, sizeof(guid));
	err = etw_group_query(fd, &guid, &group);
	if (err)
		return err;
	look = (struct etw_provider){
		.regs = calloc(group.member_count + 1, sizeof(*look.regs)),
		.reg_count = group.member_count,
		.enables = group.enables,
		.enable_count = group.enable_count,
	};
	for (i = 0; look.regs && i < group.member_count; i++)
		look.regs[i] = group.members[i].reg;
	err = look.regs ? describe(&look, answer) : -ENOMEM;
	free(look.regs);
	etw_group_free(&group);
	return err;
}

/* ---------------------------------------------------- TraceGuidQueryProcess */

static bool has_pid(const struct etw_provider *provider, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < provider->reg_count; i++)
		if (provider->regs[i].pid == pid && !(provider->regs[i].flags & ETW_REG_KERNEL))
			return true;
	return false;
}

/* The GUIDs that a process has registered. */
static int query_process(int fd, const void *in, struct answer *answer)
{
	struct etw_guid *guids;
	uint32_t pid, count, i, n = 0;
	int err = query_list(fd, NULL, answer);

	memcpy(&pid, in, sizeof(pid));
	guids = answer->data;
	count = answer->len / sizeof(*guids);
	for (i = 0; !err && i < count; i++) {
		struct etw_provider provider;

		err = etw_provider_query(fd, &guids[i], &provider);
		if (err == -ESRCH) {	/* ended meanwhile */
			err = 0;
			continue;
		}
		if (err)
			break;
		if (has_pid(&provider, pid))
			guids[n++] = guids[i];
		etw_provider_free(&provider);
	}
	answer->len = n * sizeof(*guids);
	if (err)
		free(guids);
	return err;
}

/* The library knows its own process's registrations, even without a device. */
static int query_own(struct answer *answer)
{
	etw_registered_fn *list = atomic_load(&etw_registered);
	size_t count = 0;
	GUID *guids = list ? list(&count) : calloc(1, sizeof(*guids));

	answer->data = guids;
	answer->len = count * sizeof(*guids);
	return guids ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------------ dispatch */

static const struct query_class {
	TRACE_QUERY_INFO_CLASS class;
	ULONG in_size;
	/* 0 and *answer, or -errno */
	int (*query)(int fd, const void *in, struct answer *answer);
} classes[] = {
	{ TraceGuidQueryList, 0, query_list },
	{ TraceGuidQueryInfo, sizeof(GUID), query_info },
	{ TraceGuidQueryProcess, sizeof(ULONG), query_process },
	{ TraceGroupQueryList, 0, query_groups },
	{ TraceGroupQueryInfo, sizeof(GUID), query_group },
};

static const struct query_class *find_class(TRACE_QUERY_INFO_CLASS class)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].class == class)
			return &classes[i];
	return NULL;
}

static ULONG query(const struct query_class *class, const void *in, ULONG in_size,
		   struct answer *answer)
{
	ULONG pid = getpid();
	int fd, err;

	if (class->query == query_process) {
		/* Without input, the caller means itself. */
		if (in_size == sizeof(pid))
			memcpy(&pid, in, sizeof(pid));
		if (!pid || (in_size && in_size != sizeof(pid)))
			return ERROR_INVALID_PARAMETER;
		if (pid == (ULONG)getpid())
			return etw_win32_from_errno(query_own(answer));
	} else if (in_size != class->in_size) {
		return ERROR_INVALID_PARAMETER;
	}
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = class->query(fd, in, answer);
	etw_kdev_close(fd);
	return etw_win32_from_errno(err);
}

ULONG EnumerateTraceGuidsEx(TRACE_QUERY_INFO_CLASS TraceQueryInfoClass,
			    PVOID InBuffer, ULONG InBufferSize, PVOID OutBuffer,
			    ULONG OutBufferSize, PULONG ReturnLength)
{
	const struct query_class *class = find_class(TraceQueryInfoClass);
	struct answer answer = { .len = 0 };
	ULONG ret;

	if (!class || !ReturnLength || !InBuffer != !InBufferSize ||
	    (OutBufferSize && !OutBuffer))
		return ERROR_INVALID_PARAMETER;
	ret = query(class, InBuffer, InBufferSize, &answer);
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
			    const struct etw_provider *provider)
{
	memset(to, 0, sizeof(*to));
	memcpy(&to->Guid, guid, sizeof(to->Guid));
	if (!provider->enable_count)
		return;
	to->LoggerId = provider->enables[0].logger_id;
	to->EnableLevel = provider->enables[0].level;
	to->EnableFlags = (ULONG)provider->enables[0].any;
	to->IsEnable = TRUE;
}

static int fill_all(int fd, PTRACE_GUID_PROPERTIES *array, ULONG room, ULONG *found)
{
	struct etw_guid *guids;
	uint32_t count, i;
	ULONG n = 0;
	int err;

	err = etw_provider_guids(fd, etw_kdev_provider_enum, &guids, &count);
	if (err)
		return err;
	for (i = 0; i < count; i++) {
		struct etw_provider provider;

		if (n >= room) {
			n++;
			continue;
		}
		err = etw_provider_query(fd, &guids[i], &provider);
		if (err == -ESRCH) {
			err = 0;
			continue;
		}
		if (err)
			break;
		fill_properties(array[n++], &guids[i], &provider);
		etw_provider_free(&provider);
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
