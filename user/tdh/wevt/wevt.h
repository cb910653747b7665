/* SPDX-License-Identifier: MIT */
/*
 * wevt.h - manifests out of Windows' binaries
 *
 * etw_manifest_read_wevt() of model.h takes the bare resources; this takes files.
 */
#ifndef ETW_TDH_WEVT_WEVT_H
#define ETW_TDH_WEVT_WEVT_H

#include "tdh/model/model.h"

/*
 * Read a manifest from a file that holds a WEVT_TEMPLATE resource: a PE image (.dll,
 * .exe, .sys), or the resource itself as the message compiler writes it.  Texts are
 * those of the message tables in the image and in its satellites (CULTURE/NAME.mui
 * and NAME.mui beside it); for a bare BASETEMP.BIN those that BASE.rc names, of files
 * beside it.  0, -EINVAL (problems say why), -ENOENT (there is no such file, or it is an
 * image without the resource: a problem then), -ENOMEM, or what opening and reading said.
 */
int etw_manifest_read_binary(const char *path, struct etw_manifest **out,
			     struct etw_problems *problems);

#endif /* ETW_TDH_WEVT_WEVT_H */
