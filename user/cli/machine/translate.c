/* SPDX-License-Identifier: MIT */
/*
 * translate.c - where something of the kernel of one boot is in another boot
 */
#include <string.h>
#include "base/guid.h"
#include "translate.h"

static bool same_boot(const struct machine *there, const struct machine *here)
{
	return !etw_guid_is_zero(&there->boot) &&
	       !memcmp(&there->boot, &here->boot, sizeof(here->boot));
}

/* Their distance is that of all of the text: both are the same symbol. false: not known */
static bool text_shift(const struct machine *there, const struct machine *here, uint64_t *shift)
{
	if (there->text && here->text)
		*shift = here->text - there->text;
	else if (there->text_begin && here->text_begin)
		*shift = here->text_begin - there->text_begin;
	else
		return false;
	/* The same build has the same size. */
	return there->text_end && here->text_end == there->text_end + *shift;
}

const char *machine_foreign(const struct machine *there, const struct machine *here)
{
	uint64_t shift;

	if (same_boot(there, here))
		return NULL;
	if (!there->kernel.len || !here->kernel.len)
		return "the trace is of another boot, perhaps of another kernel: no build id is known";
	if (!machine_same_build(&there->kernel, &here->kernel))
		return "the trace is of another kernel than the one that runs here: their build ids differ";
	if (!text_shift(there, here, &shift))
		return "the trace is of another boot of this kernel, whose addresses are not known";
	return NULL;
}

/*
 * The module whose code an address may be: the nearest one before it, because modules have
 * parts elsewhere that their size includes.
 */
const struct machine_module *machine_module_at(const struct machine *m, uint64_t address)
{
	const struct machine_module *module, *nearest = NULL;

	for (module = m->modules; module < m->modules + m->module_count; module++)
		if (module->address && module->address <= address &&
		    (!nearest || module->address > nearest->address))
			nearest = module;
	return nearest && address - nearest->address < nearest->size ? nearest : NULL;
}

static bool knows_modules(const struct machine *m)
{
	size_t i;

	for (i = 0; i < m->module_count; i++)
		if (m->modules[i].address)
			return true;
	return false;
}

static bool same_module(const struct machine_module *one, const struct machine_module *other)
{
	return !strcmp(one->name, other->name) && one->size == other->size &&
	       machine_same_build(&one->id, &other->id);
}

/* In the same boot only modules move: is the same one there, or none? */
static bool stays(const struct machine *there, const struct machine *here, uint64_t address)
{
	const struct machine_module *then = machine_module_at(there, address);
	const struct machine_module *now = machine_module_at(here, address);

	if (!knows_modules(there) || (!then && !now))
		return true;
	return then && now && then->address == now->address && !strcmp(then->name, now->name) &&
	       (!then->id.len || !now->id.len || machine_same_build(&then->id, &now->id));
}

static bool move_module(const struct machine *here, const struct machine_module *then,
			uint64_t address, uint64_t *here_address)
{
	const struct machine_module *now;

	for (now = here->modules; now < here->modules + here->module_count; now++)
		if (now->address && same_module(then, now)) {
			*here_address = address - then->address + now->address;
			return true;
		}
	return false;
}

bool machine_translate(const struct machine *there, const struct machine *here, uint64_t address,
		       uint64_t *here_address)
{
	const uint64_t begin = there->text ? there->text : there->text_begin;
	const struct machine_module *then = machine_module_at(there, address);
	uint64_t shift;

	*here_address = address;
	if (same_boot(there, here) && stays(there, here, address))
		return true;
	if (then)
		return move_module(here, then, address, here_address);
	if (same_boot(there, here) || !begin || address < begin || address >= there->text_end ||
	    !text_shift(there, here, &shift))
		return false;
	*here_address = address + shift;
	return true;
}
