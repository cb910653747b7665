/* SPDX-License-Identifier: MIT */
/*
 * wevt.h - the resources that the message compiler writes
 *
 * The resources that Windows reads: WEVT_TEMPLATE, one message table for each culture, and
 * the resource script that names them.  The same manifest gives the same bytes.  See
 * docs/wevt.md for the layout.
 *
 * These functions print nothing.  They append to out, and leave it unchanged on failure.
 * Any thread may call them; they only read the manifest.
 */
#ifndef ETW_MC_WEVT_H
#define ETW_MC_WEVT_H

#include "base/bytes.h"
#include "tdh/model/model.h"

/* Versions of WEVT_TEMPLATE: of mc.exe 10.0.14251 and later, and of earlier ones */
#define ETW_WEVT_VERSION_5	5
#define ETW_WEVT_VERSION_3	3	/* no provider name, control GUID, group, attributes */

/*
 * Write the WEVT_TEMPLATE resource with all providers of the manifest.  0; -EINVAL: unknown
 * version, or problems has the reasons; -ENOMEM.  problems may be NULL.
 */
int etw_wevt_write(const struct etw_manifest *manifest, unsigned int version,
		   struct etw_bytes *out, struct etw_problems *problems);

/*
 * Write the message table (resource type 11) of a culture, by its index in the manifest.
 * Texts that the culture lacks come from the first culture that has them.  0; -ENOENT: no
 * messages; -EINVAL: problems has the reasons; -ENOMEM.
 */
int etw_msgtable_write(const struct etw_manifest *manifest, unsigned int culture,
		       struct etw_bytes *out, struct etw_problems *problems);

/*
 * Write the resource script: a LANGUAGE and a message table for each culture, then the
 * WEVT_TEMPLATE.  message_files: a file name for each culture, NULL if it has no table.
 * A culture that Windows has no number for gets one of those for custom cultures.
 * 0; -EINVAL: there are more of these than such numbers, see problems; -ENOMEM.
 */
int etw_rc_write(const struct etw_manifest *manifest, const char *const *message_files,
		 const char *template_file, struct etw_bytes *out,
		 struct etw_problems *problems);

#endif /* ETW_MC_WEVT_H */
