/* SPDX-License-Identifier: MIT */
/*
 * wevt.h - read manifests from Windows binaries
 */
#ifndef ETW_TDH_WEVT_WEVT_H
#define ETW_TDH_WEVT_WEVT_H

#include "tdh/model/model.h"

/*
 * Read a manifest from a file with a WEVT_TEMPLATE resource: a PE image (.dll, .exe,
 * .sys), or the resource itself as written by the message compiler. Texts come from the
 * message tables in the image and in its satellites (CULTURE/NAME.mui and NAME.mui
 * beside it); for a bare BASETEMP.BIN, from the files beside it that BASE.rc names. 0,
 * -EINVAL (problems say why), -ENOENT (no such file, or an image without the resource,
 * which is reported as a problem), -ENOMEM, or an error of opening and reading.
 */
int etw_manifest_read_binary(const char *path, struct etw_manifest **out,
			     struct etw_problems *problems);

#endif /* ETW_TDH_WEVT_WEVT_H */
