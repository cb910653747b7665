/* SPDX-License-Identifier: MIT */
/*
 * checks.h - the checks of etw doctor
 *
 * A check looks at one thing, changes nothing, and reports lines: all is well, or what is wrong
 * and the command that fixes it.  None may rely on rights, on the module, or on a file being
 * what it should be.
 */
#ifndef ETW_CLI_DOCTOR_CHECKS_H
#define ETW_CLI_DOCTOR_CHECKS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>

/* What several checks need to know */
struct doctor {
	char release[256];	/* of the running kernel */
	bool loaded;		/* the module */
	bool container;
	int fd;			/* of the device, or a negative errno */
	uint64_t caps;		/* effective, in the initial user namespace */
	bool initial_user_ns;
};

/* A capability, or the one that includes what CAP_PERFMON allows */
static inline bool doctor_can(const struct doctor *doctor, unsigned int capability)
{
	return doctor->caps & (UINT64_C(1) << capability | UINT64_C(1) << CAP_SYS_ADMIN);
}

/*
 * The command that has DKMS build and install the module, or NULL: it does not know the module,
 * or refuses it for this kernel.
 */
const char *dkms_fix(const struct doctor *doctor);
/* Does this kernel lack what the module needs?  No build can fix that. */
bool dkms_refuses(const struct doctor *doctor);

/* The checks, in the order in which they run */
void doctor_module(const struct doctor *doctor);
void doctor_dkms(const struct doctor *doctor);
void doctor_device(const struct doctor *doctor);
void doctor_interface(const struct doctor *doctor);
void doctor_rights(const struct doctor *doctor);
void doctor_limits(const struct doctor *doctor);
void doctor_clock(const struct doctor *doctor);
void doctor_btf(const struct doctor *doctor);
void doctor_kernel_events(const struct doctor *doctor);
void doctor_manifests(const struct doctor *doctor);
void doctor_autologger(const struct doctor *doctor);
void doctor_sessions(const struct doctor *doctor);

#endif /* ETW_CLI_DOCTOR_CHECKS_H */
