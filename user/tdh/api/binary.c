/* SPDX-License-Identifier: MIT */
/*
 * binary.c - load manifests from Windows programs: TdhLoadManifestFromBinary()
 */
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "tdh/wevt/wevt.h"
#include "base/cancel.h"

TDHSTATUS TdhLoadManifestFromBinaryA(PCSTR BinaryPath)
{
	struct etw_manifest *manifest;
	struct etw_problems problems = { .count = 0 };
	ULONG missing = ERROR_FILE_NOT_FOUND;
	int state, err;

	if (!etw_load_path_ok(BinaryPath))
		return ERROR_INVALID_PARAMETER;
	state = etw_cancel_hold();
	if (!access(BinaryPath, F_OK))
		missing = ERROR_RESOURCE_NOT_FOUND;
	err = etw_manifest_read_binary(BinaryPath, &manifest, &problems);
	etw_cancel_allow(state);
	etw_problems_free(&problems);
	if (err)
		return etw_load_error(err, ERROR_INVALID_DATA, missing);
	return etw_load_keep(manifest, true, BinaryPath, strlen(BinaryPath) + 1);
}

TDHSTATUS TdhLoadManifestFromBinary(PWSTR BinaryPath)
{
	return etw_load_with(TdhLoadManifestFromBinaryA, BinaryPath);
}
