/* SPDX-License-Identifier: MIT */
/*
 * translate.h - where something of the kernel of one boot is in another boot
 *
 * Address space layout randomization puts the kernel and its modules elsewhere in each boot,
 * and a module that is loaded again elsewhere in the same one. An address means the same only
 * in the same build.
 */
#ifndef ETW_CLI_MACHINE_TRANSLATE_H
#define ETW_CLI_MACHINE_TRANSLATE_H

#include "machine.h"

/* Why no kernel address of one machine means anything on the other; NULL: some may. */
const char *machine_foreign(const struct machine *there, const struct machine *here);

/* The module whose code an address may be; NULL: none is known. */
const struct machine_module *machine_module_at(const struct machine *machine, uint64_t address);

/* false: not known, or there is nothing of the kind here. machine_foreign() returned NULL. */
bool machine_translate(const struct machine *there, const struct machine *here, uint64_t address,
		       uint64_t *here_address);

#endif /* ETW_CLI_MACHINE_TRANSLATE_H */
