// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_kfuncs.c - the functions that BPF programs call to write events
 *
 * Tracing programs may call them, in every context in which those run; see <etw/bpf.h>.  The
 * verifier checks that the memory of the record is there.  Its content and all other arguments
 * are the program's, and nothing is believed about them.
 *
 * The kernel finds kfuncs by the module's BTF, which scripts/module-btf makes.  A module
 * without is as good otherwise, and does not register them, since the kernel would complain.
 * A program holds a reference on the module.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/preempt.h>

#include "bpf_provider.h"
#include "write/scope.h"
#include "write/write_kernel.h"

#if defined(CONFIG_BPF_SYSCALL) && defined(CONFIG_DEBUG_INFO_BTF) && \
	defined(CONFIG_DEBUG_INFO_BTF_MODULES)
#define HAVE_MODULE_KFUNCS
#endif

static const char *kfuncs_state = "none: the module has no BTF";
static bool kfuncs_registered;

/* Can programs call the functions? */
bool etw_bpf_kfuncs_registered(void)
{
	return kfuncs_registered;
}

/* The same as text: which programs, or why not. */
const char *etw_bpf_kfuncs_state(void)
{
	return kfuncs_state;
}

#ifdef HAVE_MODULE_KFUNCS

#ifndef __bpf_kfunc
#define __bpf_kfunc	__used noinline
#endif
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(_name)	BTF_SET8_START(_name)
#define BTF_KFUNCS_END(_name)	BTF_SET8_END(_name)
#endif

static const struct etw_bpf_kept_event *kfunc_event(const struct etw_bpf_target *t, u32 event)
{
	if (event >= t->event_count)
		return NULL;
	return &t->events[array_index_nospec(event, t->event_count)];
}

/* Preemption is disabled. */
static int kfunc_write(const struct etw_bpf_target *t, const struct etw_bpf_kept_event *e,
		       const void *record, u32 size)
{
	struct etw_provider *provider = t->held.provider;
	struct etw_scope_answer answer;
	struct etw_data_descriptor data[2];

	if (!e->whole)
		return etw_trace_record_send(provider, &e->desc, &e->layout, record, size, NULL);
	if (!etw_scope_ask(provider, &answer))
		return 0;
	data[0] = etw_data_typed(ETW_DATA_EVENT_METADATA, e->layout.schema, e->layout.schema_len);
	data[1] = etw_data(record, e->record_size);
	return etw_write_asked(etw_trace_payer(), provider, &e->desc, &answer, ARRAY_SIZE(data),
			       data);
}

/**
 * bpf_etw_enabled() - may a session want this event?
 * @provider: number that ETW_IOC_BPF_PROVIDER returned
 * @event: number of the event, in the order of that command, from 0
 *
 * Any context.
 *
 * Return: 1; 0: no session does, or there is no such event.
 */
__bpf_kfunc int bpf_etw_enabled(u32 provider, u32 event)
{
	const struct etw_bpf_kept_event *e;
	const struct etw_bpf_target *t;
	int ret = 0;

	preempt_disable_notrace();
	t = etw_bpf_target_find(provider);
	e = t ? kfunc_event(t, event) : NULL;
	if (e)
		ret = ETW_HANDLE_ENABLED(t->held.provider, &e->desc);
	preempt_enable_notrace();
	return ret;
}

/**
 * bpf_etw_write() - write an event
 * @provider: as for bpf_etw_enabled()
 * @event: as for bpf_etw_enabled()
 * @data: the record
 * @data__sz: bytes of @data, at least the event's record_size
 *
 * Any context, NMI included.  Tests level and keyword itself.
 *
 * Return: 0, even if no session takes the event; -ENOENT: no such provider; -EINVAL: no such
 * event, or the record is too short; else as etw_write(), after which the sessions that lost
 * the event have counted it.
 */
__bpf_kfunc int bpf_etw_write(u32 provider, u32 event, const void *data, u32 data__sz)
{
	const struct etw_bpf_kept_event *e;
	const struct etw_bpf_target *t;
	int ret = -ENOENT;

	preempt_disable_notrace();
	t = etw_bpf_target_find(provider);
	if (t) {
		e = kfunc_event(t, event);
		if (unlikely(!e || data__sz < e->record_size))
			ret = -EINVAL;
		else if (!ETW_HANDLE_ENABLED(t->held.provider, &e->desc))
			ret = 0;
		else
			ret = kfunc_write(t, e, data, data__sz);
	}
	preempt_enable_notrace();
	return ret;
}

BTF_KFUNCS_START(etw_kfunc_ids)
BTF_ID_FLAGS(func, bpf_etw_enabled)
BTF_ID_FLAGS(func, bpf_etw_write)
BTF_KFUNCS_END(etw_kfunc_ids)

static const struct btf_kfunc_id_set etw_kfuncs = {
	.owner = THIS_MODULE,
	.set = &etw_kfunc_ids,
};

/*
 * Kernels that do not know kfuncs in kprobe programs refuse them, and forget what was registered
 * for other types: so these come first.  Tracing programs are those of fentry, fexit and tp_btf,
 * in later kernels also of tracepoints and perf events.
 */
void __init etw_bpf_kfuncs_init(void)
{
	const bool has_btf = THIS_MODULE->btf_data_size;
	bool kprobes;

	if (!has_btf)
		return;
	if (!etw_kfunc_ids.cnt) {
		kfuncs_state = "none: the ids of the functions were not filled in";
		return;
	}
	kprobes = !register_btf_kfunc_id_set(BPF_PROG_TYPE_KPROBE, &etw_kfuncs);
	if (register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &etw_kfuncs)) {
		kfuncs_state = "none: the kernel refused the functions";
		return;
	}
	kfuncs_registered = true;
	kfuncs_state = kprobes ? "tracing kprobe" : "tracing";
}

#else /* !HAVE_MODULE_KFUNCS */

void __init etw_bpf_kfuncs_init(void)
{
	kfuncs_state = "none: this kernel has no BTF of modules";
}

#endif
