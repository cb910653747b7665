/* SPDX-License-Identifier: MIT */
/*
 * wevt.h - the binary outputs of the message compiler
 *
 * A manifest as the resources that Windows reads: WEVT_TEMPLATE, one message table for
 * each culture, and the resource script that names them.  Same manifest, same bytes.
 * See docs/wevt.md for the layout.
 *
 * None of these prints.  out is appended to; when something fails it holds no more
 * than it did.  Any thread, any manifest; the manifest is only read.
 */
#ifndef ETW_MC_WEVT_H
#define ETW_MC_WEVT_H

#include "base/bytes.h"
#include "tdh/model/model.h"

/* Versions of WEVT_TEMPLATE: what 10.0.14251 and later write, and what came before */
#define ETW_WEVT_VERSION_5	5
#define ETW_WEVT_VERSION_3	3	/* no provider name, control GUID, group, attributes */

/*
 * The WEVT_TEMPLATE resource: all providers of the manifest.  0, -EINVAL (version is
 * none of these, or problems say why), -ENOMEM.  problems may be NULL.
 */
int etw_wevt_write(const struct etw_manifest *manifest, unsigned int version,
		   struct etw_bytes *out, struct etw_problems *problems);

/*
 * The message table (resource type 11) of a culture, by its index in the manifest.  A
 * text that it lacks is that of the first culture that has one.  0; -ENOENT: there are
 * no messages at all; -EINVAL: problems say why; -ENOMEM.
 */
int etw_msgtable_write(const struct etw_manifest *manifest, unsigned int culture,
		       struct etw_bytes *out, struct etw_problems *problems);

/*
 * The resource script: a LANGUAGE and a message table for each culture, then the
 * WEVT_TEMPLATE.  message_files: a file name for each culture, NULL for one that has
 * no table.  0, -EINVAL (a culture that Windows has no number for: problems), -ENOMEM.
 */
int etw_rc_write(const struct etw_manifest *manifest, const char *const *message_files,
		 const char *template_file, struct etw_bytes *out,
		 struct etw_problems *problems);

#endif /* ETW_MC_WEVT_H */
