// SPDX-License-Identifier: GPL-2.0-only
/* vm_abi.c - a valid argument for each command, and the objects it refers to */
#include "lib/vm_abi.h"

void fill_start(struct env *e, void *arg)
{
	struct etw_session s = vm_session("t-new");

	(void)e;
	memcpy(arg, &s, sizeof(s));
}

void fill_update(struct env *e, void *arg)
{
	struct etw_session *s = arg;

	s->handle = e->victim;
	s->flush_ms = 5000;
}

void fill_enum(struct env *e, void *arg)
{
	struct etw_session_enum *s = arg;

	s->handles = VM_PTR(e->out);
	s->capacity = 8;
}

void fill_enable(struct env *e, void *arg)
{
	struct etw_enable en = vm_enable_arg(e->victim, vm_guid(1));

	memcpy(arg, &en, sizeof(en));
}

void fill_set(struct env *e, void *arg)
{
	static const uint8_t traits[4] = { 4, 0, 'x', 0 };

	*(struct etw_provider_set *)arg = (struct etw_provider_set){
		.slot = e->slot, .flags = ETW_SET_TRAITS, .traits = VM_PTR(traits), .traits_len = 4 };
}

void fill_disallow(struct env *e, void *arg)
{
	static struct etw_guid guid = { .data1 = 1 };

	*(struct etw_disallow *)arg = (struct etw_disallow){
		.session = e->victim, .guids = VM_PTR(&guid), .count = 1 };
}

void fill_trace(struct env *e, void *arg)
{
	/* An event without a field, called "e" */
	static const unsigned char schema[] = { 5, 0, 0, 'e', 0 };

	*(struct etw_trace_event *)arg = (struct etw_trace_event){
		.provider = vm_guid(10), .name = VM_PTR("t-trace"), .name_len = 7, .id = 1,
		.schema = VM_PTR(schema), .schema_len = sizeof(schema) };
}

void fill_bpf(struct env *e, void *arg)
{
	static const unsigned char schema[] = { 5, 0, 0, 'e', 0 };
	static const struct etw_bpf_event event = { .level = 4, .schema_len = sizeof(schema) };

	(void)e;
	*(struct etw_bpf_provider *)arg = (struct etw_bpf_provider){
		.provider = vm_guid(11), .name = VM_PTR("t-bpf"), .name_len = 5,
		.events = VM_PTR(&event), .event_count = 1,
		.schemas = VM_PTR(schema), .schemas_len = sizeof(schema) };
}

int join(struct env *e)
{
	struct vm_blob traits = vm_group_traits("", vm_guid(9));

	return vm_set_slot(e->fd, e->spare, ETW_SET_TRAITS, traits.bytes, traits.len, 0);
}

int deliver_two(struct env *e)
{
	struct etw_buffer_take take;
	int i, ret;

	for (i = 0; i < 2; i++) {
		ret = vm_write(e->fd, e->slot, 1, 4, 1, "abc", 4);
		ret = ret ? ret : vm_flush(e->fd, e->base);
		if (ret)
			return ret;
	}
	if (!vm_until((ret = vm_take(e->cfd, &take)) != -EAGAIN))
		return ret;
	e->held = take.index;
	return ret;
}

int set_up_classic(struct env *e)
{
	struct etw_session s;
	int ret = vm_query(e->fd, e->base, &s);

	if (ret)
		return ret;
	e->logger_id = s.logger_id;
	e->classic = vm_register_flags(e->fd, vm_guid(4), ETW_REGISTER_CLASSIC, 0);
	if (e->classic < 0)
		return e->classic;
	return vm_enable(e->fd, e->base, vm_guid(4), 0, 0, 0);
}
